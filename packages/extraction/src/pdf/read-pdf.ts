import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { findKsefCode } from '../ksef-code.js';
import type {
  DocumentReading,
  FieldConflict,
  FieldPath,
  KsefCode,
  OwnCompany,
  ReadingOutcome,
  TamperSign,
} from '../reading.js';
import { refuse } from '../refuse.js';
import { requireFields } from '../require-fields.js';
import { OCR_PAGES_MAX, readPictures } from '../ocr/read-pictures.js';
import { withIndex } from '../text/layout.js';
import type { TextPage } from '../text/layout.js';
import { readText } from '../text/read-text.js';
import type { TextReading } from '../text/read-text.js';
import { readXml } from '../xml/read-xml.js';
import { ATTACHMENT_BYTES_MAX, hasOversizedAttachment, readInvoiceAttachments } from './attachments.js';
import type { Attachment } from './attachments.js';
import { compareRevisions } from './compare-revisions.js';
import { compareWithPage } from './compare-with-page.js';
import type { VisiblePage } from './compare-with-page.js';
import { declaredProfiles, readProperties } from './document-properties.js';
import { findHiddenTexts } from './hidden-texts.js';
import { pdfMessages, withPdf } from './open-pdf.js';
import { compareCodes, readCodes } from './payment-codes.js';
import { rasterPages } from './raster.js';
import { readPages } from './read-pages.js';
import type { PdfPage } from './read-pages.js';
import { findDrawingSigns } from './tamper-signs.js';

export interface PdfContext {
  readonly companies: readonly OwnCompany[];
  /** Current day as `YYYY-MM-DD`. */
  readonly today: string;
}

/** Facts about the file that do not depend on its text. */
type FileFacts = Pick<DocumentReading, 'pages' | 'producer' | 'signature' | 'tamperSigns' | 'hiddenTexts'> & {
  readonly profile: string | null;
};

/** Factor for the confidence of a text layer. */
const TEXT_LAYER_FACTOR = 0.98;
/** Minimum confidence of values from OCR. Other values may be misread and are not compared. */
const VISIBLE_CONFIDENCE_OF_OCR_MIN = 0.85;
/** Fields that decide whether two attached invoices are the same invoice. */
const COMPARED_BETWEEN_ATTACHMENTS: readonly FieldPath[] = [
  'invoice_number',
  'issue_date',
  'gross_amount',
  'currency',
  'supplier.bank_account.iban',
  'supplier.tax_id',
];

/**
 * Reads a PDF. Embedded XML takes precedence over the text, and text over images (documents reference, sections 1 and
 * 4).
 */
export async function readPdf(bytes: Uint8Array, context: PdfContext): Promise<ReadingOutcome> {
  if (hasOversizedAttachment(bytes)) return refuse('TOO_LARGE', pdfMessages.TOO_LARGE);
  return withPdf(bytes, (pdf) => readOpenPdf(pdf, bytes, context));
}

async function readOpenPdf(pdf: PDFDocumentProxy, bytes: Uint8Array, context: PdfContext): Promise<ReadingOutcome> {
  const pages = await readPages(pdf);
  if (pages === 'TOO_LARGE') return refuse('TOO_LARGE', pdfMessages.TOO_MUCH_TEXT);
  const { producer, profile, signs } = await readProperties(pdf);
  const invoices = await readInvoiceAttachments(pdf);
  const history = await compareRevisions(bytes, pdf, { pages, invoices });
  const facts: FileFacts = {
    pages: pdf.numPages,
    producer,
    signature: history.signature,
    tamperSigns: [...history.signs, ...signs, ...findDrawingSigns(pages)],
    hiddenTexts: findHiddenTexts(pages),
    profile,
  };
  const [attachment, ...others] = invoices;
  // In a document with XML, a page that is an image is an annex if other pages have text.
  const isAnnex = attachment !== undefined && pages.some(({ isScan }) => !isScan);
  const visible = await readVisible(bytes, pages, isAnnex ? [] : pages.filter(({ isScan }) => isScan), context);
  const codes = await readCodes(bytes, pages);
  const codeConflicts = compareCodes(codes, visible);
  const ksefCode = findKsefCode([...codes, ...visible.pictureCodes]);
  if (attachment !== undefined) return readHybrid(attachment, others, { ...visible, codeConflicts, ksefCode }, facts);
  const { isInvoice, ...text } = visible.reading;
  if (!isInvoice) return refuse('NO_INVOICE', pdfMessages.NO_INVOICE);
  const { profile: _, ...ofFile } = facts;
  return requireFields({
    method: visible.isOcr ? 'OCR' : 'TEXT',
    format: 'PDF',
    profile: null,
    embeddedFile: null,
    ...text,
    ...ofFile,
    tamperSigns: [...facts.tamperSigns, ...signsOfLayer(visible, context)],
    lines: [],
    declaredProfiles: [],
    conflicts: ofFirst(codeConflicts),
    ...(ksefCode === undefined ? {} : { ksefCode }),
  });
}

