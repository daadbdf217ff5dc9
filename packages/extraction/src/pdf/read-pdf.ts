import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { findKsefCode } from '../ksef-code.js';
import { ACCOUNT_FIELDS } from '../reading.js';
import type {
  DocumentReading,
  FailureReason,
  FieldConflict,
  FieldPath,
  KsefCode,
  OwnCompany,
  ReadingOutcome,
  TamperSign,
} from '../reading.js';
import { refuse } from '../refuse.js';
import { requireFields } from '../require-fields.js';
import { compareCodes, withAccountOfCode } from '../payment-codes/payment-codes.js';
import { OCR_PAGES_MAX, readPictures } from '../ocr/read-pictures.js';
import { withIndex } from '../text/layout.js';
import type { TextPage } from '../text/layout.js';
import { areOneParty } from '../text/payee.js';
import { readText } from '../text/read-text.js';
import type { TextReading } from '../text/read-text.js';
import { refuseSeveralInvoices } from '../text/several-invoices.js';
import { readXml } from '../xml/read-xml.js';
import { ATTACHMENT_BYTES_MAX, hasOversizedAttachment, readInvoiceAttachments } from './attachments.js';
import type { Attachment } from './attachments.js';
import { compareRevisions } from './compare-revisions.js';
import { compareWithPage, VISIBLE_CONFIDENCE_OF_OCR_MIN } from '../page-comparison/compare-with-page.js';
import type { VisiblePage } from '../page-comparison/compare-with-page.js';
import { declaredProfiles, readProperties } from './document-properties.js';
import { findHiddenTexts } from './hidden-texts.js';
import { pdfMessages, withPdf } from './open-pdf.js';
import { readCodes } from './drawn-codes.js';
import { rasterPages } from './raster.js';
import { PAGES_STATED_MAX, readPages } from './read-pages.js';
import type { PdfPage } from './read-pages.js';
import { findDrawingSigns } from './tamper-signs.js';

export interface PdfContext {
  readonly companies: readonly OwnCompany[];
  /** Current day as `YYYY-MM-DD`, with which dates in the PDF are compared. */
  readonly today: string;
}

/** Facts about the PDF file that do not depend on its text. */
type FileFacts = Pick<DocumentReading, 'pages' | 'producer' | 'signature' | 'tamperSigns' | 'hiddenTexts'> & {
  readonly profile: string | null;
};

/** Factor for the confidence of fields that were read from the text layer of a PDF. */
const TEXT_LAYER_FACTOR = 0.98;
/** Fields that decide whether two attached invoices are the same invoice. */
const COMPARED_BETWEEN_ATTACHMENTS: readonly FieldPath[] = [
  'invoice_number',
  'issue_date',
  'gross_amount',
  'currency',
  'supplier.bank_account.iban',
  'supplier.tax_id',
];

/** Reasons why attached XML cannot be read although the document page may show an invoice. */
const UNREAD: readonly FailureReason[] = ['MALFORMED_XML', 'NO_INVOICE', 'UNSUPPORTED_FORMAT'];
/** Fields that are read from the visible page if the embedded XML does not state them. */
const READ_FROM_PAGE: readonly FieldPath[] = [
  ...ACCOUNT_FIELDS,
  'supplier.tax_id',
  'purchase_order_ref',
  'buyer.name',
  'buyer.tax_id',
];

/**
 * Reads a PDF. Embedded XML takes precedence over the text, and text over images (documents reference, sections 1 and
 * 4).
 */
export async function readPdf(bytes: Uint8Array, context: PdfContext): Promise<ReadingOutcome> {
  return (await readPdfWithXml(bytes, context)).outcome;
}

