import { XmlAttribute, XmlElement } from 'libxml2-wasm';
import type { XmlNode } from 'libxml2-wasm';
import { countSiblings } from './find.js';

/**
 * Returns the absolute path of a node with the names as the document writes them, such as
 * `/Invoice/cac:TaxTotal[2]/cbc:TaxAmount`.
 */
export function locationOf(node: XmlNode): string {
  return pathOf(node, positionOf);
}

/**
 * Returns the path of an XML node without positions. Nodes whose paths differ only in positions get the same result.
 */
export function patternOf(node: XmlNode): string {
  return pathOf(node, () => '');
}

function pathOf(node: XmlNode, position: (element: XmlElement) => string): string {
  const steps: string[] = [];
  for (let current: XmlNode | null = node; current !== null; current = current.parent) {
    const attribute = current instanceof XmlAttribute ? `@${printedName(current)}` : 'node()';
    steps.unshift(current instanceof XmlElement ? `${printedName(current)}${position(current)}` : attribute);
  }
  return `/${steps.join('/')}`;
}

function positionOf(element: XmlElement): string {
  const before = countSiblings(element, 'preceding-sibling');
  return before + countSiblings(element, 'following-sibling') === 0 ? '' : `[${before + 1}]`;
}

function printedName({ prefix, name }: { readonly prefix: string; readonly name: string }): string {
  return prefix === '' ? name : `${prefix}:${name}`;
}
