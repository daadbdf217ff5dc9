import { describe, expect, test } from 'vitest';
import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '../testing/in-memory-history.js';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import type { BillOptions } from '../testing/in-memory-history.js';
import { defaultPolicy } from '../policy/policy.js';
import type { PairScore } from './pair.js';
import { scorePairs } from './pair-score.js';

const TAX_ID = 'DE136695976';
const OTHER_TAX_ID = 'DE811569869';
const withTax = (changes: InvoiceChanges = {}): InvoiceChanges => ({
  ...changes,
  supplier: { tax_id: TAX_ID, ...changes.supplier },
});

function score(left: InvoiceChanges, right: InvoiceChanges, options: BillOptions = {}): PairScore | undefined {
  const history = inMemoryHistory();
  const earlier = history.factsOf(invoiceOf(left));
  history.record(earlier);
  const later = history.factsOf(invoiceOf(right), options);
  return scoreOf(later, { ...earlier.invoice, status: 'ANALYZED' });
}

const scoreOf = (facts: Facts, other: Candidate): PairScore | undefined =>
  scorePairs(facts, [other], defaultPolicy.duplicates)[0];

const relationsOf = (pair: PairScore | undefined): string[] =>
  (pair?.comparisons ?? []).slice(1).map(({ relation }) => relation);

describe('the worked pairs', () => {
  test.each<[string, InvoiceChanges, InvoiceChanges, string, number]>([
    ['the same invoice', withTax(), withTax(), 'IDENT EQ SAME TAX', 10.5],
    [
      'another spelling two days later',
      withTax(),
      withTax({ invoice_number: 'inv 1042', issue_date: '2025-03-12' }),
      'FORMAT EQ NEAR TAX',
      8.5,
    ],
    [
      'a misread number',
      withTax({ invoice_number: 'RE20250118' }),
      withTax({ invoice_number: 'RE2O25O118' }),
      'OCR EQ SAME TAX',
      9,
    ],
    [
      'a suffix',
      withTax({ invoice_number: 'INV-1042' }),
      withTax({ invoice_number: 'INV-1042A' }),
      'SUFFIX EQ SAME TAX',
      8,
    ],
    [
      'swapped digits of the amount',
      withTax({ gross_amount: '1254.00' }),
      withTax({ gross_amount: '1524.00' }),
      'IDENT TRANSP SAME TAX',
      9,
    ],
    [
      'net for gross',
      withTax({ gross_amount: '1190.00' }),
      withTax({ gross_amount: '1000.00' }),
      'IDENT NETGROSS SAME TAX',
      9,
    ],
    [
      'day and month exchanged',
      withTax({ issue_date: '2025-03-04' }),
      withTax({ issue_date: '2025-04-03' }),
      'IDENT EQ SWAP TAX',
      10,
    ],
    [
      'names alone',
      { supplier: { name: 'Müller Bau GmbH' } },
      { supplier: { name: 'MULLER BAU G.m.b.H.' } },
      'IDENT EQ SAME NAME',
      10,
    ],
    [
      'neighbouring numbers',
      withTax({ invoice_number: 'INV-10423' }),
      withTax({ invoice_number: 'INV-10424' }),
      'SEQ EQ SAME TAX',
      -3.5,
    ],
    [
      'monthly numbers',
      withTax({ invoice_number: 'FV/19/09/2024', issue_date: '2024-09-30' }),
      withTax({ invoice_number: 'FV/19/10/2024', issue_date: '2024-10-31' }),
      'PERIOD EQ FAR TAX',
      -8,
    ],
    [
      'yearly numbers',
      withTax({ invoice_number: '2024-0049', issue_date: '2024-02-01' }),
      withTax({ invoice_number: '2025-0049', issue_date: '2025-02-01' }),
      'PERIOD EQ YEAR TAX',
      -12,
    ],
    [
      'another supplier with an equal number and amount',
      withTax({ supplier: { name: 'Alpha Systems', tax_id: TAX_ID } }),
      withTax({ supplier: { name: 'Borealis', tax_id: OTHER_TAX_ID } }),
      'IDENT EQ SAME NONE CONFLICT',
      -2.5,
    ],
  ])('%s', (_, left, right, relations, points) => {
    const pair = score(left, right);
    expect(relationsOf(pair).join(' ')).toBe(relations);
    expect((pair?.halfPoints ?? 0) / 2).toBe(points);
  });
});