/** Reads a PDF and returns the attached XML invoice too, so that nobody opens the file again to validate it. */
export async function readPdfWithXml(bytes: Uint8Array, context: PdfContext): Promise<ReadPdf> {
  if (hasOversizedAttachment(bytes)) return { outcome: refuse('TOO_LARGE', pdfMessages.TOO_LARGE), xml: null };
  const read = await withPdf(bytes, async (pdf) => {
    if (pdf.numPages > PAGES_STATED_MAX) {
      return { outcome: refuse('TOO_LARGE', pdfMessages.TOO_MANY_PAGES), xml: null };
    }
    const invoices = await readInvoiceAttachments(pdf);
    const outcome = await readOpenPdf(pdf, bytes, invoices, context);
    return { outcome, xml: xmlOf(outcome, invoices) };
  });
  return 'failure' in read ? { outcome: read, xml: null } : read;
}

export interface ReadPdf {
  readonly outcome: ReadingOutcome;
  /** Content of the attachment from which the invoice was read. Null if there is none. */
  readonly xml: Uint8Array | null;
}

function xmlOf(outcome: ReadingOutcome, invoices: readonly Attachment[]): Uint8Array | null {
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  if (reading === null || reading.embeddedFile === null) return null;
  const { content } = invoices.find(({ name }) => name === reading.embeddedFile) ?? invoices[0] ?? {};
  return content === undefined || content.length > ATTACHMENT_BYTES_MAX ? null : content;
}

