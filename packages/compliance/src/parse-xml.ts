import { ParseOption, XmlDocument, XmlError, XmlParseError } from 'libxml2-wasm';

/** Text before the root element is hardly ever longer; if it is, all bytes are searched. */
const PROLOG_BYTES_USUAL = 65_536;

/** The parsed document, which the caller disposes of; or why there is none, with the words of the parser and the line. */
export type ParsedXml =
  | { readonly document: XmlDocument }
  | { readonly fault: 'DOCTYPE' }
  | { readonly fault: 'MALFORMED'; readonly message: string; readonly line: number | null };

/**
 * The one way in which invoices are parsed, to be read and to be validated (documents reference, section 5): the encoding
 * declaration is honoured, entities are not loaded, depth is limited to 256 and a text node to 10 MB. A DOCTYPE is refused
 * without parsing, because no invoice format uses it.
 */
export function parseXml(bytes: Uint8Array): ParsedXml {
  if (hasDocumentType(bytes)) return { fault: 'DOCTYPE' };
  try {
    const document = parseTolerant(bytes);
    if (document.dtd === null) return { document };
    // A document type in an encoding that the search before did not read.
    document.dispose();
    return { fault: 'DOCTYPE' };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const line = error instanceof XmlParseError ? error.details[0]?.line : undefined;
    return { fault: 'MALFORMED', message: error.message, line: line ?? null };
  }
}

/**
 * Some Italian software writes a namespace with a quotation mark in it. The file is well-formed and accepted everywhere;
 * libxml2 says what is wrong with the name as an error, which is then not asked for.
 */
function parseTolerant(bytes: Uint8Array): XmlDocument {
  try {
    return XmlDocument.fromBuffer(bytes);
  } catch (error) {
    const isOnlyName = error instanceof XmlParseError && error.details.every(isNamespaceName);
    if (!isOnlyName || error.details.length === 0) throw error;
    return XmlDocument.fromBuffer(bytes, { option: ParseOption.XML_PARSE_NOERROR });
  }
}

function isNamespaceName({ message }: { readonly message: string }): boolean {
  return /^xmlns(?::\S+)?: '[^]*' is not a valid URI\s*$/.test(message);
}

/**
 * Tells whether a document type comes before the root element, the only place where it counts: not in a comment, not in the text of an
 * invoice. Zero bytes are left out, so that UTF-16 and UTF-32 read like ASCII.
 */
function hasDocumentType(bytes: Uint8Array): boolean {
  const usual = markupBeforeRoot(bytes.subarray(0, PROLOG_BYTES_USUAL));
  const markup = usual ?? markupBeforeRoot(bytes);
  return markup !== undefined && /^<!DOCTYPE/i.test(markup);
}

/** Returns the beginning of the first markup that is neither a comment nor an instruction; undefined if the bytes end before it. */
function markupBeforeRoot(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replaceAll('\0', '');
  let from = 0;
  for (;;) {
    const start = text.indexOf('<', from);
    if (start < 0) return undefined;
    const end = text.startsWith('<!--', start) ? '-->' : text.startsWith('<?', start) ? '?>' : undefined;
    if (end === undefined) return text.slice(start, start + '<!DOCTYPE'.length);
    from = text.indexOf(end, start + 2);
    if (from < 0) return undefined;
  }
}
