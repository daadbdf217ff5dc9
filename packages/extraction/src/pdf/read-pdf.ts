import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { DocumentReading, FieldConflict, FieldPath, OwnCompany, ReadingOutcome } from '../reading.js';
import { refuse } from '../refuse.js';
import { requireFields } from '../require-fields.js';
import { OCR_PAGES_MAX, readPictures } from '../ocr/read-pictures.js';
import { readText } from '../text/read-text.js';
import { readXml } from '../xml/read-xml.js';
import { ATTACHMENT_BYTES_MAX, hasOversizedAttachment, readInvoiceAttachments } from './attachments.js';
import type { Attachment } from './attachments.js';
import { compareWithPage } from './compare-with-page.js';
import { declaredProfiles, readProperties } from './document-properties.js';
import { findHiddenTexts } from './hidden-texts.js';
import { pdfMessages, withPdf } from './open-pdf.js';
import { rasterPages } from './raster.js';
import { readPages } from './read-pages.js';
import type { PdfPage } from './read-pages.js';
import { readRevisions } from './revisions.js';
import { findDrawingSigns } from './tamper-signs.js';

export interface PdfContext {
  readonly companies: readonly OwnCompany[];
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/** What the file itself shows, whatever it says. */
type FileFacts = Pick<DocumentReading, 'pages' | 'producer' | 'signature' | 'tamperSigns' | 'hiddenTexts'> & {
  readonly profile: string | null;
};

/** How far a text layer can be trusted. */
const TEXT_LAYER_FACTOR = 0.98;
/** Two attached invoices are the same invoice when these agree. */
const COMPARED_BETWEEN_ATTACHMENTS: readonly FieldPath[] = [
  'invoice_number',
  'issue_date',
  'gross_amount',
  'currency',
  'supplier.bank_account.iban',
  'supplier.tax_id',
];

/** Reads a PDF: the XML inside it before its text, its text before its pictures (documents reference, sections 1 and 4). */
export async function readPdf(bytes: Uint8Array, context: PdfContext): Promise<ReadingOutcome> {
  if (hasOversizedAttachment(bytes)) return refuse('TOO_LARGE', pdfMessages.TOO_LARGE);
  return withPdf(bytes, (pdf) => readOpenPdf(pdf, bytes, context));
}

async function readOpenPdf(pdf: PDFDocumentProxy, bytes: Uint8Array, context: PdfContext): Promise<ReadingOutcome> {
  const pages = await readPages(pdf);
  if (pages === 'TOO_LARGE') return refuse('TOO_LARGE', pdfMessages.TOO_MUCH_TEXT);
  const { producer, profile, signs } = await readProperties(pdf);
  const history = readRevisions(bytes);
  const facts: FileFacts = {
    pages: pdf.numPages,
    producer,
    signature: history.signature,
    tamperSigns: [...history.signs, ...signs, ...findDrawingSigns(pages)],
    hiddenTexts: findHiddenTexts(pages),
    profile,
  };
  const [attachment, ...others] = await readInvoiceAttachments(pdf);
  if (attachment !== undefined) return readHybrid(attachment, others, pages, facts, context);
  const scans = pages.filter(({ isScan }) => isScan).slice(0, OCR_PAGES_MAX);
  const { isInvoice, ...text } =
    scans.length > 0 ? await readScans(bytes, scans, pages, context) : readPageText(pages, context);
  if (!isInvoice) return refuse('NO_INVOICE', pdfMessages.NO_INVOICE);
  const { profile: _, ...ofFile } = facts;
  return requireFields({
    method: scans.length > 0 ? 'OCR' : 'TEXT',
    format: 'PDF',
    profile: null,
    embeddedFile: null,
    ...text,
    ...ofFile,
    lines: [],
    declaredProfiles: [],
    conflicts: [],
  });
}

function readPageText(pages: readonly PdfPage[], context: PdfContext): ReturnType<typeof readText> {
  return readText(
    pages.map(({ text }) => text),
    { ...context, sourceFactor: TEXT_LAYER_FACTOR },
  );
}

/** Pages that are pictures are read by OCR, beside the text of the others. */
async function readScans(
  bytes: Uint8Array,
  scans: readonly PdfPage[],
  pages: readonly PdfPage[],
  context: PdfContext,
): Promise<ReturnType<typeof readText>> {
  const pictures = await rasterPages(
    bytes,
    scans.map(({ text }) => text.number),
  );
  const others = pages.filter((page) => !scans.includes(page)).map(({ text }) => text);
  return readPictures(pictures, context, others);
}

/** The values of the XML, compared with the visible page and with other XML invoices of the file. */
function readHybrid(
  { name, content }: Attachment,
  others: readonly Attachment[],
  pages: readonly PdfPage[],
  { profile: ofMetadata, ...facts }: FileFacts,
  context: PdfContext,
): ReadingOutcome {
  if (content.length > ATTACHMENT_BYTES_MAX) return refuse('TOO_LARGE', pdfMessages.TOO_LARGE);
  const outcome = readXml(content, { embeddedInPdf: true });
  const read = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  if (read === null) return outcome;
  const seconds = others.flatMap((other) => readAttachment(other) ?? []);
  const conflicts: FieldConflict[] = compareWithPage(
    read.fields,
    pages.map(({ text }) => text),
    readPageText(pages, context),
  );
  for (const second of seconds) conflicts.push(...compareAttachments(read, second));
  const fields = read.fields;
  return requireFields({
    ...read,
    ...facts,
    fields,
    embeddedFile: name,
    declaredProfiles: declaredProfiles(read.declaredProfiles, [
      ...(ofMetadata === null ? [] : [ofMetadata]),
      name,
      ...seconds.flatMap((second) => second.declaredProfiles),
    ]),
    conflicts: conflicts.filter(({ field }, index) => conflicts.findIndex((one) => one.field === field) === index),
  });
}

function readAttachment({ content }: Attachment): DocumentReading | null {
  const outcome = readXml(content, { embeddedInPdf: true });
  return 'reading' in outcome ? outcome.reading : outcome.failure.reading;
}

function compareAttachments(read: DocumentReading, second: DocumentReading): FieldConflict[] {
  return COMPARED_BETWEEN_ATTACHMENTS.flatMap((field): FieldConflict[] => {
    const [machineValue, visibleValue] = [read.fields[field]?.value, second.fields[field]?.value];
    if (machineValue === undefined || visibleValue === undefined || machineValue === visibleValue) return [];
    return [{ field, source: 'XML', machineValue, visibleValue }];
  });
}