describe('each relation of the number', () => {
  test.each([
    ['IDENT', 'INV-01042', 'INV01042', 9],
    ['IDENT', 'INV-12', 'INV 12', 5],
    ['FORMAT', 'INV-01042', '1042', 8.5],
    ['FORMAT', 'ACME1042', '1042', 8.5],
    ['FORMAT', 'INV-0012', '12', 5],
    ['OCR', 'X1O42', 'X1042', 7.5],
    ['PARTS', '1042/1', '1042/2', -4],
    ['SUFFIX', '1042', '1042 COPY', 6.5],
    ['SEQ', 'A-1042', 'A-1054', -5],
    ['TYPO', 'AC-10423', 'AC-19423', 4.5],
    ['TYPO', 'AC-10423', 'AC-14023', 4.5],
    ['TYPO', '4711', '9711', 4.5],
    ['DIFF', '4711', '4721X', -4],
    ['CONTAINS', 'AC10423', 'ZZ9AC10423', 3.5],
    ['TYPO2', 'AC123456789', 'AC193456089', 2],
    ['DIFF', 'A-1042', 'B-9999', -4],
    ['YEARLESS', 'RE-2025-0113', 'RE-0113', 5],
    ['YEARLESS', 'RE-2025-1130', 'RE-1130', 7.5],
    ['YEARLESS', 'F/2025/01/3113', 'F/25/01/3113', 7.5],
    ['YEARLESS', 'RE20251130', 'RE1130', 7.5],
    ['YEARLESS', '2025/00011', '00011/2025', 7.5],
    ['REORDERED', 'FACT-10779', '10779-FACT', 7.5],
    ['EXTRA', '0011/HH/26', '0011/26', 6.5],
    ['EXTRA', '2600024', '2600024 PO 4571824', 6.5],
    ['EXTRA', 'RE-0000929', 'RE-0000929 / KD 92103', 6.5],
    ['PARTS', '250602-01/N', '250602-01/S', -4],
    ['PARTS', 'W-24159', 'S-24159', -4],
    ['PARTS', 'WX-24159', 'XS-24159', -4],
    ['TYPO', 'AB-10423', 'B-10423', 4.5],
    ['TYPO', '10423/YU', '10423/UY', 4.5],
    ['CONTAINS', 'HAM-24159', 'M-24159', 3.5],
    ['PARTS', '4711 1/2', '4711 2/2', -4],
    ['SUFFIX', '4711', '4711 1/2', 6.5],
    ['SUFFIX', '4550', '4550-01', 6.5],
    ['SUFFIX', '5859', '5859 rev.1', 6.5],
    ['FORMAT', 'N° 6951', '6951', 8.5],
    ['FORMAT', 'Mahnung F2025-0539', 'F2025-0539', 8.5],
    ['FORMAT', 'F-0000166', '0000166', 5],
    ['OCR', '0008094', '0O08094', 7.5],
    ['OCR', 'RE0373', 'REO373', 5],
    ['TYPO', 'FE2025-0030', 'FE2024-0030', 4.5],
    ['TYPO', '25/0012', '27/0012', 4.5],
    ['TYPO', '0000598', '2000598', 4.5],
    ['CONTAINS', '3400002721', '00002721', 3.5],
    ['DIFF', '3500000903', '3500000936', -4],
    ['SUFFIX', '474', '474-01', 6.5],
    ['SUFFIX', '501', '501 V2', 6.5],
    ['SUFFIX', '20250310-01', '20250310-01/2', 6.5],
    ['SUFFIX', 'INV-4217', 'INV-4217-A', 6.5],
    ['SUFFIX', '4217', '4217 Teil 1', 6.5],
    ['PARTS', 'INV-4217-A', 'INV-4217-B', -4],
    ['PARTS', '4217/I', '4217/II', -4],
    ['FORMAT', 'Faktura VAT nr 4170', '4170', 8.5],
    ['FORMAT', 'Rechnungsnr. 4170', '4170', 8.5],
    ['TYPO', '20250310-01', '20250313-01', 4.5],
    ['TYPO', 'FV/09/03/2025', 'FV/09/04/2025', 4.5],
    ['SEQ', 'FV/2/03/2025', 'FV/3/03/2025', -5],
    ['SEQ', '3/2025', '4/2025', -5],
    ['SEQ', '2025.0025', '2025.0026', -5],
    ['SEQ', 'A-99', 'A-100', -5],
    ['TYPO', '7712345/2025-03', '7712345/2025-02', 4.5],
    ['TYPO', 'F/2025/03/2', 'F/2025/02/2', 4.5],
    ['PARTS', 'F/2025/03/2', 'F/2025/03/3', -4],
    ['TYPO', '77123452503', '77123452502', 4.5],
    ['TYPO', 'FA2503-0040', 'FA2504-0040', 4.5],
    ['TYPO', '250310-03-0288', '250318-03-0288', 4.5],
    ['TYPO', '241', '21', 4.5],
    ['DIFF', '0034366/25', '0034152/25', -4],
    ['DIFF', '583/MAG/2025', '532/MAG/2025', -4],
    ['TYPO', 'INV-10723', 'INV-0723', 4.5],
    ['TYPO', '32/A', '332/A', 4.5],
    ['YEARLESS', 'FV/40/03/2025', 'FV/40/2025', 7.5],
    ['YEARLESS', '7712345/2025-03', '7712345', 7.5],
    ['YEARLESS', 'FA2503-1040', '1040', 7.5],
    ['YEARLESS', 'R2025/1199', '1199', 7.5],
    ['EXTRA', '32/A', '32', 6.5],
    ['EXTRA', '104872/20', '20', 6.5],
    ['TYPO', '240212', '240221', 4.5],
    ['SEQ', '240212', '240213', -5],
    ['CONTAINS', '148369', '1483', 3.5],
    ['MISSING', 'X-77140', '2025', 1],
    ['MISSING', 'X-77140', '03/2025', 1],
    ['PARTS', '7712345-02', '7712345-03', -4],
    ['SEQ', '7712345/2025-05', '7712345/2025-06', -5],
    ['PARTS', 'XA2503-0040', 'WB2503-0040', -4],
    ['MISSING', '79118', 'n/a', 1],
    ['MISSING', 'SI-00255', '10.03.2025', 1],
  ])('%s: %s and %s', (relation, left, right, points) => {
    const pair = score(withTax({ invoice_number: left }), withTax({ invoice_number: right }));
    const row = pair?.comparisons.find(({ field }) => field === 'number');
    expect(row?.relation).toBe(relation);
    expect((row?.halfPoints ?? 0) / 2).toBe(points);
  });

  test.each([
    ['the month behind a customer number', '16268980125', '2025-01-10', '16268980225', '2025-02-10'],
    ['the date before a counter', 'RE20250310-02', '2025-03-10', 'RE20250210-02', '2025-02-10'],
    ['the day first', '10032025/7', '2025-03-10', '11042025/7', '2025-04-11'],
  ])('the period of its bill is known in a number that has %s', (_, one, oneDate, other, otherDate) => {
    const pair = score(
      withTax({ invoice_number: one, issue_date: oneDate }),
      withTax({ invoice_number: other, issue_date: otherDate }),
    );
    expect(pair?.number).toBe('PERIOD');
  });

  test.each([
    ['day and month', '0202/24/1', '2024-02-02', '1202/24/1', '2024-02-12', 'SEQ'],
    ['the whole date', 'RE-20260903-07', '2026-09-03', 'RE-20260923-07', '2026-09-23', 'SEQ'],
    ['a date that is not its own', '0202/24/1', '2024-02-02', '1202/24/1', '2024-02-14', 'TYPO'],
  ])('numbers that differ in the day of their bills are two: %s', (_, one, oneDate, other, otherDate, relation) => {
    const pair = score(
      withTax({ invoice_number: one, issue_date: oneDate }),
      withTax({ invoice_number: other, issue_date: otherDate }),
    );
    expect(pair?.number).toBe(relation);
  });

  test.each([
    ['a digit left out', '4289', '428', 'TYPO'],
    ['a digit doubled', '0000001310', '00000011310', 'TYPO'],
    ['a digit added in front', '0000001310', '5000001310', 'TYPO'],
    ['a neighbour', '4289', '4298', 'SEQ'],
    ['another counter', '4289', '9289', 'DIFF'],
  ])('a number with %s is known days later over the same amount: %s and %s', (_, left, right, relation) => {
    const numberOf = (changes: InvoiceChanges) =>
      score(withTax({ invoice_number: left }), withTax({ invoice_number: right, ...changes }))?.number;
    expect(numberOf({ issue_date: '2025-03-13' })).toBe(relation);
  });

  test('a digit left out is known weeks later only under one order, and never over another amount', () => {
    const numberOf = (changes: InvoiceChanges) =>
      score(
        withTax({ invoice_number: '4289', purchase_order_ref: 'PO-88213' }),
        withTax({ invoice_number: '428', purchase_order_ref: 'PO-88213', ...changes }),
      )?.number;
    expect(numberOf({ issue_date: '2025-04-20' })).toBe('TYPO');
    expect(numberOf({ issue_date: '2025-04-20', purchase_order_ref: 'PO-1' })).toBe('DIFF');
    expect(numberOf({ gross_amount: '1200.01' })).toBe('DIFF');
  });

  test('a counter that stands a digit higher weeks later is that of the next bill', () => {
    const numberOf = (left: string, right: string, issue_date: string) =>
      score(withTax({ invoice_number: left }), withTax({ invoice_number: right, issue_date }))?.number;
    expect(numberOf('VF25000128', 'VF25000182', '2025-04-11')).toBe('SEQ');
    expect(numberOf('VF25000182', 'VF25000128', '2025-04-11')).toBe('TYPO');
    expect(numberOf('VF25000128', 'VF25000182', '2025-03-12')).toBe('TYPO');
    expect(numberOf('VF25000128', 'VF25100128', '2025-04-11')).toBe('TYPO');
  });

  test('the months of one account stay apart, whatever the month', () => {
    const relations = Array.from({ length: 11 }, (_, index) => {
      const [month, next] = [index + 1, index + 2].map((value) => String(value).padStart(2, '0'));
      return score(
        withTax({ invoice_number: `7712345/2025-${month}`, issue_date: `2025-${month}-10` }),
        withTax({ invoice_number: `7712345/2025-${next}`, issue_date: `2025-${next}-10` }),
      )?.halfPoints;
    });
    expect(relations.every((points) => points !== undefined && points < 0)).toBe(true);
  });

  test('a short number counts more within the calendar year, where no counter restarts', () => {
    const pointsOf = (issue_date: string): number =>
      (score(withTax({ invoice_number: '2/FE' }), withTax({ invoice_number: '2/FE', issue_date }))?.comparisons.find(
        ({ field }) => field === 'number',
      )?.halfPoints ?? 0) / 2;
    expect(pointsOf('2025-07-08')).toBe(7);
    expect(pointsOf('2026-01-08')).toBe(5);
  });

  test('a jump of fifty is a neighbour only in the last run and on another day', () => {
    const numberOf = (date: string, left: string, right: string): string | undefined =>
      score(withTax({ invoice_number: left }), withTax({ invoice_number: right, issue_date: date }))?.number;
    expect(numberOf('2025-03-11', 'A-1042', 'A-1092')).toBe('SEQ');
    expect(numberOf('2025-03-10', 'A-1042', 'A-1092')).not.toBe('SEQ');
    expect(numberOf('2025-03-11', '1042-A-7', '1092-A-7')).not.toBe('SEQ');
    expect(numberOf('2025-03-11', '1042/03/2025', '1092/03/2025')).toBe('SEQ');
  });

  test('numbers without letters and digits are the same number only on bills of one day and amount', () => {
    const numberOf = (left: string, right: string, changes: InvoiceChanges = {}) =>
      score(withTax({ invoice_number: left }), withTax({ invoice_number: right, ...changes }))?.number;
    expect(numberOf('##', '##')).toBe('IDENT');
    expect(numberOf('none', 'None')).toBe('IDENT');
    expect(numberOf('##', '--')).toBe('MISSING');
    expect(numberOf('none', 'none', { issue_date: '2025-06-10' })).toBe('DIFF');
    expect(numberOf('79118', 'n/a', { gross_amount: '1200.01' })).toBe('DIFF');
    expect(numberOf('##', '##', { issue_date: '2025-03-11' })).toBe('DIFF');
    expect(numberOf('##', '##', { gross_amount: '1200.01' })).toBe('DIFF');
  });
});