async function readOpenPdf(
  pdf: PDFDocumentProxy,
  bytes: Uint8Array,
  invoices: readonly Attachment[],
  context: PdfContext,
): Promise<ReadingOutcome> {
  const pages = await readPages(pdf);
  if (pages === 'TOO_LARGE') return refuse('TOO_LARGE', pdfMessages.TOO_MUCH_TEXT);
  const { producer, profile, signs } = await readProperties(pdf);
  const history = await compareRevisions(bytes, pdf, { pages, invoices });
  const facts: FileFacts = {
    pages: pdf.numPages,
    producer,
    signature: history.signature,
    tamperSigns: [...history.signs, ...signs, ...findDrawingSigns(pages)],
    hiddenTexts: findHiddenTexts(pages),
    profile,
  };
  const attachments = invoices.map(readAttachment);
  const attachment = attachments.find(({ outcome }) => !isUnread(outcome)) ?? attachments[0];
  // In a document with XML, a page that is an image is an annex if other pages have text.
  const isAnnex = attachment !== undefined && pages.some(({ isScan }) => !isScan);
  const shown = await readVisible(bytes, pages, isAnnex ? [] : pages.filter(({ isScan }) => isScan), context);
  const codes = [...(await readCodes(bytes, pages)), ...shown.pictureCodes];
  const codeConflicts = compareCodes(codes, shown);
  const visible: Visible = { ...shown, reading: withAccountOfCode(shown.reading, codes, pdf.numPages) };
  const ksefCode = findKsefCode(codes);
  const { isInvoice, ...text } = visible.reading;
  if (attachment !== undefined && !(isInvoice && isUnread(attachment.outcome))) {
    const read = readingIn(attachment);
    if (read === null) return attachment.outcome;
    const others = attachments.filter((other) => other !== attachment).flatMap((other) => readingIn(other) ?? []);
    return readHybrid({ name: attachment.name, read }, others, { ...visible, codeConflicts, ksefCode }, facts);
  }
  if (!isInvoice) return refuse('NO_INVOICE', pdfMessages.NO_INVOICE);
  const several = refuseSeveralInvoices(visible.pages, {
    ...context,
    sourceFactor: visible.isOcr ? 1 : TEXT_LAYER_FACTOR,
    isOcr: visible.isOcr,
  });
  if (several !== undefined) return several;
  const { profile: _, ...ofFile } = facts;
  return requireFields({
    method: visible.isOcr ? 'OCR' : 'TEXT',
    format: 'PDF',
    profile: null,
    // If the XML attachment of a PDF cannot be read, the values come from the text (method TEXT) and the result still
    // names the attachment.
    embeddedFile: attachment?.name ?? null,
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
  /** Document pages that are images and were read by OCR. */
  readonly scans: readonly PdfPage[];
  /** Texts of the QR codes on the pages of the PDF. */
  readonly pictureCodes: readonly string[];
  readonly isOcr: boolean;
}

/**
 * Reads the visible pages of the document. Pages that are images are read by OCR, in addition to the text of the other
 * document pages.
 */
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

/** Reports key fields in which the invisible text of a document page differs from its image. */
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
  { name, read }: { readonly name: string; readonly read: DocumentReading },
  others: readonly DocumentReading[],
  visible: Visible & { readonly codeConflicts: readonly FieldConflict[]; readonly ksefCode: KsefCode | undefined },
  { profile: ofMetadata, ...facts }: FileFacts,
): ReadingOutcome {
  const conflicts: FieldConflict[] = [...compareWithPage(read.fields, visible, 'XML'), ...visible.codeConflicts];
  for (const other of others) conflicts.push(...compareAttachments(read, other));
  const fields = { ...absentFields(read, visible), ...read.fields };
  const { ksefCode, reading } = visible;
  const { ksefNumber } = reading;
  const supplier = read.fields['supplier.name']?.value ?? '';
  const payees = [read.payeeName, reading.payeeName].filter((name) => name !== undefined);
  const payeeName = payees.find((name) => !areOneParty(name, supplier));
  return requireFields({
    ...read,
    ...facts,
    ...(ksefNumber === undefined ? {} : { ksefNumber }),
    ...(ksefCode === undefined ? {} : { ksefCode }),
    ...(payeeName === undefined ? {} : { payeeName }),
    fields,
    embeddedFile: name,
    declaredProfiles: declaredProfiles(read.declaredProfiles, [
      ...(ofMetadata === null ? [] : [ofMetadata]),
      name,
      ...others.flatMap((other) => other.declaredProfiles),
    ]),
    conflicts: ofFirst(conflicts),
  });
}

/**
 * Returns the invoice fields that only the visible page states and the XML does not. A profile such as MINIMUM has no
 * account. Without this function, an account on the document page would be paid without being compared with the
 * accounts of the supplier.
 */
function absentFields({ fields, invalidIban }: DocumentReading, { reading }: Visible): DocumentReading['fields'] {
  const hasAccount = invalidIban !== null || ACCOUNT_FIELDS.some((field) => fields[field] !== undefined);
  const absent = READ_FROM_PAGE.filter(
    (field) => fields[field] === undefined && !(hasAccount && ACCOUNT_FIELDS.includes(field)),
  );
  return Object.fromEntries(
    absent.flatMap((field) => {
      const visible = reading.fields[field];
      return visible === undefined ? [] : [[field, visible]];
    }),
  );
}

/** Returns the first conflict between XML and visible page for each invoice field. */
function ofFirst(conflicts: readonly FieldConflict[]): FieldConflict[] {
  return conflicts.filter(({ field }, index) => conflicts.findIndex((one) => one.field === field) === index);
}

interface ReadAttachment {
  readonly name: string;
  readonly outcome: ReadingOutcome;
}

function readAttachment({ name, content }: Attachment): ReadAttachment {
  const isTooLarge = content.length > ATTACHMENT_BYTES_MAX;
  return {
    name,
    outcome: isTooLarge ? refuse('TOO_LARGE', pdfMessages.TOO_LARGE) : readXml(content, { embeddedInPdf: true }),
  };
}

function readingIn({ outcome }: ReadAttachment): DocumentReading | null {
  return 'reading' in outcome ? outcome.reading : outcome.failure.reading;
}

/**
 * Checks whether the attached XML is damaged or in a format that is not read. In this case the invoice is read only
 * from the document page.
 */
function isUnread(outcome: ReadingOutcome): boolean {
  return 'failure' in outcome && outcome.failure.reading === null && UNREAD.includes(outcome.failure.reason);
}

function compareAttachments(read: DocumentReading, second: DocumentReading): FieldConflict[] {
  return COMPARED_BETWEEN_ATTACHMENTS.flatMap((field): FieldConflict[] => {
    const [machineValue, visibleValue] = [read.fields[field]?.value, second.fields[field]?.value];
    if (machineValue === undefined || visibleValue === undefined || machineValue === visibleValue) return [];
    return [{ field, source: 'XML', machineValue, visibleValue }];
  });
}
