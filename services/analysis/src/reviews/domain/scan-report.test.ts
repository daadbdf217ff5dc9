import { describe, expect, test } from 'vitest';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import type { ScanFinding, ScanInvoice } from '../../records/domain/scan-records.js';
import { scanReport } from './scan-report.js';

const invoice = (
  invoiceId: string,
  amount: string | null,
  { date = '2026-03-31', decision = 'PASS' as ScanInvoice['decision'], currency = 'EUR' } = {},
): ScanInvoice => ({
  invoiceId,
  decision,
  issueDay: dayNumber(date),
  base: amount === null ? null : { currency, amount, rate: '1', source: 'IDENTITY' },
});
const finding = (invoiceId: string, amount: string, part: Partial<ScanFinding> = {}): ScanFinding => ({
  type: 'DUPLICATE_INVOICE',
  severity: 'HIGH',
  disposition: 'OPEN',
  createdAt: new Date('2026-04-01T00:00:00Z'),
  invoiceId,
  scanId: 'scan',
  relatedInvoiceIds: [],
  supplierId: 's1',
  supplierName: 'Acme',
  amountAtRisk: { currency: 'EUR', amount },
  ...part,
});
const savings = (invoices: ScanInvoice[], findings: ScanFinding[]) => {
  const { potential, confirmed, dismissed } = scanReport(invoices, findings, 'EUR').savings;
  return [potential, confirmed, dismissed];
};

test('invoices are counted by decision and by month of issue, those without a rate without an amount', () => {
  const { byDecision, byMonth } = scanReport(
    [
      invoice('a', '100.005', { decision: 'BLOCK' }),
      invoice('b', '50', { decision: 'BLOCK', date: '2026-01-01' }),
      invoice('c', null),
      invoice('d', '70', { currency: 'USD' }),
      invoice('e', '-20'),
    ],
    [finding('b', '50.00')],
    'EUR',
  );
  expect(byDecision).toEqual([
    { decision: 'PASS', invoices: 3, amount: '-20.00' },
    { decision: 'REVIEW', invoices: 0, amount: '0.00' },
    { decision: 'BLOCK', invoices: 2, amount: '150.01' },
  ]);
  expect(byMonth).toEqual([
    { month: '2026-01', invoices: 1, amount: '50.00', amountAtRisk: '50.00' },
    { month: '2026-03', invoices: 4, amount: '80.01', amountAtRisk: '0.00' },
  ]);
});

test('families and suppliers are ordered by amount at risk, in which each invoice counts once', () => {
  const { byFamily, topSuppliers } = scanReport(
    [invoice('a', '100'), invoice('b', '300')],
    [
      finding('a', '100.00'),
      finding('a', '100.00', { type: 'SUSPECTED_DUPLICATE' }),
      finding('b', '300.00', { type: 'BANK_ACCOUNT_CHANGED', supplierId: 's2', supplierName: 'Beta' }),
      finding('b', '300.00', { severity: 'LOW', supplierId: 's2', supplierName: 'Beta' }),
      finding('', '0', { type: 'VENDOR_RECORD_DUPLICATE', invoiceId: undefined, supplierId: undefined } as never),
    ],
    'EUR',
  );
  expect(byFamily).toEqual([
    { key: 'BANK', findings: 1, invoices: 1, amountAtRisk: '300.00' },
    { key: 'DUP', findings: 3, invoices: 2, amountAtRisk: '100.00' },
    { key: 'SCAN', findings: 1, invoices: 0, amountAtRisk: '0.00' },
  ]);
  expect(topSuppliers).toEqual([
    { key: 's2', supplierName: 'Beta', findings: 2, invoices: 1, amountAtRisk: '300.00' },
    { key: 's1', supplierName: 'Acme', findings: 2, invoices: 1, amountAtRisk: '100.00' },
  ]);
});

test('the 10 suppliers with the largest amounts are listed, and the 11th is not', () => {
  const ids = Array.from({ length: 11 }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const findings = ids.map((supplierId, at) => finding(supplierId, `${100 + at}.00`, { supplierId }));
  const { topSuppliers } = scanReport([], findings, 'EUR');
  expect(topSuppliers.map(({ key }) => key)).toEqual(ids.toReversed().slice(0, 10));
});

describe('savings', () => {
  const [a, b, c] = [invoice('a', '100'), invoice('b', '90'), invoice('c', '120')];

  test('count a group of duplicates once, with its smallest gross amount, however its findings connect it', () => {
    const chain = [
      finding('b', '90.00', { relatedInvoiceIds: ['a'] }),
      finding('c', '120.00', { relatedInvoiceIds: ['b'] }),
    ];
    expect(savings([a, b, c], chain)).toEqual(['90.00', '0.00', '0.00']);
    expect(savings([a, b, c], chain.toReversed())).toEqual(['90.00', '0.00', '0.00']);
    // The other invoice was not part of the scan.
    expect(savings([c], [finding('c', '120.00', { relatedInvoiceIds: ['z'] })])).toEqual(['120.00', '0.00', '0.00']);
  });

  test('count two separate groups, and other findings of one invoice once', () => {
    expect(
      savings(
        [a, b, c],
        [
          finding('b', '90.00', { relatedInvoiceIds: ['a'] }),
          finding('c', '120.00', { type: 'BANK_ACCOUNT_CHANGED' }),
          finding('c', '30.00', { type: 'TAX_ARITHMETIC_MISMATCH' }),
          finding('a', '20.00', { type: 'TAX_ARITHMETIC_MISMATCH' }),
        ],
      ),
    ).toEqual(['210.00', '0.00', '0.00']);
  });

  test('say what reviews confirmed and dismissed, without counting an amount twice', () => {
    const [duplicate, bank] = [{ relatedInvoiceIds: ['a'] }, { type: 'BANK_ACCOUNT_CHANGED' as const }];
    expect(savings([a, b], [finding('b', '90.00', { ...duplicate, disposition: 'CONFIRMED' })])).toEqual([
      '0.00',
      '90.00',
      '0.00',
    ]);
    expect(
      savings(
        [a, b, c],
        [
          finding('b', '90.00', { ...duplicate, disposition: 'RESOLVED' }),
          finding('b', '90.00', bank),
          finding('c', '120.00', { ...bank, disposition: 'FALSE_POSITIVE' }),
          finding('c', '120.00', { ...bank, disposition: 'SUPERSEDED' }),
          finding('c', '10.00', { type: 'TAX_ARITHMETIC_MISMATCH' }),
        ],
      ),
    ).toEqual(['10.00', '90.00', '110.00']);
  });

  test('leave out findings that stop no payment, and amounts in another currency', () => {
    expect(
      savings(
        [a],
        [
          finding('a', '100.00', { severity: 'LOW' }),
          finding('a', '100.00', { severity: 'LOW', disposition: 'ACCEPTED_RISK' }),
          finding('a', '0.00'),
          finding('a', '100.00', { amountAtRisk: { currency: 'USD', amount: '100.00' } }),
        ],
      ),
    ).toEqual(['0.00', '0.00', '0.00']);
  });
});