describe('each relation of the amount', () => {
  test.each<[string, InvoiceChanges, InvoiceChanges, number, Readonly<Record<string, string>>]>([
    ['EQ', { gross_amount: '1200' }, { gross_amount: '1200.000' }, 5, {}],
    ['ROUND', { gross_amount: '1200.49' }, { gross_amount: '1200' }, 4, {}],
    ['TRANSP', { gross_amount: '1254.00' }, { gross_amount: '1524.00' }, 3.5, {}],
    ['NETGROSS', { gross_amount: '1190.00' }, { gross_amount: '1000.00' }, 3.5, {}],
    ['FX', { gross_amount: '100.00', currency: 'USD' }, { gross_amount: '92.00' }, 3.5, { EUR: '1', USD: '1.0870' }],
    ['SLIP', { gross_amount: '125.50' }, { gross_amount: '1255.00' }, 3, {}],
    ['NEAR', { gross_amount: '1200.10' }, { gross_amount: '1203.37' }, 2, {}],
    ['DIGITS', { gross_amount: '1200.00', currency: 'USD' }, { gross_amount: '1200' }, 2, {}],
    ['DIFF', { gross_amount: '1200.10' }, { gross_amount: '900.37' }, -5, {}],
    ['DIFF', { gross_amount: '100.00', currency: 'USD' }, { gross_amount: '80.00' }, -5, { EUR: '1', USD: '1.0870' }],
  ])('%s', (relation, left, right, points, ratesPerEuro) => {
    const pair = score(withTax(left), withTax(right), { ratesPerEuro });
    expect(pair?.amount).toBe(relation);
    expect((pair?.comparisons.find(({ field }) => field === 'amount')?.halfPoints ?? 0) / 2).toBe(points);
  });

  test('an opposite sign ends the comparison', () => {
    expect(score(withTax(), withTax({ gross_amount: '-1200.00' }))).toBeUndefined();
  });

  test('the rate of the own country decides between net and gross, at the date of either', () => {
    const polish = { supplier: { tax_id: 'PL5260001246' } };
    expect(score({ ...polish, gross_amount: '1190.00' }, { ...polish, gross_amount: '1000.00' })?.amount).toBe('DIFF');
    expect(score({ ...polish, gross_amount: '1230.00' }, { ...polish, gross_amount: '1000.00' })?.amount).toBe(
      'NETGROSS',
    );
  });
});

