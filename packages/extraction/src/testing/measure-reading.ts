import { documents } from '@invoicecontrol/engine/policy/documents';
import { readDocument } from '../read-document.js';
import type { DocumentMediaType } from '../media-type.js';
import type { FieldPath, FieldReading } from '../reading.js';
import type { EvaluatedInvoice } from './evaluated-invoice.js';

/** The measured invoice fields, by the names that the files in `evaluation/` use. */
const fields: Readonly<Record<string, FieldPath>> = {
  number: 'invoice_number',
  date: 'issue_date',
  due: 'due_date',
  net: 'net_amount',
  tax: 'tax_amount',
  gross: 'gross_amount',
  currency: 'currency',
  iban: 'supplier.bank_account.iban',
  sort_code: 'supplier.bank_account.sort_code',
  account_number: 'supplier.bank_account.account_number',
  supplier: 'supplier.name',
  tax_id: 'supplier.tax_id',
};

/** Fields that must be read correctly in 9 of 10 cases (documents reference, 10.1). */
export const keyFields: readonly string[] = ['number', 'date', 'gross', 'currency', 'iban'];

/** A field of an evaluated invoice with its true value and the value that was read. */
export interface MeasuredField {
  readonly invoice: string;
  readonly field: string;
  /** Correct value of the field. Undefined if the invoice does not state the field or the value is not known. */
  readonly expected: string | undefined;
  readonly found: FieldReading | undefined;
  readonly isRight: boolean;
}

/** Format in which an invoice is read when reading is measured: as a PDF with text, or as a scanned picture. */
export type Sending = (
  pdf: Uint8Array,
) => Promise<{ readonly bytes: Uint8Array; readonly mediaType: DocumentMediaType }>;

/** Reads an invoice in the given format, and compares every field that its description states. */
export async function measureInvoice(
  invoice: EvaluatedInvoice,
  send: Sending = (pdf) => Promise.resolve({ bytes: pdf, mediaType: 'application/pdf' }),
): Promise<MeasuredField[]> {
  const { bytes, mediaType } = await send(await invoice.pdf());
  const outcome = await readDocument(bytes, { mediaType, companies: invoice.companies });
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  return Object.entries(fields).flatMap(([field, path]): MeasuredField[] => {
    const stated = invoice.truth[field];
    const found = reading?.fields[path];
    // Fields that the description of an evaluated invoice leaves out are not compared. But if the description states no
    // bank account, none may be found.
    if (stated === undefined && (field !== 'iban' || found === undefined)) return [];
    const expected = stated === '?' || stated === '' ? undefined : stated;
    const isRight = comparable(field, found?.value) === comparable(field, expected);
    return [{ invoice: invoice.name, field, expected, found, isRight }];
  });
}

/** Removes differences without meaning: spaces in bank accounts and numbers, and punctuation in names and ids. */
function comparable(field: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  switch (field) {
    case 'net':
    case 'tax':
    case 'gross':
      return String(Number(value));
    case 'supplier':
      return value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    case 'tax_id':
      return value
        .replace(/[ ./-]/g, '')
        .replace(/(?:MWST|TVA|MVA)$/, '')
        .replace(/^[A-Z]{2}(?=\d)/, '');
    default:
      return value.replace(/[ -]/g, '');
  }
}

/** Invoice fields of an evaluation set that were read with a confidence from `from` to `from` plus 0.1. */
export interface ConfidenceBand {
  readonly from: number;
  readonly count: number;
  /** Share of document fields that were read correctly, and their mean stated confidence, both from 0 to 1. */
  readonly right: number;
  readonly claimed: number;
}

/** Returns the share of correct fields for each range of confidence (documents reference, section 11). */
export function confidenceBands(measured: readonly MeasuredField[]): ConfidenceBand[] {
  return Array.from({ length: 10 }, (_, index) => index / 10).flatMap((from): ConfidenceBand[] => {
    const own = measured.filter(
      ({ found }) => found !== undefined && Math.min(9, Math.floor(found.confidence * 10)) / 10 === from,
    );
    if (own.length === 0) return [];
    const claimed = own.reduce((sum, { found }) => sum + (found?.confidence ?? 0), 0) / own.length;
    return [{ from, count: own.length, right: own.filter(({ isRight }) => isRight).length / own.length, claimed }];
  });
}

/**
 * Numbers of right and wrong values of an invoice field that were read with a confidence from `from` up to the next
 * range.
 */
export interface FieldBand {
  readonly from: number;
  readonly right: number;
  readonly wrong: number;
}

const BANDS_OF_FIELD: readonly number[] = [0, 0.4, 0.6, 0.8, 0.9];

/** Returns the numbers of right and wrong values of one invoice field for each range of confidence. */
export function fieldBands(measured: readonly MeasuredField[], field: string): FieldBand[] {
  const own = measured.filter((one) => one.field === field && one.found !== undefined);
  return BANDS_OF_FIELD.map((from, index) => {
    const to = BANDS_OF_FIELD[index + 1] ?? Infinity;
    const inBand = own.filter(({ found }) => found !== undefined && found.confidence >= from && found.confidence < to);
    const right = inBand.filter(({ isRight }) => isRight).length;
    return { from, right, wrong: inBand.length - right };
  });
}

/**
 * Counts of key fields with wrong values in the measured invoices, depending on whether the finding
 * EXTRACTION_LOW_CONFIDENCE names the field.
 */
export interface FindingCounts {
  readonly keyFields: number;
  /** Key fields that were read wrongly without a finding that names them. */
  readonly wrongWithoutFinding: readonly MeasuredField[];
  readonly invoices: number;
  /** Number of measured invoices with a finding about a key field. */
  readonly invoicesWithFinding: number;
}

export function countFindings(measured: readonly MeasuredField[]): FindingCounts {
  const key = measured.filter(({ field }) => documents.keyFields.some((path) => fields[field]?.startsWith(path)));
  const isNamed = ({ found }: MeasuredField): boolean =>
    found !== undefined && Math.floor(found.confidence * 100 + 1e-9) < documents.readConfidenceMin;
  return {
    keyFields: key.length,
    wrongWithoutFinding: key.filter((one) => !one.isRight && one.found !== undefined && !isNamed(one)),
    invoices: new Set(measured.map(({ invoice }) => invoice)).size,
    invoicesWithFinding: new Set(key.filter(isNamed).map(({ invoice }) => invoice)).size,
  };
}
