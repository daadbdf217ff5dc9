import { inflateSync } from 'node:zlib';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface Attachment {
  readonly name: string;
  readonly content: Uint8Array;
}

const ATTACHMENTS_MAX = 40;
/** An invoice in XML is smaller. */
export const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024;
/** Other attachments are kept, not read; more than the largest upload they cannot be packed from honestly. */
const OTHER_ATTACHMENT_BYTES_MAX = 64 * 1024 * 1024;

/** The names that the formats prescribe (documents reference, section 4). */
const INVOICE_NAMES: readonly string[] = ['factur-x.xml', 'zugferd-invoice.xml', 'xrechnung.xml'];
const ROOT =
  /^[^<]*(?:<\?[^>]*\?>\s*|<!--[\s\S]*?-->\s*)*<(?:[\w.-]+:)?(CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote|FatturaElettronica|Facturae|Faktura)[\s>]/;
const HEAD_BYTES = 4_096;

/**
 * True when an embedded file unpacks to more than is read. Looks at the bytes before pdf.js does, which unpacks all
 * attachments at once: 300 MB fit into 300 KB.
 */
export function hasOversizedAttachment(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  for (let count = 0; count < 4 * ATTACHMENTS_MAX; count += 1) {
    const at = file.indexOf('EmbeddedFile', from);
    if (at < 0) return false;
    from = at + 12;
    if (file.subarray(at, at + 13).toString('latin1') === 'EmbeddedFiles') continue;
    const start = file.indexOf('stream', at);
    if (start < 0) return false;
    const dictionary = file.subarray(Math.max(0, file.lastIndexOf('obj', at)), start).toString('latin1');
    if (dictionary.includes('endobj') || !/FlateDecode|\/Fl\b/.test(dictionary)) continue;
    const end = file.indexOf('endstream', start);
    const data = file.subarray(start + 6, end < 0 ? file.length : end);
    if (isLargerUnpacked(data.subarray(data[0] === 13 && data[1] === 10 ? 2 : 1))) return true;
  }
  return false;
}

function isLargerUnpacked(packed: Buffer): boolean {
  try {
    inflateSync(packed, { maxOutputLength: OTHER_ATTACHMENT_BYTES_MAX });
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
  }
}

/** The attachments that are XML invoices, the prescribed names first. */
export async function readInvoiceAttachments(pdf: PDFDocumentProxy): Promise<Attachment[]> {
  const all = (await pdf.getAttachments()) as Record<string, { filename?: string; content?: Uint8Array }> | null;
  const files = Object.entries(all ?? {})
    .slice(0, ATTACHMENTS_MAX)
    .map(([key, { filename, content }]) => ({ name: filename ?? key, content: content ?? new Uint8Array() }));
  const isPrescribed = ({ name }: Attachment): boolean => INVOICE_NAMES.includes(name.toLowerCase());
  const invoices = files.filter(
    (file) => isPrescribed(file) || (/\.xml$/i.test(file.name) && hasInvoiceRoot(file.content)),
  );
  return invoices.sort((one, other) => Number(isPrescribed(other)) - Number(isPrescribed(one)));
}

function hasInvoiceRoot(content: Uint8Array): boolean {
  const head = Buffer.from(content.subarray(0, HEAD_BYTES)).toString('latin1').replaceAll('\0', '');
  return ROOT.test(head);
}