test('a net and a gross amount at a reduced rate are no pair under unrelated or neighbouring numbers', () => {
  const typesOf = (left: string, right: string, ref?: string): string[] => {
    const history = inMemoryHistory();
    const order = ref === undefined ? {} : { purchase_order_ref: ref };
    history.bill(invoiceOf(withTax({ invoice_number: left, gross_amount: '1234.00', ...order })));
    const { analysis } = history.bill(
      invoiceOf(withTax({ invoice_number: right, gross_amount: '1320.38', issue_date: '2025-03-12', ...order })),
    );
    return analysis.findings.filter(({ family }) => family === 'DUP').map(({ type }) => type);
  };
  expect(typesOf('RX-10423', '88213')).toEqual([]);
  expect(typesOf('RX-10423', '88213', 'PO-450071')).toEqual([]);
  expect(typesOf('RX-10423', 'RX-10424')).toEqual([]);
  expect(typesOf('RX-10423', 'RX10423')).toEqual(['SUSPECTED_DUPLICATE']);
});

describe('each relation of the date', () => {
  test.each([
    ['SAME', '2025-03-10', 2.5],
    ['SWAP', '2025-10-03', 2],
    ['NEAR', '2025-03-15', 1],
    ['FAR', '2025-05-11', -1],
    ['OTHER', '2025-05-12', -3],
    ['YEAR', '2025-09-27', -5],
  ])('%s: 2025-03-10 and %s', (relation, date, points) => {
    const pair = score(withTax(), withTax({ issue_date: date }));
    expect(pair?.date).toBe(relation);
    expect((pair?.comparisons.find(({ field }) => field === 'date')?.halfPoints ?? 0) / 2).toBe(points);
  });
});

