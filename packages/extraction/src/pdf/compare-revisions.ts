import { createHash } from 'node:crypto';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { SignatureReading, TamperSign } from '../reading.js';
import { readInvoiceAttachments } from './attachments.js';
import type { Attachment } from './attachments.js';
import { withPdf } from './open-pdf.js';
import { comparePages, compareUndrawn, saysPayment, textOf } from './page-difference.js';
import type { PageDifference } from './page-difference.js';
import { withPdfium } from './pdfium.js';
import type { DrawnPage, HeldSignature, PdfiumDocument } from './pdfium.js';
import { readPages } from './read-pages.js';
import type { PdfPage } from './read-pages.js';
import { findFreedObjects, findRevisions, isBlank, objectAt } from './revisions.js';
import type { ByteRange } from './revisions.js';

/** Facts about the history of a PDF file: changes after it was signed, and content that a later revision replaces. */
export interface HistoryFacts {
  readonly signature: SignatureReading | null;
  readonly signs: readonly TamperSign[];
}

/** Maximum number of earlier revisions of a PDF that are compared with the current content. */
export const REVISIONS_COMPARED_MAX = 12;
/**
 * Maximum number of document pages that are drawn to compare all revisions of a file. It is enough for the 50 pages
 * that are read of the current file, and for as many pages of two earlier revisions: the first signed and the first
 * unsigned one.
 */
export const DRAWINGS_MAX = 150;

/** Values that programs read from a revision of a PDF. */
interface View {
  readonly pageCount: number;
  readonly pages: readonly PdfPage[];
  /** Values of the form fields of a PDF by name. Signature fields are not included. */
  readonly fields: ReadonlyMap<string, string>;
  /** Names of the signature fields of a PDF, whether signed or not. */
  readonly signatureFields: readonly string[];
  /** XML invoices that are attached to the PDF, with their names and contents. */
  readonly invoices: readonly string[];
}

/** Current content of the PDF file. A document page is drawn when it is first compared. */
interface Current extends View {
  readonly signatures: readonly HeldSignature[];
  readonly signedFields: readonly string[];
  isDrawn(number: number): boolean;
  draw(number: number): DrawnPage | undefined;
}

interface Comparison {
  readonly difference: PageDifference;
  /** Object numbers of the PDF pages that differ most visibly between two revisions. */
  readonly objects: readonly string[];
  /** True if the revision of the PDF removed a signature field. */
  readonly isSignatureLost?: boolean;
}

/** A signature in an earlier revision of the PDF. */
interface Signature {
  readonly byteRange: ByteRange;
  readonly isTimestamp: boolean;
  /** True if the signature covers the whole PDF file except its own value. */
  readonly isWhole: boolean;
  readonly isRemoved: boolean;
}

interface Budget {
  revisions: number;
  drawings: number;
}

interface Comparing {
  readonly budget: Budget;
  readonly tolerated: PageDifference;
  /** True if the document pages are drawn for the comparison. If it is false, only words and forms are compared. */
  readonly isDrawn: boolean;
}

/**
 * Bytes that the hexadecimal value of a PDF signature consists of: digits, blanks between them, and the brackets around
 * them.
 */
const HEXADECIMAL: ReadonlySet<number> = new Set(Buffer.from('<0123456789abcdefABCDEF \r\n\t\0>'));
/** Maximum number of bytes of the last line end in a revision that a PDF signature may leave out. */
const LINE_END_BYTES = 2;
const NOTHING: HistoryFacts = { signature: null, signs: [] };
const NOT_COMPARED: HistoryFacts = { signature: null, signs: [{ kind: 'REVISIONS_NOT_COMPARED', objects: [] }] };
/** Kinds of differences between two revisions of a document page, the smallest difference first. */
const DIFFERENCES: readonly PageDifference[] = ['NONE', 'EXTENDED', 'PAYMENT', 'CHANGED'];

/**
 * Compares the earlier revisions of a file with its current content: the drawn pages, their text, the values of the
 * form and the attached invoices (detection reference, 7.6). Only content that a reader sees or a program reads is
 * compared, not the method by which it was changed.
 */
