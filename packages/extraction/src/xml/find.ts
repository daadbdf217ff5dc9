import { XmlXPath } from 'libxml2-wasm';
import type { XmlElement, XmlNode } from 'libxml2-wasm';

/**
 * Maximum number of compiled expressions that are cached. The paths of all invoice formats need a few hundred
 * expressions, and the element names in documents add more.
 */
const COMPILED_MAX = 2_000;
const compiled = new Map<string, XmlXPath>();

/** Returns the nodes of an XPath 1.0 expression in document order. */
export function find(node: XmlNode, path: string, namespaces: Readonly<Record<string, string>>): readonly XmlNode[] {
  return node.find(compile(path, namespaces));
}

/** A character that does not occur in XML texts and separates values that are read together. */
const SEPARATOR = '\ue000';

/**
 * Reads the text of the first node of each path, or '' if there is none. All paths are evaluated at once, because an
 * invoice with 1,000 lines has 8,000 such values.
 * @param paths at least two paths
 */
export function textReader(
  paths: readonly string[],
  namespaces: Readonly<Record<string, string>>,
): (node: XmlNode) => readonly string[] {
  const compileOf = (parts: readonly string[]) => compile(`concat(${parts.join(`, '${SEPARATOR}', `)})`, namespaces);
  const usual = compileOf(paths);
  return (node) => {
    const texts = textsOf(node, usual);
    if (texts.length === paths.length) return texts;
    // The values at several XPaths are read as one text with a separator. If a value itself contains the separator, the
    // number of values is wrong, and they are read again without it.
    return textsOf(node, compileOf(paths.map((path) => `translate(string(${path}), '${SEPARATOR}', '')`)));
  };
}

function textsOf(node: XmlNode, xpath: XmlXPath): readonly string[] {
  const texts = node.eval(xpath);
  return typeof texts === 'string' ? texts.split(SEPARATOR) : [];
}

/** Counts, for an XML path, the siblings with the same name on one side of an XML element. */
export function countSiblings(element: XmlElement, axis: 'preceding-sibling' | 'following-sibling'): number {
  const { name, namespaceUri } = element;
  // A name in an XPath takes a tenth of the time that a comparison with the function name() takes.
  const xpath =
    namespaceUri === ''
      ? compile(`count(${axis}::${name})`, {})
      : compile(`count(${axis}::n:${name})`, { n: namespaceUri });
  const count = element.eval(xpath);
  return typeof count === 'number' ? count : 0;
}

/** Counts the elements of an XML invoice. */
export function countElements(root: XmlElement): number {
  const count = root.eval(compile('count(descendant-or-self::*)', {}));
  return typeof count === 'number' ? count : 0;
}

/**
 * Compiles an XPath expression once. At the limit the oldest expression is released, so that names in documents do not
 * use up memory.
 */
function compile(path: string, namespaces: Readonly<Record<string, string>>): XmlXPath {
  const key = `${Object.values(namespaces).join(' ')} ${path}`;
  const kept = compiled.get(key);
  if (kept !== undefined) return kept;
  const xpath = XmlXPath.compile(path, { ...namespaces });
  compiled.set(key, xpath);
  for (const [oldest, dispensable] of compiled) {
    if (compiled.size <= COMPILED_MAX) break;
    compiled.delete(oldest);
    dispensable.dispose();
  }
  return xpath;
}
