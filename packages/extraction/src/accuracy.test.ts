import { describe, expect, test } from '@jest/globals';
import { readPdf } from './pdf/read-pdf.js';
import type { FieldPath, FieldReading } from './reading.js';
import { printInvoice, readPrintedInvoices } from './testing/printed-invoice.js';
import type { PrintedInvoice } from './testing/printed-invoice.js';

/** Fields by their names in `evaluation/`. */
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
const keyFields = ['number', 'date', 'gross', 'currency', 'iban'];
const SHARE_MIN = 0.9;
/** Of fields in a band of confidence; fewer say nothing. */
const FIELDS_OF_BAND_MIN = 10;
const OVERCONFIDENCE_MAX = 0.1;

interface Measured {
  readonly name: string;
  readonly isRight: boolean;
  readonly reading: FieldReading | undefined;
}

/** Spelling that changes nothing: blanks of accounts and numbers, punctuation of names and ids. */
function comparable(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  switch (name) {
    case 'net':
    case 'tax':
    case 'gross':
      return String(Number(value));
    case 'supplier':
      return value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    case 'tax_id':
      return value
        .replace(/[ ./-]/g, '')
        .replace(/(?:MWST|TVA)$/, '')
        .replace(/^[A-Z]{2}(?=\d)/, '');
    default:
      return value.replace(/[ -]/g, '');
  }
}

async function measure(invoice: PrintedInvoice): Promise<Measured[]> {
  const context = { companies: invoice.companies, today: '2026-11-23' };
  const outcome = await readPdf(await printInvoice(invoice), context);
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  return Object.entries(fields).flatMap(([name, path]): Measured[] => {
    const stated = invoice.truth[name];
    const found = reading?.fields[path];
    // What the description leaves out was not looked at, but an account that is not there must not be found.
    if (stated === undefined && (name !== 'iban' || found === undefined)) return [];
    const expected = stated === '?' || stated === '' ? undefined : comparable(name, stated);
    return [{ name, isRight: comparable(name, found?.value) === expected, reading: found }];
  });
}

describe.each(['first-set.txt', 'second-set.txt'])('hand-written invoices of %s', (file) => {
  const measured = Promise.all(readPrintedInvoices(file).map(measure)).then((all) => all.flat());

  test.each(keyFields)('are read in 9 of 10 cases or more: %s', async (name) => {
    const own = (await measured).filter((one) => one.name === name);
    const share = own.filter(({ isRight }) => isRight).length / own.length;
    expect({ name, isEnough: share >= SHARE_MIN, share }).toEqual({ name, isEnough: true, share });
  });

  test('are not claimed to be read with more confidence than they are right', async () => {
    const bands = new Map<number, { count: number; right: number; claimed: number }>();
    for (const { isRight, reading } of await measured) {
      if (reading === undefined) continue;
      const key = Math.min(9, Math.floor(reading.confidence * 10)) / 10;
      const band = bands.get(key) ?? { count: 0, right: 0, claimed: 0 };
      const { count, right, claimed } = band;
      bands.set(key, {
        count: count + 1,
        right: right + (isRight ? 1 : 0),
        claimed: claimed + reading.confidence,
      });
    }
    const overconfident = [...bands].filter(
      ([, { count, right, claimed }]) => count >= FIELDS_OF_BAND_MIN && (claimed - right) / count > OVERCONFIDENCE_MAX,
    );
    expect(overconfident).toEqual([]);
  });
});