export async function compareRevisions(
  bytes: Uint8Array,
  pdf: PDFDocumentProxy,
  read: { readonly pages: readonly PdfPage[]; readonly invoices: readonly Attachment[] },
): Promise<HistoryFacts> {
  const { ends, byteRanges, isComplete } = findRevisions(bytes);
  if (ends.length === 1 && byteRanges.length === 0) return isComplete ? NOTHING : NOT_COMPARED;
  const view = await viewOf(pdf, read);
  try {
    return await withPdfium(async (open) => {
      const facts = await open(bytes, (document) => {
        const drawn = new Map<number, DrawnPage | undefined>();
        const current: Current = {
          ...view,
          signatures: document.signatures(),
          signedFields: document.signedFields(),
          isDrawn: (number) => drawn.has(number),
          draw: (number) => {
            if (!drawn.has(number)) drawn.set(number, document.draw(number - 1));
            return drawn.get(number);
          },
        };
        return compareAll({ bytes, ends, byteRanges, isComplete, open, current });
      });
      return facts ?? NOT_COMPARED;
    });
  } catch (error) {
    // Names of errors that mean that PDFium crashed or ran out of memory.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) return NOT_COMPARED;
    throw error;
  }
}

interface History {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  readonly byteRanges: readonly ByteRange[];
  readonly isComplete: boolean;
  readonly open: Open;
  readonly current: Current;
}
type Open = Parameters<Parameters<typeof withPdfium>[0]>[0];

/**
 * Compares all revisions of a PDF with its current content, signed revisions first. The current content must be equal
 * to that of every signed revision. It must contain everything that each unsigned revision contains, and may add
 * anything except an amount or account.
 */
async function compareAll(history: History): Promise<HistoryFacts> {
  const { bytes, ends } = history;
  const budget: Budget = { revisions: REVISIONS_COMPARED_MAX, drawings: DRAWINGS_MAX };
  const signatures: Signature[] = [];
  let { isComplete } = history;
  let isContentChanged = false;
  // If a document page is unchanged since the first signature, later signed revisions need no drawings. Comparing their
  // words and forms is enough.
  let isAsSigned = false;
  for (const end of signedEnds(history)) {
    const found = await signaturesUpTo(history, end);
    isContentChanged ||= found.some(({ isWhole }) => !isWhole);
    const isCompared = found.length > 0 && !isBlank(bytes, end);
    const compared = isCompared
      ? await compareWith(history, end, { budget, tolerated: 'NONE', isDrawn: !isAsSigned })
      : undefined;
    if (typeof compared === 'string') isComplete = false;
    else if (compared?.difference === 'NONE') isAsSigned = true;
    else isContentChanged ||= compared !== undefined;
    const isLost = typeof compared === 'object' && compared.isSignatureLost === true;
    signatures.push(...found.map((one) => ({ ...one, isRemoved: one.isRemoved || isLost })));
  }
  const signs: TamperSign[] = [];
  for (const end of unsignedEnds(ends, signatures)) {
    const compared = await compareWith(history, end, { budget, tolerated: 'EXTENDED', isDrawn: true });
    if (compared === 'INCOMPLETE') isComplete = false;
    // A revision of a PDF that cannot be opened is skipped, because nobody can have seen it.
    if (typeof compared === 'string' || !isBeyond(compared.difference, 'EXTENDED')) continue;
    signs.push({ kind: 'CONTENT_REPLACED', objects: compared.objects });
    break;
  }
  if (!isComplete) signs.push({ kind: 'REVISIONS_NOT_COMPARED', objects: [] });
  return { signature: readingOf(history, signatures, isContentChanged), signs };
}

/**
 * Returns the ends of the signed revisions of a PDF. The oldest comes first, because later content must not differ from
 * it and no one can insert another revision before it. Signed ranges that end within a revision come last, because no
 * real signature has such a range.
 */
function signedEnds({ bytes, ends, byteRanges }: History): Set<number> {
  const places = byteRanges.map(endOf).sort((one, other) => one - other);
  const isEnd = (place: number): boolean => isEndOfRevision({ bytes, ends }, place);
  return new Set([...places.filter(isEnd), ...places.filter((place) => !isEnd(place))]);
}

/**
 * Returns the ends of the PDF revisions before the first signature, without the last revision of the file: the oldest
 * revision first, and then the others, newest first.
 */
function unsignedEnds(ends: readonly number[], signatures: readonly Signature[]): number[] {
  const firstSigned = Math.min(...signatures.map(({ byteRange }) => endOf(byteRange)));
  const [first, ...others] = ends.slice(0, -1).filter((end) => end + LINE_END_BYTES < firstSigned);
  return first === undefined ? [] : [first, ...others.toReversed()];
}

/**
 * Returns the signatures that cover the PDF up to `end`, each with the information whether the file still has it. Byte
 * ranges inside attached files are not signatures.
 */
