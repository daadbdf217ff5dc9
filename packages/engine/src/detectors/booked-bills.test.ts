import { describe, expect, test } from '@jest/globals';
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
    expect(saysOfPaid(found(second, [first])[0])).toBe('Neither of the two bills is paid.');
    expect(saysOfPaid(found(second, [first], ['first'])[0])).toBe('One of the two bills is paid.');
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
  test('is raised for a bill that another company was credited in between', () => {
    const first = bill('first', { issue_date: '2025-03-01' });
    const changes = { invoice_number: 'CN-1', issue_date: '2025-03-05', gross_amount: '-1200.00' };
    const credit = { ...bill('credit', changes), companyId: 'c-other' };
    const copy = bill('again', { invoice_number: 'INV-1042A', issue_date: '2025-03-10' });
    expect(found(copy, [first, credit])).toEqual(found(copy, [first]));
    expect(found(copy, [first])).not.toEqual([]);
  });
  test('is not raised for a bill that was credited in between', () => {
    const first = bill('first', { issue_date: '2025-03-01' });
    const credit = bill('credit', { invoice_number: 'CN-1', issue_date: '2025-03-05', gross_amount: '-1200.00' });
    expect(found(bill('again', { invoice_number: 'INV-1042A', issue_date: '2025-03-10' }), [first, credit])).toEqual(
      [],
    );
  });
});
