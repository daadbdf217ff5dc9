import { describe, expect, test } from 'vitest';
import type { Candidate, InvoiceOrigin } from '../facts/invoice.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { defaultPolicy } from '../policy/policy.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { COMPANY_ID } from '../testing/in-memory-history.js';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import { bookedInvoiceOf } from './erp-bills.js';

function record(invoiceId: string, changes: InvoiceChanges, origin: Partial<InvoiceOrigin> = {}): Candidate {
  const read = normaliseInvoice(invoiceOf(changes), {
    invoiceId,
    companyId: COMPANY_ID,
    source: 'API',
    receivedAtMs: 1,
    ...origin,
  });
  return { ...read, supplierId: 's' };
}

const bill = record('bill', {}, { source: 'ERP', receivedAtMs: 9 });
const booked = (...candidates: Candidate[]): string | undefined =>
  bookedInvoiceOf(bill, 's', candidates, defaultPolicy.duplicates);

describe('an ERP bill books', () => {
  test('the earlier API or upload invoice that it equals', () => {
    expect(booked(record('a', { invoice_number: 'inv 1042', issue_date: '2025-03-15' }))).toBe('a');
    expect(booked(record('a', {}, { source: 'UPLOAD' }))).toBe('a');
  });
  test.each<[string, Candidate]>([
    ['of another amount', record('a', { gross_amount: '1200.01' })],
    ['of another number', record('a', { invoice_number: 'INV-1043' })],
    ['more than five days apart', record('a', { issue_date: '2025-03-16' })],
    ['that came after it', record('a', {}, { receivedAtMs: 10 })],
    ['of another company', record('a', {}, { companyId: 'other' })],
    ['of a scan', record('a', {}, { source: 'SCAN' })],
    ['of another supplier', { ...record('a', {}), supplierId: 'other' }],
  ])('no invoice %s', (_, candidate) => {
    expect(booked(candidate)).toBeUndefined();
  });
  test('one invoice each: the second bill books none', () => {
    const otherBill = { ...record('b', {}, { source: 'ERP', receivedAtMs: 8 }), bookedInvoiceId: 'a' };
    expect(booked(record('a', {}), otherBill)).toBeUndefined();
    expect(booked(record('a', {}), otherBill, record('c', {}, { receivedAtMs: 2 }))).toBe('c');
  });
});
