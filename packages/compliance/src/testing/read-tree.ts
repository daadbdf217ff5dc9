import { XmlDocument } from 'libxml2-wasm';
import { copyTree, type Element } from '../element.js';

/** Parses XML text into a tree of elements, for tests of the validation rules. */
export function readTree(xml: string): Element {
  const document = XmlDocument.fromBuffer(Buffer.from(xml));
  try {
    return copyTree(document);
  } finally {
    document.dispose();
  }
}
