import { SaxesParser } from 'saxes';
import type { SaxesTagNS } from 'saxes';
import { byteOffsets, decodeFile } from './encoding.js';
import type { Encoding } from './encoding.js';
import { MAX_PAYMENT_FILE_BYTES } from './payment-file.js';
import { PaymentFileRefused, refusal } from './payment-file-refused.js';

/** Maximum depth of nested XML elements in a payment file. The schemas need less than 20. */
const DEPTH_MAX = 64;
/**
 * Maximum number of XML elements in a payment file. Files of 10 MiB have fewer than 350,000, because an element takes
 * 30 bytes and more.
 */
const ELEMENTS_MAX = 500_000;
/**
 * Maximum number of characters between two tags of a payment file, and in a tag with its attributes. It limits the
 * memory of the XML parser.
 */
const GAP_LENGTH_MAX = 1024 * 1024;
/** Number of characters of a payment file that are parsed before the limits are checked again. */
const PIECE_LENGTH = 64 * 1024;
/**
 * Maximum length of a value in a payment file. The schemas allow 140 characters for most values, and 35 for
 * identifiers.
 */
const VALUE_LENGTH_MAX = 1_000;
/** Element of a payment file in which a bank and its customers may store any data. It is not read. */
const OPAQUE = 'Envlp';
const SIGNATURES = 'http://www.w3.org/2000/09/xmldsig#';

/** An XML element of a payment file with the positions of its bytes. */
export interface XmlElement {
  readonly name: string;
  readonly parent: XmlElement | undefined;
  /**
   * Position of a reported XML element among the reported elements in its parent, from 1. It is 0 for an element that
   * is not reported.
   */
  readonly number: number;
  readonly currency: string | undefined;
  readonly children: readonly XmlElement[];
  readonly text: string;
  /** True if a comment or an instruction is inside the text of the XML element. */
  readonly isInterrupted: boolean;
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

type OpenElement = { -readonly [K in keyof XmlElement]: XmlElement[K] } & {
  readonly parent: OpenElement | undefined;
  readonly children: OpenElement[];
  /** Number of child elements that the reader of the payment file has reported for this XML element. */
  handedOn: number;
  /** Position of the first character of the content of the XML element. */
  readonly contentFrom: number;
};

/** Properties of an XML format that the reader of payment files uses. */
export interface XmlFormat {
  /**
   * Checks the name and the namespace of the root element. Throws a refusal if the root does not belong to the format.
   */
  readonly checkRoot: (name: string, namespace: string) => void;
  /** Names of the XML elements that are reported when they end, and are then released to limit the memory. */
  readonly repeated: ReadonlySet<string>;
  readonly onRepeated: (element: XmlElement) => void;
}

/** The root element of the payment file, with all elements in it except those that were reported and released. */
export interface XmlFile {
  readonly root: XmlElement;
  readonly encoding: Encoding;
}

/** Reads the XML of a payment file or of a bank's status report. Throws a {@link PaymentFileRefused}. */
export function readElements(bytes: Uint8Array, { checkRoot, repeated, onRepeated }: XmlFormat): XmlFile {
  if (bytes.length > MAX_PAYMENT_FILE_BYTES) {
    throw new PaymentFileRefused(
      'TOO_LARGE',
      '',
      'The file is larger than 10 MiB. Divide the payments into several files.',
    );
  }
  const file = decodeFile(bytes);
  const { text } = file;
  const toByte = byteOffsets(file, bytes.length);
  // A seventh handler of the XML parser would make the parser five times slower: V8 no longer optimises an object to
  // which so many properties are added, so there is no handler for start tags and comments.
  const parser = new SaxesParser({ xmlns: true });
  let current: OpenElement | undefined;
  const roots: OpenElement[] = [];
  let namespace = '';
  let depth = 0;
  let count = 0;
  let opaqueDepth = 0;
  let lastTag = 0;

  parser.on('error', () => {
    const place = current === undefined ? '' : placeOf(current);
    throw refusal(
      place,
      `The file is incomplete or is not well-formed XML in line ${parser.line}. Export the file again and send it unchanged.`,
    );
  });
  parser.on('doctype', () => {
    throw refusal('', 'The file has a document type (DOCTYPE), which payment files must not have. Remove the DOCTYPE.');
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    count += 1;
    lastTag = parser.position;
    if (depth > DEPTH_MAX)
      throw refusal(
        '',
        `The XML elements of the file are nested more than ${DEPTH_MAX} levels deep. Export the file again.`,
      );
    if (count > ELEMENTS_MAX)
      throw refusal('', `The file has more than ${ELEMENTS_MAX} elements. Divide the payments into several files.`);
    if (tag.uri.startsWith(SIGNATURES)) {
      throw refusal(
        '',
        'The file has an XML signature, which would not be valid for a part of the payments. Send the file without a signature.',
      );
    }
    if (opaqueDepth > 0) return;
    if (current === undefined) {
      checkRoot(tag.local, tag.uri);
      namespace = tag.uri;
    } else if (tag.uri !== namespace) {
      throw refusal(
        placeOf(current),
        `The element ${shown(tag.local)} is not in the XML namespace of the file. Remove the element.`,
      );
    }
    const isHandedOn = repeated.has(tag.local);
    if (isHandedOn && current !== undefined) current.handedOn += 1;
    // No other `<` can occur in a start tag of XML, not even in the value of an attribute.
    const start = toByte(text.lastIndexOf('<', parser.position - 1));
    const contentStart = toByte(parser.position);
    const element: OpenElement = {
      name: tag.local,
      parent: current,
      number: isHandedOn ? (current?.handedOn ?? 0) : 0,
      currency: currencyOf(tag),
      children: [],
      text: '',
      isInterrupted: false,
      handedOn: 0,
      contentFrom: parser.position,
      start,
      contentStart,
      contentEnd: contentStart,
      end: contentStart,
    };
    if (!isHandedOn) current?.children.push(element);
    if (current === undefined) roots.push(element);
    current = element;
    if (tag.local === OPAQUE) opaqueDepth = depth;
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    lastTag = parser.position;
    if (current === undefined || (opaqueDepth > 0 && depth + 1 > opaqueDepth)) return;
    opaqueDepth = 0;
    if (!tag.isSelfClosing) {
      const { position } = parser;
      const contentTo = text.lastIndexOf('</', position - 1);
      if (current.children.length === 0) current.isInterrupted = isInterrupted(text, current.contentFrom, contentTo);
      current.contentEnd = toByte(contentTo);
      current.end = toByte(position);
    }
    const element = current;
    current = element.parent;
    if (repeated.has(element.name)) onRepeated(element);
  });
  const append = (more: string) => {
    if (current !== undefined && opaqueDepth === 0) current.text += more;
  };
  parser.on('text', append);
  parser.on('cdata', append);
  for (let from = 0; from < text.length; from += PIECE_LENGTH) {
    parser.write(text.slice(from, from + PIECE_LENGTH));
    if (from - lastTag > GAP_LENGTH_MAX) {
      throw refusal('', 'The file has more than 1 MiB without an element. Remove long comments, texts and attributes.');
    }
  }
  parser.close();
  const [root] = roots;
  if (root === undefined) throw refusal('', 'The file is not XML. Send the payment file as XML.');
  return { root, encoding: file.encoding };
}

/**
 * Checks whether the content of an XML element without child elements contains a comment or an instruction. CDATA
 * sections are allowed, because they contain only text.
 */
function isInterrupted(text: string, from: number, to: number): boolean {
  let markup = text.indexOf('<', from);
  while (markup < to && text.startsWith('<![CDATA[', markup)) {
    markup = text.indexOf('<', text.indexOf(']]>', markup));
  }
  return markup < to;
}

/** Returns the path of an XML element below the root, as the refusal of a payment file shows it. */
export function placeOf(element: XmlElement): string {
  const steps: string[] = [];
  for (let one: XmlElement | undefined = element; one?.parent !== undefined; one = one.parent) {
    steps.unshift(`${shown(one.name)}${positionOf(one, one.parent)}`);
  }
  return steps.join('/');
}

/**
 * Returns the only child of an XML element with a name, or undefined. Two such children are refused, because programs
 * differ in which of them they use.
 */
export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  let found: XmlElement | undefined;
  for (const one of element?.children ?? []) {
    if (one.name !== name) continue;
    if (found !== undefined) throw refusal(placeOf(one), `${name} is stated twice. State the element only once.`);
    found = one;
  }
  return found;
}

