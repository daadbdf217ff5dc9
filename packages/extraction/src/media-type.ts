/** Media types of uploaded files. All XML files have one media type, whichever XML type the caller declared. */
export type DocumentMediaType =
  | 'application/pdf'
  | 'image/png'
  | 'image/jpeg'
  | 'image/tiff'
  | 'image/webp'
  | 'application/xml'
  | 'application/pkcs7-mime';

/** Number of bytes at the start of a file that decide its media type. */
export const SNIFFED_BYTES = 4_096;
/** Number of bytes within which the header of a PDF must begin, because a PDF may have other bytes before it. */
const PDF_HEADER_WITHIN_BYTES = 1_024;
/** Object identifier of CMS signed data (1.2.840.113549.1.7.2) in DER, by which signed invoice files are recognized. */
const SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');
/**
 * In a signed file, the object identifier comes after the beginning of an outer sequence, whose length takes up to 4
 * bytes.
 */
const SIGNED_DATA_WITHIN_BYTES = 8;

/**
 * Detects the type of a document by its first bytes, never by the declared type (documents reference, section 3).
 * Returns undefined for a type that is not accepted.
 * @param head the first `SNIFFED_BYTES` bytes of the document, or the whole document if it is shorter
 */
export function sniffMediaType(head: Uint8Array): DocumentMediaType | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, SNIFFED_BYTES));
  if (bytes.subarray(0, PDF_HEADER_WITHIN_BYTES).includes('%PDF-')) return 'application/pdf';
  return (
    sniffImage(bytes) ?? (isSigned(bytes) ? 'application/pkcs7-mime' : isXml(bytes) ? 'application/xml' : undefined)
  );
}

function sniffImage(bytes: Buffer): DocumentMediaType | undefined {
  const hex = bytes.subarray(0, 12).toString('hex');
  if (hex.startsWith('89504e470d0a1a0a')) return 'image/png';
  if (hex.startsWith('ffd8ff')) return 'image/jpeg';
  if (/^(?:49492a00|4d4d002a|49492b00|4d4d002b)/.test(hex)) return 'image/tiff';
  return /^52494646.{8}57454250/.test(hex) ? 'image/webp' : undefined;
}

/** Detects a signed invoice file (CMS) in DER or BER, or in base64 with or without PEM lines. */
function isSigned(bytes: Buffer): boolean {
  if (hasSignedDataHeader(bytes)) return true;
  const text = bytes.toString('latin1');
  const base64 = text.replace(/^[\s\u00ef\u00bb\u00bf]*(?:-----BEGIN [A-Z0-9 ]+-----)?/, '').slice(0, 100);
  return /^[A-Za-z0-9+/\s]+(?:=+\s*)?$/.test(base64) && hasSignedDataHeader(Buffer.from(base64, 'base64'));
}

function hasSignedDataHeader(bytes: Buffer): boolean {
  const position = bytes[0] === 0x30 ? bytes.indexOf(SIGNED_DATA) : -1;
  return position > 0 && position <= SIGNED_DATA_WITHIN_BYTES;
}

/**
 * Detects an XML file by an opening angle bracket after an optional byte order mark and white space. Zero bytes are
 * skipped, because UTF-16 and UTF-32 contain them.
 */
function isXml(bytes: Buffer): boolean {
  const text = bytes.subarray(0, SNIFFED_BYTES).toString('latin1').replaceAll('\0', '');
  return /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)?\s*<[?!A-Za-z_:\u0080-\u00ff]/.test(text);
}
