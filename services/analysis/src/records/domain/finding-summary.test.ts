import { describe, expect, test } from 'vitest';
import { summarizeFindings } from './finding-summary.js';
import type { FindingSummary, FindingTotals, SummarizedFinding } from './finding-summary.js';

const one = (changes: Partial<SummarizedFinding> = {}, amount = '100.00', currency = 'EUR'): SummarizedFinding => ({
  type: 'DUPLICATE_INVOICE',
  severity: 'HIGH',
  disposition: 'OPEN',
  createdAt: new Date('2026-03-31T23:59:59.999Z'),
  invoiceId: 'i1',
  amountAtRisk: { currency, amount },
  ...changes,
});

/** Formats totals as `key count/open at risk/confirmed`. */
const line = ({ key, count, open, amountAtRisk, amountConfirmed }: FindingTotals): string =>
  `${key} ${count}/${open} ${amountAtRisk}/${amountConfirmed}`.trim();
const summaryOf = (
  findings: SummarizedFinding[],
  baseCurrency = 'EUR',
  minSeverity?: SummarizedFinding['severity'],
): FindingSummary => {
  const steps = summarizeFindings(findings, baseCurrency, minSeverity);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};
const total = (...findings: SummarizedFinding[]): string => line(summaryOf(findings).total);

describe('in a row of figures', () => {
  test('several open findings of one invoice put its largest amount at risk, once', () => {
    expect(total(one(), one({ type: 'BANK_ACCOUNT_CHANGED' }), one({ type: 'PO_OVERBILLED' }, '30.00'))).toBe(
      '3/3 100.00/0.00',
    );
  });

  test('invoices add up exactly', () => {
    const cents = Array.from({ length: 1_000 }, (_, index) => one({ invoiceId: `i${index}` }, '0.10'));
    expect(total(...cents)).toBe('1000/1000 100.00/0.00');
  });

  test('what is confirmed is no longer at risk; what exceeds it still is', () => {
    const confirmed = one({ disposition: 'CONFIRMED' }, '30.00');
    expect(total(confirmed, one({ type: 'BANK_ACCOUNT_CHANGED' }))).toBe('2/1 70.00/30.00');
    expect(total(one({ disposition: 'RESOLVED' }), one({ type: 'BANK_ACCOUNT_CHANGED' }))).toBe('2/1 0.00/100.00');
  });

  test('what lets an invoice pass puts nothing at risk, and counts once a review confirmed it', () => {
    for (const severity of ['INFO', 'LOW'] as const) expect(total(one({ severity }))).toBe('1/1 0.00/0.00');
    expect(total(one({ severity: 'LOW', disposition: 'CONFIRMED' }))).toBe('1/0 0.00/100.00');
  });

  test('what scans found of the past is told apart from what was stopped', () => {
    const disposition = 'CONFIRMED' as const;
    const paid = one({ disposition, scanId: 's1', invoiceId: 'i2' }, '40.00');
    const again = one({ disposition, scanId: 's1', invoiceId: 'i2', type: 'SPLIT_DUPLICATE' }, '30.00');
    expect(summaryOf([one({ disposition }), paid, again]).total).toMatchObject({
      amountConfirmed: '140.00',
      amountConfirmedInScans: '40.00',
    });
  });

  test.each<[SummarizedFinding['disposition'], string]>([
    ['OPEN', '1/1 100.00/0.00'],
    ['UNDER_REVIEW', '1/1 100.00/0.00'],
    ['CONFIRMED', '1/0 0.00/100.00'],
    ['RESOLVED', '1/0 0.00/100.00'],
    ['FALSE_POSITIVE', '1/0 0.00/0.00'],
    ['ACCEPTED_RISK', '1/0 0.00/0.00'],
    ['SUPERSEDED', '1/0 0.00/0.00'],
  ])('a finding that is %s counts as %s', (disposition, figures) => {
    expect(total(one({ disposition }))).toBe(figures);
  });
});

test('findings without an amount, or with one in an earlier base currency, are counted and told apart', () => {
  const { amountAtRisk: _, ...unknown } = one();
  const { invoiceId: __, ...ofScan } = unknown;
  const summary = summaryOf([one(), unknown, ofScan, one({ invoiceId: 'i2' }, '7.00', 'PLN')]);
  expect(line(summary.total)).toBe('4/4 100.00/0.00');
  expect(summary).toMatchObject({ baseCurrency: 'EUR', withoutAmount: 3 });
});

test('the rows name every severity and disposition, types by what is at risk, and months in order', () => {
  const summary = summaryOf([
    one({ severity: 'CRITICAL' }),
    one({ type: 'BANK_ACCOUNT_CHANGED', invoiceId: 'i2', createdAt: new Date('2026-04-01T00:00:00Z') }, '900.00'),
    one({ type: 'SUPPLIER_NEW', severity: 'INFO', createdAt: new Date('2025-12-05T00:00:00Z') }, '0.00'),
  ]);
  expect(summary.byType.map(line)).toEqual([
    'BANK_ACCOUNT_CHANGED 1/1 900.00/0.00',
    'DUPLICATE_INVOICE 1/1 100.00/0.00',
    'SUPPLIER_NEW 1/1 0.00/0.00',
  ]);
  expect(summary.bySeverity.map(line)).toEqual([
    'CRITICAL 1/1 100.00/0.00',
    'HIGH 1/1 900.00/0.00',
    'MEDIUM 0/0 0.00/0.00',
    'LOW 0/0 0.00/0.00',
    'INFO 1/1 0.00/0.00',
  ]);
  expect(summary.byDisposition.map(({ key, count }) => `${key} ${count}`)).toEqual([
    'OPEN 3',
    'UNDER_REVIEW 0',
    'CONFIRMED 0',
    'FALSE_POSITIVE 0',
    'ACCEPTED_RISK 0',
    'RESOLVED 0',
    'SUPERSEDED 0',
  ]);
  expect(summary.byMonth.map(({ key, count }) => `${key} ${count}`)).toEqual(['2025-12 1', '2026-03 1', '2026-04 1']);
});

test('severities below the least that was asked for have no row', () => {
  const { bySeverity } = summaryOf([one()], 'EUR', 'HIGH');
  expect(bySeverity.map(line)).toEqual(['CRITICAL 0/0 0.00/0.00', 'HIGH 1/1 100.00/0.00']);
});

test('nothing comes to zero in the decimals of the base currency', () => {
  expect(line(summaryOf([], 'JPY').total)).toBe('0/0 0/0');
});
