import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Candidate, InvoiceOrigin } from './invoice.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { compareByArrival } from './record-order.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';

function record(origin: Partial<InvoiceOrigin>, issue_date = '2025-03-10'): Candidate {
  return normaliseInvoice(invoiceOf({ issue_date }), {
    invoiceId: 'a',
    companyId: 'c',
    source: 'API',
    receivedAtMs: 0,
    ...origin,
  });
}

describe('the earlier of two records', () => {
  test('is the one received first', () => {
    expect(compareByArrival(record({ receivedAtMs: 1, invoiceId: 'z' }), record({ receivedAtMs: 2 }))).toBeLessThan(0);
  });
  test('is the one with the smaller id when both came at once', () => {
    expect(compareByArrival(record({ invoiceId: 'a' }), record({ invoiceId: 'b' }))).toBeLessThan(0);
  });
  test('is in a scan the one with the earlier date, then row, then position', () => {
    const row = (invoiceId: string, rowNo: number, position: number, date?: string): Candidate =>
      record({ invoiceId, scanId: 's', rowNo, position }, date);
    expect(compareByArrival(row('z', 9, 9, '2025-01-01'), row('a', 1, 1))).toBeLessThan(0);
    expect(compareByArrival(row('z', 1, 9), row('a', 2, 1))).toBeLessThan(0);
    expect(compareByArrival(row('z', 1, 1), row('a', 1, 2))).toBeLessThan(0);
  });
});

test('the order is total: of two different records exactly one is earlier, and sorting is stable for all', () => {
  const any = fc
    .record({
      invoiceId: fc.uuid(),
      receivedAtMs: fc.integer({ min: 0, max: 2 }),
      scanId: fc.option(fc.constantFrom('s1', 's2'), { nil: undefined }),
      rowNo: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ scanId, ...origin }) => record({ ...origin, ...(scanId === undefined ? {} : { scanId }) }));
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      expect(Math.sign(compareByArrival(a, b))).toBe(-Math.sign(compareByArrival(b, a)) + 0);
      if (compareByArrival(a, b) < 0 && compareByArrival(b, c) < 0) expect(compareByArrival(a, c)).toBeLessThan(0);
    }),
  );
});
