import { ParseOption, XmlDocument, XmlError, XmlParseError } from 'libxml2-wasm';

/**
 * Number of bytes of an XML document that are searched first for a DOCTYPE. The text before the root element is rarely
 * longer; if it is, all bytes are searched.
 */
const PROLOG_BYTES_USUAL = 65_536;

/**
 * The parsed XML document, which the caller must release, or the reason why it cannot be parsed, with the message of
 * the parser and the line.
 */
export type ParsedXml =
  | { readonly document: XmlDocument }
  | { readonly fault: 'DOCTYPE' }
  | { readonly fault: 'MALFORMED'; readonly message: string; readonly line: number | null };

/**
 * Parses an invoice, both for reading and for validating it (documents reference, section 5). The encoding declaration
 * is honoured, and entities are not loaded. Elements may be nested at most 256 deep, and a text node may have at most
 * 10 MB. A DOCTYPE is refused before parsing, because no invoice format uses it.
 */
export function parseXml(bytes: Uint8Array): ParsedXml {
  if (hasDocumentType(bytes)) return { fault: 'DOCTYPE' };
  try {
    const document = parseTolerant(bytes);
    if (document.dtd === null) return { document };
    // The XML has a DOCTYPE in an encoding that the search of the bytes could not read.
    document.dispose();
    return { fault: 'DOCTYPE' };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const line = error instanceof XmlParseError ? error.details[0]?.line : undefined;
    return { fault: 'MALFORMED', message: error.message, line: line ?? null };
  }
}

/**
 * Parses XML and ignores one error of libxml2. Some Italian software writes a namespace with a quotation mark in it,
 * and such a file is well-formed and accepted everywhere.
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
 * Checks whether there is a DOCTYPE before the root element. A DOCTYPE in a comment or in the text of the invoice has
 * no meaning. Zero bytes are skipped, so that UTF-16 and UTF-32 can be read like ASCII.
 */
function hasDocumentType(bytes: Uint8Array): boolean {
  const usual = markupBeforeRoot(bytes.subarray(0, PROLOG_BYTES_USUAL));
  const markup = usual ?? markupBeforeRoot(bytes);
  return markup !== undefined && /^<!DOCTYPE/i.test(markup);
}

/**
 * Returns the beginning of the first XML markup that is neither a comment nor a processing instruction, or undefined if
 * the bytes end before it.
 */
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
