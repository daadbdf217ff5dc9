import { describe, expect, test } from 'vitest';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import type { Finding } from '../explanation/evidence.js';
import type { BookedBill } from '../facts/books.js';
import type { Candidate } from '../facts/invoice.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { defaultPolicy } from '../policy/policy.js';
import { runEngineOnBooks } from '../run-engine.js';
import { requireEvidenceContract } from '../testing/evidence-contract.js';
import { COMPANY_ID } from '../testing/in-memory-history.js';

let arrivals = 0;

function bill(invoiceId: string, changes: InvoiceChanges = {}, others: Partial<Candidate> = {}): Candidate {
  const origin = { invoiceId, companyId: COMPANY_ID, source: 'ERP', receivedAtMs: ++arrivals } as const;
  return { ...normaliseInvoice(invoiceOf(changes), origin), supplierId: 's', ...others };
}

function findingsIn(...bills: BookedBill[]): Finding[] {
  const nothing = {
    vendors: [],
    vendorCount: 0,
    accountChanges: [],
    payments: [],
    credits: [],
    duplicatePairs: new Set<string>(),
    creditedPairs: new Map(),
  };
  const findings = runEngineOnBooks({ companyId: COMPANY_ID, ...nothing, bills }, defaultPolicy);
  requireEvidenceContract(findings);
  return findings;
}

const found = (later: Candidate, others: Candidate[], paidIds: string[] = [], settledIds: string[] = []) =>
  findingsIn({ bill: later, others, paidIds, settledIds });

describe('BOOKS_DUPLICATE_BILL', () => {
  test('is raised for a bill that was entered twice', () => {
    const first = bill('first');
    expect(found(bill('second', { invoice_number: 'inv 1042' }), [first])).toMatchObject([
      {
        type: 'BOOKS_DUPLICATE_BILL',
        family: 'SCAN',
        severity: 'HIGH',
        confidence: 95,
        relatedInvoiceIds: ['first', 'second'],
        evidence: { matched: [{ invoiceId: 'first' }], comparisons: expect.any(Array) },
      },
    ]);
  });
  test('is raised for a bill that was entered under two vendor records of one tax id', () => {
    expect(found(bill('second', {}, { supplierId: 'other' }), [bill('first')])).toMatchObject([{ severity: 'MEDIUM' }]);
  });
  test('is MEDIUM where number or amount are only similar', () => {
    for (const changes of [{ invoice_number: 'INV-1042A' }, { invoice_number: 'INV-IO42' }]) {
      expect(found(bill('second', changes), [bill('first')])).toMatchObject([{ severity: 'MEDIUM', confidence: 85 }]);
    }
  });
  test('has one key, whichever of the two bills is examined', () => {
    const [first, second] = [bill('first'), bill('second')];
    const [fromSecond] = found(second, [first]);
    const [fromFirst] = found(first, [second]);
    expect(fromFirst).toEqual(fromSecond);
  });
  test('names each further copy with the first bill', () => {
    const [first, second, third] = [bill('first'), bill('second'), bill('third')];
    expect(found(third, [first, second])).toMatchObject([{ relatedInvoiceIds: ['first', 'third'] }]);
    expect(found(first, [second, third])).toHaveLength(2);
  });
  test('says that one of the two is paid, and is a duplicate payment once both are', () => {
    const [first, second] = [bill('first'), bill('second')];
    const saysOfPaid = (finding?: Finding) => finding?.evidence.explanation[0];
    expect(saysOfPaid(found(second, [first])[0])).toBe('Neither of the two bills has been paid.');
    expect(saysOfPaid(found(second, [first], ['first'])[0])).toBe('One of the two bills has been paid.');
    expect(found(second, [first], ['first', 'second'])).toMatchObject([
      {
        type: 'DUPLICATE_PAYMENT',
        severity: 'CRITICAL',
        confidence: 95,
        evidence: { paymentIds: ['first', 'second'], dates: ['2025-03-10', '2025-03-10'] },
      },
    ]);
  });
  test('leaves it to the payments where those of both bills are known', () => {
    const [first, second] = [bill('first'), bill('second')];
    const both = ['first', 'second'];
    expect(found(second, [first], both, both)).toEqual([]);
    expect(found(second, [first], both, ['first'])).toHaveLength(1);
  });
  test('of two paid bills with similar numbers only those of one month count', () => {
    const paid = (issueDate: string) =>
      found(
        bill('second', { invoice_number: 'INV-1042A', issue_date: issueDate }),
        [bill('first')],
        ['first', 'second'],
      );
    expect(paid('2025-04-09')).toMatchObject([{ type: 'DUPLICATE_PAYMENT', severity: 'HIGH', confidence: 80 }]);
    expect(paid('2025-04-10')).toEqual([]);
  });
  test.each<[string, InvoiceChanges, Partial<Candidate>]>([
    ['the next number', { invoice_number: 'INV-1043' }, {}],
    ['another number and month', { invoice_number: 'INV-1077', issue_date: '2025-04-10' }, {}],
    ['another amount under another number', { invoice_number: 'X-77', gross_amount: '5.00' }, {}],
    ['the credit note', { gross_amount: '-1200.00' }, {}],
    ['a bill that was voided', {}, { status: 'VOID' }],
    ['the bill of another company', {}, { companyId: 'other' }],
  ])('is not raised for %s', (_, changes, others) => {
    expect(found(bill('second'), [bill('first', changes, others)])).toEqual([]);
  });
});