async function signaturesUpTo({ bytes, byteRanges, open, current }: History, end: number): Promise<Signature[]> {
  const ranges = byteRanges.filter((range) => endOf(range) === end);
  const ofRevision = isBlank(bytes, end)
    ? undefined
    : await open(bytes.subarray(0, end), async (document) => ({
        signatures: document.signatures(),
        signedFields: document.signedFields(),
      }));
  // If the earlier revision of the PDF can no longer be opened, the signatures of the current file are examined
  // instead.
  const earlier = ofRevision ?? current;
  const freed = findFreedObjects(bytes, end);
  const isFreed = ([start, length]: ByteRange): boolean => freed.has(objectAt(bytes, start + length) ?? NaN);
  return ranges.flatMap((byteRange): Signature[] => {
    const isOne = (one: HeldSignature): boolean => one.byteRange.join() === byteRange.join();
    const held = earlier.signatures.find(isOne);
    const isWhole = isWholeRange(bytes, byteRange);
    if (held === undefined && !(earlier.signedFields.length > 0 && isWhole)) return [];
    const isKept = held === undefined || current.signatures.some((one) => isOne(one) && one.contents === held.contents);
    const isRemoved =
      !isKept || isFreed(byteRange) || earlier.signedFields.some((field) => !current.signedFields.includes(field));
    return [{ byteRange, isTimestamp: held?.isTimestamp ?? false, isWhole, isRemoved }];
  });
}

/** Counts the signatures that were added in revisions after the one that ends at `end`. */
function signaturesBehind({ bytes, ends, byteRanges }: History, end: number): number {
  return byteRanges.filter(
    (range) =>
      endOf(range) > end + LINE_END_BYTES &&
      isEndOfRevision({ bytes, ends }, endOf(range)) &&
      isWholeRange(bytes, range),
  ).length;
}

function isEndOfRevision({ bytes, ends }: Pick<History, 'bytes' | 'ends'>, place: number): boolean {
  return isBlank(bytes, place) || ends.some((end) => place <= end && end <= place + LINE_END_BYTES);
}

/** Checks whether a signed byte range covers the whole PDF up to its end, except the value of the signature. */
function isWholeRange(bytes: Uint8Array, byteRange: ByteRange): boolean {
  return byteRange[0] === 0 && isHexadecimal(bytes, byteRange);
}

function endOf([, , second, rest]: ByteRange): number {
  return second + rest;
}

/**
 * Checks whether the gap between the two signed parts of a PDF contains only the value of the signature in hexadecimal
 * digits.
 */
function isHexadecimal(bytes: Uint8Array, [start, length, second]: ByteRange): boolean {
  for (let at = start + length; at < second; at += 1) {
    if (!HEXADECIMAL.has(bytes[at] ?? 0)) return false;
  }
  return true;
}

function readingOf(
  { bytes, ends }: History,
  signatures: readonly Signature[],
  isContentChanged: boolean,
): SignatureReading | null {
  const ofPeople = signatures.filter(({ isTimestamp }) => !isTimestamp);
  const [last] = (ofPeople.length > 0 ? ofPeople : signatures).toSorted(
    (one, other) => endOf(other.byteRange) - endOf(one.byteRange),
  );
  if (last === undefined) return null;
  const [, length, , rest] = last.byteRange;
  return {
    revisions: ends.length,
    coveragePercent: Math.round((100 * (length + rest)) / Math.max(1, bytes.length)),
    changed: signatures.some(({ isRemoved }) => isRemoved)
      ? 'SIGNATURE_REMOVED'
      : isContentChanged
        ? 'CONTENT'
        : isBlank(bytes, endOf(last.byteRange))
          ? 'NOTHING'
          : 'FORM_OR_VALIDATION',
  };
}

/**
 * Compares the PDF up to `end` with the complete file. UNREADABLE: the earlier file cannot be opened. INCOMPLETE: the
 * file has more revisions or pages than are compared.
 */
async function compareWith(
  history: History,
  end: number,
  comparing: Comparing,
): Promise<Comparison | 'UNREADABLE' | 'INCOMPLETE'> {
  const { budget, tolerated } = comparing;
  if (budget.revisions === 0) return 'INCOMPLETE';
  budget.revisions -= 1;
  const { bytes, open, current } = history;
  const earlierBytes = bytes.subarray(0, end);
  const earlier = await withPdf(earlierBytes, async (pdf) => {
    const pages = await readPages(pdf);
    return pages === 'TOO_LARGE' ? pages : viewOf(pdf, { pages, invoices: await readInvoiceAttachments(pdf) });
  });
  if (earlier === 'TOO_LARGE') return 'INCOMPLETE';
  if ('failure' in earlier) return 'UNREADABLE';
  if (tolerated === 'NONE' && earlier.signatureFields.some((field) => !current.signatureFields.includes(field))) {
    return { difference: 'CHANGED', objects: [], isSignatureLost: true };
  }
  const difference = compareForms(earlier, current);
  if (isBeyond(difference, tolerated)) return { difference, objects: [] };
  const compared = await open(earlierBytes, (document) =>
    comparePagesOf({ earlier, document, current, laterSignatures: signaturesBehind(history, end) }, comparing),
  );
  return compared ?? 'UNREADABLE';
}

