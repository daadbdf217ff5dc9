// Measures how often an invoice field is read correctly from documents, and whether its confidence reflects that.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sniffMediaType } from '@invoicecontrol/extraction/media-type';
import { closeRecogniser } from '@invoicecontrol/extraction/ocr/recogniser';
import { readDocument } from '@invoicecontrol/extraction/read-document';
import { fieldPaths } from '@invoicecontrol/extraction/reading';
import type { FieldPath, OwnCompany } from '@invoicecontrol/extraction/reading';
import { readEvaluationSet } from '@invoicecontrol/extraction/testing/evaluated-invoice';
import { PDFDocument, PDFName } from 'pdf-lib';
import { scanOf } from './document-files.js';
import { progress, step } from './progress.js';

/** Methods by which invoice values are read from a document. */
export const readingWays = ['XML', 'TEXT', 'OCR'] as const;
export type ReadingWay = (typeof readingWays)[number];

/** A field of a benchmark document whose true value is known. */
interface Read {
  readonly document: string;
  readonly way: ReadingWay;
  readonly field: FieldPath;
  /** Confidence of the document field that was read, or undefined if nothing was read. */
  readonly confidence: number | undefined;
  readonly isRight: boolean;
}

/**
 * Lower limits of the confidence ranges by which the read invoice fields are grouped. Each range ends at the next
 * limit.
 */
const BANDS = [0, 0.4, 0.6, 0.8, 0.9, 0.95];
/** Sets of test invoices whose values are known. */
const SETS = ['first-set.txt', 'second-set.txt', 'third-set'];

export interface Share {
  readonly known: number;
  readonly read: number;
  readonly right: number;
}

export interface Calibration {
  readonly documents: Readonly<Record<ReadingWay, number>>;
  /** Results of reading all invoice fields whose value is known. */
  readonly byField: readonly {
    readonly field: FieldPath;
    readonly shares: Readonly<Record<ReadingWay, Share>>;
  }[];
  /** Results of all invoice fields that were read, by range of confidence. */
  readonly byBand: readonly {
    readonly from: number;
    readonly to: number;
    readonly shares: Readonly<Record<ReadingWay, Share & { readonly meanConfidence: number }>>;
  }[];
  /**
   * Results of the fields with an accuracy target (documents reference, section 10.1): number, dates, gross amount,
   * currency and bank account.
   */
  readonly keyFields: Readonly<Record<ReadingWay, Share>>;
  /** Invoice values that were read wrongly, each as a line such as `GB-3-1 TEXT gross_amount 0.82`. */
  readonly wrong: readonly string[];
}

const KEY_FIELDS: readonly FieldPath[] = [
  'invoice_number',
  'issue_date',
  'due_date',
  'gross_amount',
  'currency',
  'supplier.bank_account.iban',
];

/** A benchmark document with its known values. */
interface Known {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly truth: Readonly<Partial<Record<FieldPath, string | null>>>;
  readonly companies?: readonly OwnCompany[];
}

/**
 * Reads documents with known values and measures how correct the read values and their confidence are.
 * @param options.samplesFolder folder of documents with a `manifest.json`; ignored if it does not exist
 */
export async function calibrate(options: {
  readonly scans: number;
  readonly samplesFolder: string;
}): Promise<Calibration> {
  const reads: Read[] = [];
  const documents = { XML: 0, TEXT: 0, OCR: 0 };
  try {
    for await (const known of allDocuments(options)) {
      const found = await readKnown(known);
      const [first] = found;
      if (first !== undefined) documents[first.way] += 1;
      reads.push(...found);
      progress(`${known.name}: ${reads.length} fields`);
    }
  } finally {
    await closeRecogniser();
  }
  return summarise(reads, documents);
}

async function* allDocuments({
  scans,
  samplesFolder,
}: {
  readonly scans: number;
  readonly samplesFolder: string;
}): AsyncGenerator<Known> {
  const invoices = SETS.flatMap((set) => readEvaluationSet(set));
  step('printed invoices');
  for (const { name, truth, companies, pdf } of invoices)
    yield { name, bytes: await pdf(), truth: fieldsOf(truth), companies };
  step('scanned invoices');
  for (const { name, truth, companies, pdf } of invoices.slice(0, scans))
    yield { name: `${name} scanned`, bytes: await scanOf(await pdf()), truth: fieldsOf(truth), companies };
  step('samples');
  yield* samples(samplesFolder);
}

const fieldOfExpectation: Readonly<Record<string, FieldPath>> = {
  number: 'invoice_number',
  date: 'issue_date',
  due: 'due_date',
  due_date: 'due_date',
  currency: 'currency',
  net: 'net_amount',
  tax: 'tax_amount',
  gross: 'gross_amount',
  supplier: 'supplier.name',
  supplier_name: 'supplier.name',
  tax_id: 'supplier.tax_id',
  iban: 'supplier.bank_account.iban',
  purchase_order_ref: 'purchase_order_ref',
  buyer_name: 'buyer.name',
  buyer_tax_id: 'buyer.tax_id',
};

