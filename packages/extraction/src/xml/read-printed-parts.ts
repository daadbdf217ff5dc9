import type { XmlElement, XmlNode } from 'libxml2-wasm';
import type { PrintedParts } from '../reading.js';
import { find } from './find.js';
import type { Syntax } from './syntax.js';

/** Maximum number of notes, of payment terms and of lines of an address that are shown. */
export const TEXTS_MAX = 100;
/** Maximum length of a note that is shown. The end of a longer note is cut off. */
export const NOTE_LENGTH_MAX = 5_000;

/** Reads the parts of an invoice that people read, and that no check uses. */
export function readPrintedParts(root: XmlElement, { printedParts, namespaces }: Syntax): PrintedParts {
  const textsOf = (path: string): string[] => find(root, path, namespaces).slice(0, TEXTS_MAX).flatMap(textOf);
  return {
    supplierAddress: printedParts.supplierAddress.flatMap(textsOf).slice(0, TEXTS_MAX),
    buyerAddress: printedParts.buyerAddress.flatMap(textsOf).slice(0, TEXTS_MAX),
    paymentTerms: textsOf(printedParts.paymentTerms),
    notes: textsOf(printedParts.notes),
  };
}

/** Returns the text of an element. The texts of its child elements are separated by spaces. */
function textOf(node: XmlNode): string[] {
  const children = find(node, './/text()', {});
  const text = shortened(
    children
      .map((child) => child.content.trim())
      .filter(Boolean)
      .join(' '),
  );
  return text === '' ? [] : [text];
}

/** Cuts off the end of a text that is longer than a note may be. */
export function shortened(text: string): string {
  const characters = text.trim();
  return characters.length > NOTE_LENGTH_MAX ? `${characters.slice(0, NOTE_LENGTH_MAX)}…` : characters;
}