// These tests enter a bill, a credit note over its amount, and the bill again (detection reference, section 7.6).
describe('a credit note between two bills', () => {
  const VENDOR = { name: 'Acme Supplies', tax_id: 'DE136695976' };
  /** Fields that each ERP reports of a vendor and its bills. */
  const erps: [string, InvoiceChanges, Partial<Candidate>][] = [
    ['Business Central', { supplier: VENDOR }, {}],
    ['Odoo', { supplier: VENDOR, purchase_order_ref: 'P00012' }, { supplierId: null }],
    ['QuickBooks', { supplier: { name: VENDOR.name } }, { supplierId: null }],
    ['Xero', { supplier: VENDOR }, { supplierId: 's' }],
  ];
  const numbers: [string, string][] = [
    ['the same', 'INV-1042'],
    ['the same with a suffix', 'INV-1042-CR'],
    ['the same with a letter', 'INV-1042C'],
    ['one of its own', 'CN-77'],
    ['one that names the bill', 'CN-INV-1042'],
    ['a text that names the entry', 'Reversal of: BILL/2025/03/0001'],
  ];
  const days: [string, string, string, string][] = [
    ['days apart', '2025-03-01', '2025-03-05', '2025-03-10'],
    ['of one day', '2025-03-10', '2025-03-10', '2025-03-10'],
    ['months apart', '2025-03-01', '2025-03-05', '2025-05-20'],
  ];
  const cases = erps.flatMap(([erp, changes, others]) =>
    numbers.flatMap(([named, number]) =>
      days.map(([apart, ...dates]) => ({ erp, named, number, apart, dates, changes, others })),
    ),
  );
  test.each(cases)('clears them: $erp, $apart, its number is $named', ({ number, dates, changes, others }) => {
    const [billed, credited, again] = dates;
    const first = bill('first', { ...changes, issue_date: billed }, others);
    const second = bill('second', { ...changes, issue_date: again }, others);
    const note = { invoice_number: number, issue_date: credited, gross_amount: '-1200.00' };
    const credit = bill('credit', { ...changes, ...note }, others);
    expect(found(second, [first])).toHaveLength(1);
    for (const paidIds of [[], ['first'], ['first', 'second']]) {
      expect(found(second, [first, credit], paidIds)).toEqual([]);
      expect(found(first, [credit, second], paidIds)).toEqual([]);
    }
  });

  const on = (day: number): string => `2025-03-${String(day).padStart(2, '0')}`;
  const billed = (invoiceId: string, day: number, changes: InvoiceChanges = {}, others: Partial<Candidate> = {}) =>
    bill(invoiceId, { issue_date: on(day), ...changes }, others);
  const credited = (invoiceId: string, day: number, changes: InvoiceChanges = {}, others: Partial<Candidate> = {}) =>
    billed(invoiceId, day, { invoice_number: `CN-${invoiceId}`, gross_amount: '-1200.00', ...changes }, others);
  /** Returns the pairs that are found, and checks that they are the same whichever of the bills is examined. */
  const pairsAmong = (...records: Candidate[]): string[] => {
    const bills = records.map((one) => ({ bill: one, others: records.filter((other) => other !== one) }));
    const findings = findingsIn(...bills.map((booked) => ({ ...booked, paidIds: [], settledIds: [] })));
    return [...new Set(findings.map(({ relatedInvoiceIds }) => relatedInvoiceIds.join(' ')))].sort();
  };

  test.each<[string, Candidate]>([
    ['over another amount', credited('c', 5, { gross_amount: '-1199.99' })],
    ['over a part of the amount', credited('c', 5, { gross_amount: '-600.00' })],
    ['in another currency', credited('c', 5, { currency: 'USD' })],
    ['of another supplier', credited('c', 5, {}, { supplierId: 'other' })],
    ['of another company', credited('c', 5, {}, { companyId: 'other' })],
    ['before both bills', credited('c', 28, { issue_date: '2025-02-28' })],
    ['after both bills', credited('c', 11)],
    ['that was voided', credited('c', 5, {}, { status: 'VOID' })],
  ])('does not clear them %s', (_, credit) => {
    const [first, second] = [billed('first', 1), billed('second', 10)];
    expect(pairsAmong(first, credit, second)).toEqual(['first second']);
  });
  test('does not clear them when it names another bill', () => {
    const other = billed('other', 2, { invoice_number: 'INV-7731' });
    const credit = credited('c', 5, { invoice_number: 'CN-INV-7731' });
    expect(pairsAmong(billed('first', 1), other, credit, billed('second', 10))).toEqual(['first second']);
    const [first, second, note] = [billed('first', 1), billed('second', 10), credited('c', 5)];
    const elsewhere = { bill: second, others: [first, note], paidIds: [], settledIds: [] };
    expect(findingsIn(elsewhere)).toEqual([]);
    expect(findingsIn({ ...elsewhere, creditedIds: new Map([['c', ['far-away']]]) })).toHaveLength(1);
  });
  const DAY_MS = 86_400_000;
  test.each([
    [0, []],
    [5, []],
    [5 + 1 / DAY_MS, ['first second']],
  ])('does not clear them when it is dated back: found %d days after the second bill', (daysLater, expected) => {
    const [first, second] = [billed('first', 1), billed('second', 10)];
    const receivedAtMs = second.receivedAtMs + daysLater * DAY_MS;
    expect(pairsAmong(first, second, credited('c', 5, {}, { receivedAtMs }))).toEqual(expected);
  });
  test('clears one of three bills, and two clear two', () => {
    const bills = [billed('1', 1), billed('2', 10), billed('3', 20)];
    expect(pairsAmong(...bills)).toEqual(['1 2', '1 3']);
    expect(pairsAmong(...bills, credited('c', 5))).toEqual(['2 3']);
    expect(pairsAmong(...bills, credited('c', 15))).toEqual(['1 2', '1 3']);
    expect(pairsAmong(...bills, credited('c', 5), credited('d', 15))).toEqual([]);
    expect(pairsAmong(...bills, credited('c', 5), credited('d', 6))).toEqual(['2 3']);
  });
  test('clears one of two pairs of one amount, the pair that is billed again first', () => {
    const other = { invoice_number: 'INV-7731' };
    const bills = [billed('1', 1), billed('a', 2, other), billed('b', 10, other), billed('2', 11)];
    expect(pairsAmong(...bills)).toEqual(['1 2', 'a b']);
    expect(pairsAmong(...bills, credited('c', 5))).toEqual(['1 2']);
    expect(pairsAmong(...bills, credited('c', 5), credited('d', 6))).toEqual([]);
    // A credit note that names a bill is used for that bill, so the other credit note remains for the other pair.
    expect(pairsAmong(...bills, credited('c', 5, { invoice_number: 'CN-INV-1042' }))).toEqual(['a b']);
    expect(pairsAmong(...bills, credited('c', 4), credited('d', 6, { invoice_number: 'CN-INV-7731' }))).toEqual([]);
  });
  test('takes back what was billed, where the bill comes again over another amount', () => {
    const mistyped = billed('first', 1, { gross_amount: '1200.00' });
    const corrected = billed('second', 10, { gross_amount: '1020.00' });
    expect(pairsAmong(mistyped, corrected)).toEqual(['first second']);
    expect(pairsAmong(mistyped, credited('c', 5), corrected)).toEqual([]);
    expect(pairsAmong(mistyped, credited('c', 5, { gross_amount: '-1020.00' }), corrected)).toEqual(['first second']);
  });
});