/** Returns the XML element at the end of a path, or undefined. Each element on the path may occur only once. */
export function descendant(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce(child, element);
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((one) => one.name === name) ?? [];
}

/**
 * Returns the text of the XML element at the end of a path, or undefined if there is no such element. Each element on
 * the path may occur only once.
 */
export function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  const found = descendant(element, ...path);
  return found === undefined ? undefined : textOf(found);
}

/**
 * Returns the text of an XML element without spaces at its ends, or undefined if nothing is left. A text with elements
 * or comments in it is refused, because programs differ in how they read it.
 */
export function textOf(element: XmlElement): string | undefined {
  if (element.children.length > 0 || element.isInterrupted) {
    throw refusal(
      placeOf(element),
      `${element.name} must contain only text. Remove the elements and comments inside it.`,
    );
  }
  const text = trimSpace(element.text);
  if (text.length > VALUE_LENGTH_MAX) {
    throw refusal(placeOf(element), `${element.name} has more than ${VALUE_LENGTH_MAX} characters. Shorten its value.`);
  }
  return text === '' ? undefined : text;
}

/** Removes the white space of XML at both ends. `trim()` removes other characters too, which belong to a text. */
function trimSpace(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Checks whether a code unit or a byte is white space of XML. */
export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function positionOf(element: XmlElement, parent: XmlElement): string {
  if (element.number > 0) return `[${element.number}]`;
  const position = childrenOf(parent, element.name).indexOf(element) + 1;
  return position > 1 ? `[${position}]` : '';
}

function currencyOf(tag: SaxesTagNS): string | undefined {
  return tag.attributes.Ccy?.value;
}

/** Shortens an element name from a payment file for messages. The names in the schemas have at most 25 characters. */
function shown(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}...` : name;
}