describe('each relation of the supplier', () => {
  const bank_account = { iban: 'DE89370400440532013000' };
  test.each<[string, InvoiceChanges, InvoiceChanges, number]>([
    ['TAX', withTax(), withTax({ supplier: { name: 'Other', tax_id: '136 695 976' } }), 2],
    ['BANK', { supplier: { bank_account } }, { supplier: { name: 'Other', bank_account } }, 2],
    ['NAME', {}, {}, 1.5],
    ['SIMILAR', { supplier: { name: 'Northwind Traders' } }, { supplier: { name: 'Northwind Trader' } }, 0.5],
    ['NONE', {}, { supplier: { name: 'Zeta' } }, -6],
  ])('%s', (relation, left, right, points) => {
    const pair = score(left, right);
    expect(pair?.supplier).toBe(relation);
    expect((pair?.comparisons.find(({ field }) => field === 'supplier')?.halfPoints ?? 0) / 2).toBe(points);
  });

  test('two valid tax ids count against the pair, less when the accounts are equal', () => {
    const conflict = (changes: InvoiceChanges['supplier']): number | undefined =>
      score(
        { supplier: { tax_id: TAX_ID, ...changes } },
        { supplier: { tax_id: OTHER_TAX_ID, ...changes } },
      )?.comparisons.find(({ field }) => field === 'taxId')?.halfPoints;
    expect(conflict({})).toBe(-10);
    expect(conflict({ bank_account })).toBe(-4);
  });

  test('an invalid tax id does not conflict', () => {
    const pair = score(withTax(), withTax({ supplier: { tax_id: 'DE811569868' } }));
    expect(relationsOf(pair)).not.toContain('CONFLICT');
  });
});