/** Compares the pages of two PDF revisions and stops at the first page with a difference that is not tolerated. */
async function comparePagesOf(
  {
    earlier,
    document,
    current,
    laterSignatures,
  }: {
    readonly earlier: View;
    readonly document: PdfiumDocument;
    readonly current: Current;
    readonly laterSignatures: number;
  },
  { budget, tolerated, isDrawn }: Comparing,
): Promise<Comparison | 'INCOMPLETE'> {
  let isComplete = earlier.pages.length === earlier.pageCount && current.pages.length === current.pageCount;
  let worst: PageDifference = 'NONE';
  for (const page of current.pages) {
    const { number } = page.text;
    const before = earlier.pages.find(({ text }) => text.number === number);
    if (before === undefined) continue;
    const drawings = current.isDrawn(number) ? 1 : 2;
    const mayDraw = isDrawn && budget.drawings >= drawings;
    if (mayDraw) budget.drawings -= drawings;
    const drawnBefore = mayDraw ? document.draw(number - 1) : undefined;
    if (isDrawn && drawnBefore === undefined) isComplete = false;
    const difference =
      drawnBefore === undefined
        ? compareUndrawn(before.text, page.text)
        : comparePages({ ...before, drawn: drawnBefore }, { ...page, drawn: current.draw(number) }, laterSignatures);
    if (isBeyond(difference, tolerated)) return { difference, objects: [page.object] };
    if (isBeyond(difference, worst)) worst = difference;
  }
  return isComplete ? { difference: worst, objects: [] } : 'INCOMPLETE';
}

/**
 * Compares everything except the content of document pages: the number of pages, the values of the form, and the
 * attached invoices.
 */
function compareForms(earlier: View, current: View): PageDifference {
  let difference: PageDifference = 'NONE';
  const raise = (other: PageDifference): void => {
    if (isBeyond(other, difference)) difference = other;
  };
  if (earlier.pageCount > current.pageCount) raise('CHANGED');
  if (earlier.pageCount < current.pageCount) {
    const added = current.pages.filter(({ text }) => text.number > earlier.pageCount);
    raise(added.some(({ text }) => saysPayment(textOf(text))) ? 'PAYMENT' : 'EXTENDED');
  }
  for (const name of new Set([...earlier.fields.keys(), ...current.fields.keys()])) {
    const [before = '', after = ''] = [earlier.fields.get(name), current.fields.get(name)];
    if (before !== after) raise(before === '' ? 'EXTENDED' : 'CHANGED');
  }
  if (earlier.invoices.some((invoice) => !current.invoices.includes(invoice))) raise('CHANGED');
  if (current.invoices.some((invoice) => !earlier.invoices.includes(invoice))) raise('EXTENDED');
  return difference;
}

function isBeyond(one: PageDifference, other: PageDifference): boolean {
  return DIFFERENCES.indexOf(one) > DIFFERENCES.indexOf(other);
}

async function viewOf(
  pdf: PDFDocumentProxy,
  { pages, invoices }: { readonly pages: readonly PdfPage[]; readonly invoices: readonly Attachment[] },
): Promise<View> {
  return {
    pageCount: pdf.numPages,
    pages,
    ...(await fieldsOf(pdf)),
    invoices: invoices.map(({ name, content }) => `${name} ${createHash('sha256').update(content).digest('hex')}`),
  };
}

/** Reads the values of the form fields in a PDF. An empty checkbox counts as an empty field. */
async function fieldsOf(pdf: PDFDocumentProxy): Promise<Pick<View, 'fields' | 'signatureFields'>> {
  type Field = { readonly type?: string; readonly value?: unknown };
  const all = ((await pdf.getFieldObjects()) ?? {}) as Readonly<Record<string, readonly Field[]>>;
  const fields = new Map<string, string>();
  const signatureFields: string[] = [];
  for (const [name, places] of Object.entries(all)) {
    if (places.some(({ type }) => type === 'signature')) {
      signatureFields.push(name);
      continue;
    }
    const values = places
      .filter(({ type, value }) => type !== 'button' && value !== 'Off' && value !== undefined && value !== null)
      .map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)));
    fields.set(name, [...new Set(values)].join('\n'));
  }
  return { fields, signatureFields };
}
