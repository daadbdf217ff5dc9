import type { XmlDocument } from 'libxml2-wasm';
import { parseXml } from '@invoicecontrol/compliance/parse-xml';
import type { ReadingFailure } from '../reading.js';
import { refuse } from '../refuse.js';
import { countElements } from './find.js';

/** Maximum size of an XML document, the same as for a reserved upload (documents reference, section 14). */
const XML_BYTES_MAX = 10_485_760;
/** Maximum number of XML elements, four times the number in an invoice with 10,000 lines. */
const ELEMENTS_MAX = 500_000;
const NO_DOCTYPE =
  'The XML begins with a DOCTYPE, which no invoice format uses. Remove that line and send the file again.';

/**
 * Parses a document and returns the result of `read` for it, or the reason why it cannot be parsed. The memory of the
 * parsed document is released in any case.
 */
export function withXml<T>(bytes: Uint8Array, read: (document: XmlDocument) => T): T | { failure: ReadingFailure } {
  if (bytes.length > XML_BYTES_MAX) {
    return refuse(
      'TOO_LARGE',
      `The XML has ${bytes.length} bytes; the maximum is ${XML_BYTES_MAX}. Send the invoice without its annexes.`,
    );
  }
  const parsed = parseXml(bytes);
  if ('fault' in parsed) return parsed.fault === 'DOCTYPE' ? refuse('DOCTYPE', NO_DOCTYPE) : toFailure(parsed);
  const { document } = parsed;
  try {
    const elements = countElements(document.root);
    return elements > ELEMENTS_MAX
      ? refuse(
          'TOO_LARGE',
          `The XML has ${elements} elements; the maximum is ${ELEMENTS_MAX}. Send the invoice in several parts.`,
        )
      : read(document);
  } finally {
    document.dispose();
  }
}

/**
 * Pattern of the messages by which the XML parser reports that a document exceeds its limits. The parser reports this
 * in no other way.
 */
const LIMIT = /excessive depth|too (?:big|long)|huge text node|XML_PARSE_HUGE/i;

function toFailure({ message, line }: { readonly message: string; readonly line: number | null }): {
  failure: ReadingFailure;
} {
  if (LIMIT.test(message)) {
    return refuse(
      'TOO_LARGE',
      'The XML invoice has elements nested more than 256 levels deep, or a value larger than 10 MB. Send the invoice without such elements and values, and send large annexes as separate files.',
    );
  }
  const place = line === null || line < 1 ? '' : ` in line ${line}`;
  return refuse(
    'MALFORMED_XML',
    `The file is incomplete or is not well-formed XML${place}. Export the invoice again and send the new file unchanged.`,
  );
}