interface Visible extends VisiblePage {
  /** Pages that are images and were read by OCR. */
  readonly scans: readonly PdfPage[];
  /** Texts of the QR codes on these pages. */
  readonly pictureCodes: readonly string[];
  readonly isOcr: boolean;
}

/** Reads the visible page. Pages that are images are read by OCR, in addition to the text of the other pages. */
async function readVisible(
  bytes: Uint8Array,
  pages: readonly PdfPage[],
  pictures: readonly PdfPage[],
  context: PdfContext,
): Promise<Visible> {
  const scans = pictures.slice(0, OCR_PAGES_MAX);
  const texts = pages.filter((page) => !scans.includes(page)).map(({ text }) => text);
  if (scans.length === 0)
    return {
      reading: readPageText(texts, context),
      pages: texts,
      confidenceMin: 0,
      scans,
      pictureCodes: [],
      isOcr: false,
    };
  const numbers = scans.map(({ text }) => text.number);
  const {
    ocrPages,
    codes: pictureCodes,
    ...reading
  } = await readPictures(await rasterPages(bytes, numbers), context, texts);
  const confidenceMin = VISIBLE_CONFIDENCE_OF_OCR_MIN;
  return { reading, pages: [...texts, ...ocrPages].map(withIndex), confidenceMin, scans, pictureCodes, isOcr: true };
}

/** Reports key fields in which the invisible text of a page differs from its image. */
function signsOfLayer(visible: Visible, context: PdfContext): TamperSign[] {
  const { scans } = visible;
  const layers = scans.flatMap(({ textLayer }) => textLayer ?? []);
  if (layers.length === 0) return [];
  const { fields } = readPageText(layers.map(withIndex), context);
  const differing = compareWithPage(fields, visible, 'XML');
  const objects = scans.filter(({ textLayer }) => textLayer !== null).map(({ object }) => object);
  return differing.length === 0 ? [] : [{ kind: 'TEXT_DIFFERS_FROM_PICTURE', objects }];
}

function readPageText(pages: readonly TextPage[], context: PdfContext): TextReading {
  return readText(pages, { ...context, sourceFactor: TEXT_LAYER_FACTOR });
}

/** Returns the values of the XML, compared with the visible page and with other XML invoices in the file. */
function readHybrid(
  { name, content }: Attachment,
  others: readonly Attachment[],
  visible: Visible & { readonly codeConflicts: readonly FieldConflict[]; readonly ksefCode: KsefCode | undefined },
  { profile: ofMetadata, ...facts }: FileFacts,
): ReadingOutcome {
  if (content.length > ATTACHMENT_BYTES_MAX) return refuse('TOO_LARGE', pdfMessages.TOO_LARGE);
  const outcome = readXml(content, { embeddedInPdf: true });
  const read = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  if (read === null) return outcome;
  const seconds = others.flatMap((other) => readAttachment(other) ?? []);
  const conflicts: FieldConflict[] = [...compareWithPage(read.fields, visible, 'XML'), ...visible.codeConflicts];
  for (const second of seconds) conflicts.push(...compareAttachments(read, second));
  const fields = read.fields;
  const { ksefCode, reading } = visible;
  const { ksefNumber } = reading;
  return requireFields({
    ...read,
    ...facts,
    ...(ksefNumber === undefined ? {} : { ksefNumber }),
    ...(ksefCode === undefined ? {} : { ksefCode }),
    fields,
    embeddedFile: name,
    declaredProfiles: declaredProfiles(read.declaredProfiles, [
      ...(ofMetadata === null ? [] : [ofMetadata]),
      name,
      ...seconds.flatMap((second) => second.declaredProfiles),
    ]),
    conflicts: ofFirst(conflicts),
  });
}

/** Returns the first conflict of each field. */
function ofFirst(conflicts: readonly FieldConflict[]): FieldConflict[] {
  return conflicts.filter(({ field }, index) => conflicts.findIndex((one) => one.field === field) === index);
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