test('purchase orders count when both are known', () => {
  const orderPoints = (left: InvoiceChanges, right: InvoiceChanges): number | undefined =>
    score(left, right)?.comparisons.find(({ field }) => field === 'order')?.halfPoints;
  expect(orderPoints({ purchase_order_ref: 'PO 4500' }, { purchase_order_ref: '4500' })).toBe(2);
  expect(orderPoints({ purchase_order_ref: '4500' }, { purchase_order_ref: '4501' })).toBe(-3);
  expect(orderPoints({ purchase_order_ref: '4500' }, {})).toBeUndefined();
});

describe('an amount that the supplier bills repeatedly', () => {
  test.each([
    [1, -1.5],
    [2, -2.5],
    [3, -3],
    [6, -3.5],
    [12, -4.5],
    [13, -5],
  ])('with %i others takes %f points', (others, points) => {
    const history = inMemoryHistory();
    for (let index = 0; index <= others; index += 1) {
      const issue_date = `2025-01-${String(index + 1).padStart(2, '0')}`;
      history.bill(
        invoiceOf(
          withTax({ invoice_number: `Q${'ABCDEFGHIJKLMNOP'.charAt(index)}-${9000 - index * 311}`, issue_date }),
        ),
      );
    }
    const { analysis, facts } = history.bill(invoiceOf(withTax({ invoice_number: 'ZZ-77', issue_date: '2025-01-20' })));
    const [other] = facts.candidates;
    expect(other).toBeDefined();
    expect(analysis.findings.map(({ type }) => type)).not.toContain('SUSPECTED_DUPLICATE');
    if (other === undefined) return;
    const row = scoreOf(facts, other)?.comparisons.find(({ field }) => field === 'recurrence');
    expect((row?.halfPoints ?? 0) / 2).toBe(points);
    expect(scoreOf(facts, other)?.recurringOthers).toBe(others);
  });
});

test('the same file is twelve points whatever was read from it', () => {
  const documentSha256 = 'a'.repeat(64);
  const history = inMemoryHistory();
  history.bill(invoiceOf(), { origin: { documentSha256, source: 'UPLOAD' } });
  const later = history.factsOf(
    invoiceOf({ supplier: { name: 'Misread' }, invoice_number: '9', gross_amount: '3.00', issue_date: '2024-01-01' }),
    { origin: { documentSha256, source: 'UPLOAD' } },
  );
  const [other] = later.candidates;
  expect(other && scoreOf(later, other)?.halfPoints).toBe(24);
});
