import type { XmlDocument } from 'libxml2-wasm';
import { parseXml } from './parse-xml.js';
import { schemaErrors } from './schemas.js';

/** Maximum size in bytes of an FA(3) invoice without an attachment. A larger file is not read. */
export const FA3_BYTES_MAX = 1_000_000;

const NAMESPACE = 'http://crd.gov.pl/wzor/2025/06/25/13775/';
const BYTE_ORDER_MARKS: readonly (readonly number[])[] = [
  [0xef, 0xbb, 0xbf],
  [0xfe, 0xff],
  [0xff, 0xfe],
];
const FORM = `f:Naglowek/f:KodFormularza[@kodSystemowy = 'FA (3)' and @wersjaSchemy = '1-0E']`;

/** Reasons why KSeF would refuse a document. */
export type Fa3Fault =
  | 'NOT_FA3'
  | 'BYTE_ORDER_MARK'
  | 'OTHER_ENCODING'
  | 'PROCESSING_INSTRUCTION'
  | 'FORBIDDEN_CHARACTER'
  | 'DOCTYPE'
  | 'ATTACHMENT';

/** Facts about an invoice that are needed to send it to KSeF. Texts are empty if they cannot be read. */
export interface Fa3Description {
  readonly faults: readonly Fa3Fault[];
  readonly sellerNip: string;
  readonly kind: string;
  readonly number: string;
  readonly issueDate: string;
}

/** Facts about an FA(3) document that cannot be read. */
export function unreadFa3(...faults: readonly Fa3Fault[]): Fa3Description {
  return { faults, sellerNip: '', kind: '', number: '', issueDate: '' };
}

/**
 * Checks the bytes of a document against the FA(3) schema and the additional rules of KSeF (KSeF reference, section 9).
 * The XML parser accepts byte order marks, other encodings, processing instructions and characters that KSeF refuses,
 * so this function searches the bytes for them.
 */
export function describeFa3(bytes: Uint8Array): Fa3Description {
  if (bytes.length > FA3_BYTES_MAX) return unreadFa3();
  const faults = faultsOfBytes(bytes);
  const parsed = parseXml(bytes);
  if ('fault' in parsed) {
    if (parsed.fault === 'DOCTYPE') return unreadFa3(...faults, 'DOCTYPE');
    // An XML document whose encoding differs from the declared one cannot be parsed. Only the wrong encoding is
    // reported, and not that the document is no FA(3) invoice.
    return faults.includes('OTHER_ENCODING') ? unreadFa3(...faults) : unreadFa3(...faults, 'NOT_FA3');
  }
  const { document } = parsed;
  try {
    return describe(document, faults);
  } finally {
    document.dispose();
  }
}

function describe(document: XmlDocument, faultsOfBytes: readonly Fa3Fault[]): Fa3Description {
  const find = (path: string): string =>
    document.get(`/f:Faktura/${path}`, { f: NAMESPACE })?.content.trim().replace(/\s+/g, ' ') ?? '';
  const faults = [...faultsOfBytes];
  if (find(FORM) !== 'FA' || schemaErrors(document, 'FA3').length > 0) faults.push('NOT_FA3');
  if (document.get('/f:Faktura/f:Zalacznik', { f: NAMESPACE }) !== null) faults.push('ATTACHMENT');
  return {
    faults,
    sellerNip: find('f:Podmiot1/f:DaneIdentyfikacyjne/f:NIP'),
    kind: find('f:Fa/f:RodzajFaktury'),
    number: find('f:Fa/f:P_2'),
    // The FA(3) XML schema allows a time zone after the issue date. The time zone is cut off.
    issueDate: find('f:Fa/f:P_1').slice(0, 10),
  };
}

function faultsOfBytes(bytes: Uint8Array): readonly Fa3Fault[] {
  const faults: Fa3Fault[] = [];
  if (BYTE_ORDER_MARKS.some((mark) => mark.every((byte, at) => bytes[at] === byte))) faults.push('BYTE_ORDER_MARK');
  const { text, isUtf8 } = decode(bytes);
  const prolog = /^<\?xml\s[^?]*\?>/.exec(text)?.[0] ?? '';
  const encoding = /\sencoding\s*=\s*["']([^"']*)["']/.exec(prolog)?.[1];
  if (!isUtf8 || (encoding !== undefined && encoding.toLowerCase() !== 'utf-8')) faults.push('OTHER_ENCODING');
  const markup = withoutCommentsAndCdata(text.slice(prolog.length));
  if (markup.includes('<?')) faults.push('PROCESSING_INSTRUCTION');
  if (hasForbiddenCharacter(text) || hasForbiddenReference(markup)) faults.push('FORBIDDEN_CHARACTER');
  return faults;
}

/**
 * Returns the text of an XML document without a byte order mark. Bytes that are not valid in the encoding become
 * replacement characters.
 */
function decode(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // XML has no NUL character, so NUL bytes mean UTF-16 or UTF-32.
    return { text, isUtf8: !text.includes('\0') };
  } catch {
    return { text: new TextDecoder('utf-8').decode(bytes), isUtf8: false };
  }
}

/**
 * Removes comments and CDATA sections from XML in one pass. A regular expression that searches for the end of each
 * comment or section would take a minute for a malicious document.
 */
function withoutCommentsAndCdata(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/<!--|<!\[CDATA\[/g)) {
    if (index < from) continue;
    parts.push(text.slice(from, index));
    const end = text.startsWith('<!--', index) ? '-->' : ']]>';
    const endsAt = text.indexOf(end, index + '<!--'.length);
    if (endsAt < 0) return parts.join(' ');
    from = endsAt + end.length;
  }
  parts.push(text.slice(from));
  return parts.join(' ');
}

function hasForbiddenCharacter(text: string): boolean {
  for (const character of text) {
    if (isForbidden(character.codePointAt(0) ?? 0)) return true;
  }
  return false;
}

function hasForbiddenReference(markup: string): boolean {
  for (const [, hex, decimal] of markup.matchAll(/&#(?:x([0-9a-f]+)|([0-9]+));/gi)) {
    if (isForbidden(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))) return true;
  }
  return false;
}

/**
 * Checks whether KSeF forbids a code point: a control character other than U+0085, or a code point that is not a
 * character. U+FFFE and U+FFFF are not checked here, because XML itself forbids them.
 */
function isForbidden(code: number): boolean {
  if (code < 0x7f || code > 0x10ffff) return false;
  if (code <= 0x84 || (code >= 0x86 && code <= 0x9f)) return true;
  return (code >= 0xfdd0 && code <= 0xfdef) || (code > 0xffff && (code & 0xfffe) === 0xfffe);
}