/**
 * Returns the true values of a benchmark document by their paths. A value that nobody can tell, or that the document
 * does not state, is null.
 */
function fieldsOf(expected: Readonly<Record<string, string | null>>): Known['truth'] {
  return Object.fromEntries(
    Object.entries(expected).flatMap(([name, value]) => {
      const field = fieldOfExpectation[name];
      return field === undefined ? [] : [[field, value === '' || value === '?' ? null : value] as const];
    }),
  );
}

/** Yields each sample document unchanged. A PDF with XML is also yielded without the XML, and as a scan. */
async function* samples(folder: string): AsyncGenerator<Known> {
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return step(`no samples in ${folder}`);
  const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    files: { file: string; expected?: Readonly<Record<string, string | null>> }[];
  };
  for (const { file, expected } of files) {
    if (expected === undefined) continue;
    const bytes = readFileSync(join(folder, file));
    const truth = fieldsOf(expected);
    yield { name: file, bytes, truth };
    if (!file.endsWith('.pdf')) continue;
    const printed = await withoutAttachments(bytes);
    if (printed !== undefined) yield { name: `${file} without XML`, bytes: printed, truth };
    yield { name: `${file} scanned`, bytes: await scanOf(bytes), truth };
  }
}

async function withoutAttachments(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const pdf = await PDFDocument.load(bytes);
  if (!pdf.catalog.has(PDFName.of('Names')) && !pdf.catalog.has(PDFName.of('AF'))) return undefined;
  for (const name of ['Names', 'AF', 'Metadata']) pdf.catalog.delete(PDFName.of(name));
  return pdf.save();
}

async function readKnown({ name, bytes, truth, companies = [] }: Known): Promise<Read[]> {
  const mediaType = sniffMediaType(bytes);
  if (mediaType === undefined) throw new Error(`${name} has no known type`);
  const outcome = await readDocument(bytes, { mediaType, companies });
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  const way = reading?.method ?? (name.endsWith('scanned') || mediaType.startsWith('image/') ? 'OCR' : 'TEXT');
  return fieldPaths.flatMap((field): Read[] => {
    const expected = truth[field];
    // Fields whose value the document does not contain are left out, because they cannot be read.
    if (expected === undefined || expected === null) return [];
    const read = reading?.fields[field];
    const isRight = read !== undefined && normalised(field, read.value) === normalised(field, expected);
    return [{ document: name, way, field, confidence: read?.confidence, isRight }];
  });
}

/** Normalizes the value of an invoice field, so that equivalent values are equal. */
function normalised(field: FieldPath, value: string): string {
  if (field.endsWith('_amount')) return String(Number(value));
  const plain = value.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  if (field.endsWith('iban')) return plain.replaceAll(' ', '');
  // A tax id is compared without its country prefix.
  return field.endsWith('tax_id') ? plain.replaceAll(/[^a-z0-9]/g, '').replace(/^[a-z]{2}(?=.{6})/, '') : plain;
}

function summarise(reads: readonly Read[], documents: Calibration['documents']): Calibration {
  const shareOf = (chosen: readonly Read[]): Share => ({
    known: chosen.length,
    read: chosen.filter(({ confidence }) => confidence !== undefined).length,
    right: chosen.filter(({ isRight }) => isRight).length,
  });
  const byWay = <T>(of: (chosen: readonly Read[]) => T, chosen: readonly Read[]): Readonly<Record<ReadingWay, T>> => ({
    XML: of(chosen.filter(({ way }) => way === 'XML')),
    TEXT: of(chosen.filter(({ way }) => way === 'TEXT')),
    OCR: of(chosen.filter(({ way }) => way === 'OCR')),
  });
  return {
    documents,
    byField: fieldPaths.flatMap((field) => {
      const chosen = reads.filter((read) => read.field === field);
      return chosen.length === 0 ? [] : [{ field, shares: byWay(shareOf, chosen) }];
    }),
    byBand: BANDS.map((from, index) => {
      const to = BANDS[index + 1] ?? 1;
      const chosen = reads.filter(
        ({ confidence }) =>
          confidence !== undefined && confidence >= from && (confidence < to || index === BANDS.length - 1),
      );
      const withMean = (some: readonly Read[]): Share & { readonly meanConfidence: number } => ({
        ...shareOf(some),
        meanConfidence: some.reduce((sum, { confidence = 0 }) => sum + confidence, 0) / some.length,
      });
      return { from, to, shares: byWay(withMean, chosen) };
    }),
    keyFields: byWay(
      shareOf,
      reads.filter(({ field }) => KEY_FIELDS.includes(field)),
    ),
    wrong: reads
      .filter(({ isRight }) => !isRight)
      .map(
        ({ document, way, field, confidence }) =>
          `${document} ${way} ${field} ${confidence === undefined ? 'not read' : confidence.toFixed(2)}`,
      ),
  };
}
