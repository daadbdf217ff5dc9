import { inflateSync } from 'node:zlib';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { pagesToRead } from './read-pages.js';

export interface Attachment {
  readonly name: string;
  readonly content: Uint8Array;
}

const ATTACHMENTS_MAX = 40;
/** Maximum size of an attached XML invoice in bytes. */
export const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024;
/**
 * Maximum size of all unpacked attachments of a PDF together. Ordinary files never exceed this limit. It applies to all
 * attachments together, because they are unpacked at once.
 */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** File names of attached XML that the e-invoice formats require (documents reference, section 4). */
const INVOICE_NAMES: readonly string[] = ['factur-x.xml', 'zugferd-invoice.xml', 'xrechnung.xml'];
const ROOTS: ReadonlySet<string> = new Set([
  'CrossIndustryInvoice',
  'CrossIndustryDocument',
  'Invoice',
  'CreditNote',
  'FatturaElettronica',
  'Facturae',
  'Faktura',
]);
const HEAD_BYTES = 4_096;
/** Number of bytes before and after the type of an embedded file in which its PDF dictionary is searched for. */
const DICTIONARY_BYTES_MAX = 64 * 1024;

/**
 * Checks whether the embedded files are larger than allowed once they are unpacked. The bytes are checked before pdf.js
 * unpacks all attachments at once, because 300 MB fit into 300 KB. The search continues after each unpacked file and
 * the number of files is limited, so a malicious PDF cannot make the check slow.
 */
export function hasOversizedAttachment(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = UNPACKED_BYTES_MAX;
  let from = 0;
  for (let count = 0; count < 4 * ATTACHMENTS_MAX; count += 1) {
    const at = file.indexOf('EmbeddedFile', from);
    if (at < 0) return false;
    from = at + 12;
    const packed = packedStreamAt(file, at);
    if (packed === undefined) continue;
    left -= unpackedLength(packed.data, left);
    if (left < 0) return true;
    from = packed.end;
  }
  return false;
}

/**
 * Returns the packed bytes of the PDF stream whose dictionary contains a position. Undefined if the position is in no
 * dictionary of a stream.
 */
function packedStreamAt(file: Buffer, at: number): { readonly data: Buffer; readonly end: number } | undefined {
  const before = Math.max(0, at - DICTIONARY_BYTES_MAX);
  const around = file.subarray(before, at + DICTIONARY_BYTES_MAX).toString('latin1');
  if (around.startsWith('EmbeddedFiles', at - before)) return undefined;
  const start = around.indexOf('stream', at - before);
  if (start < 0) return undefined;
  const dictionary = around.slice(Math.max(0, around.lastIndexOf('obj', at - before)), start);
  if (dictionary.includes('endobj') || !/FlateDecode|\/Fl\b/.test(dictionary)) return undefined;
  const begin = before + start + 6;
  const end = file.indexOf('endstream', begin);
  const data = file.subarray(begin, end < 0 ? file.length : end);
  return { data: data.subarray(data[0] === 13 && data[1] === 10 ? 2 : 1), end: begin + data.length };
}

/**
 * Returns the unpacked length of a PDF attachment, Infinity if it exceeds `bytesMax`, or 0 if the bytes cannot be
 * unpacked.
 */
function unpackedLength(packed: Buffer, bytesMax: number): number {
  try {
    // The size limit of unpacking a PDF attachment is at least 1 byte, because zlib does not accept a limit of 0.
    return inflateSync(packed, { maxOutputLength: bytesMax + 1 }).length;
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? Infinity : 0;
  }
}

type EmbeddedFile = { readonly filename?: string; readonly content?: Uint8Array };

/**
 * Returns the attached files that are XML invoices: the attachments of the document and those of its FileAttachment
 * annotations. A file is recognized by its content or by a required name. Files with a required name come first.
 */
export async function readInvoiceAttachments(pdf: PDFDocumentProxy): Promise<Attachment[]> {
  const ofDocument = (await pdf.getAttachments()) as Record<string, EmbeddedFile> | null;
  const found = Object.entries(ofDocument ?? {}).map(([key, file]) => attachmentOf(file, key));
  for (const number of pagesToRead(pdf.numPages)) {
    if (found.length >= ATTACHMENTS_MAX) break;
    found.push(...(await annotatedFiles(pdf, number)));
  }
  const isPrescribed = ({ name }: Attachment): boolean => INVOICE_NAMES.includes(name.toLowerCase());
  const invoices = found.slice(0, ATTACHMENTS_MAX).filter((file) => isPrescribed(file) || hasInvoiceRoot(file.content));
  // A file that is attached to an annotation of a PDF may also be listed among the files of the PDF, so it can appear
  // twice.
  const distinct = invoices.filter(
    (file, index) => invoices.findIndex(({ content }) => Buffer.compare(content, file.content) === 0) === index,
  );
  return distinct.sort((one, other) => Number(isPrescribed(other)) - Number(isPrescribed(one)));
}

async function annotatedFiles(pdf: PDFDocumentProxy, pageNumber: number): Promise<Attachment[]> {
  const page = await pdf.getPage(pageNumber);
  const annotations = (await page.getAnnotations()) as readonly { readonly file?: EmbeddedFile }[];
  return annotations.flatMap(({ file }, index) =>
    file === undefined ? [] : [attachmentOf(file, `annotation ${index + 1} of page ${pageNumber}`)],
  );
}

function attachmentOf({ filename, content }: EmbeddedFile, fallback: string): Attachment {
  return { name: filename ?? fallback, content: content ?? new Uint8Array() };
}

/**
 * Checks whether XML begins with the root element of an invoice, after a declaration and comments. The text is read
 * once, whatever the comments contain.
 */
export function hasInvoiceRoot(content: Uint8Array): boolean {
  const head = Buffer.from(content.subarray(0, HEAD_BYTES)).toString('latin1').replaceAll('\0', '');
  for (let at = head.indexOf('<'); at >= 0;) {
    const close = head.startsWith('<?', at) ? '?>' : head.startsWith('<!--', at) ? '-->' : undefined;
    if (close === undefined) return ROOTS.has(localNameAt(head, at + 1));
    const end = head.indexOf(close, at + close.length + 1);
    if (end < 0) return false;
    const next = head.indexOf('<', end);
    if (next < 0 || head.slice(end + close.length, next).trim() !== '') return false;
    at = next;
  }
  return false;
}

/**
 * Returns the name of the XML element at a position without its prefix. The result is empty if the text ends within the
 * name.
 */
function localNameAt(text: string, at: number): string {
  const end = text.slice(at).search(/[\s>]/);
  const name = end < 0 ? '' : text.slice(at, at + end);
  return name.slice(name.indexOf(':') + 1);
}
