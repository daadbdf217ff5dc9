import { describe, expect, test } from 'vitest';
import { recordFault } from './check-record.js';
import { completeBill } from './complete-bill.js';
import * as records from './records.js';
import type { AccountRecord, BillRecord, PaymentRecord } from './records.js';

const bill: BillRecord = {
  externalId: 'b1',
  kind: 'BILL',
  documentNumber: 'RE-1',
  vendorExternalId: 'v1',
  vendorName: 'Vendor',
  issueDate: '2026-09-14',
  currency: 'EUR',
  grossAmount: '1190.00',
  purchaseOrderRefs: [],
  state: 'OPEN',
};
const payment: PaymentRecord = {
  externalId: 'p1',
  vendorExternalId: 'v1',
  date: '2026-09-20',
  currency: 'EUR',
  amount: '10',
  billExternalIds: [],
  isReturned: false,
};
const account: AccountRecord = {
  externalId: 'a1',
  raw: '1',
  isMasked: false,
};

describe('a bill of an ERP', () => {
  test.each([
    ['an id of 201 characters', { externalId: 'x'.repeat(201) }],
    ['half a surrogate pair', { documentNumber: 'A\uD800' }],
    ['NUL', { vendorName: 'A\0' }],
    ['a line break', { documentNumber: 'A\nB' }],
    ['an override of the direction', { purchaseOrderRefs: ['A\u202eB'] }],
    ['a link that nobody can read', { url: 'https://erp.example/\u202e' }],
    ['a funds code', { currency: 'CHE' }],
    ['an exponent', { netAmount: '1e3' }],
    ['16 digits', { grossAmount: '1234567890123456' }],
    ['seven decimals', { grossAmount: '1.1234567' }],
    ['a day that is none', { dueDate: '2026-02-30' }],
    ['a link that is no address', { url: 'javascript:alert(1)' }],
    ['too many orders', { purchaseOrderRefs: Array.from({ length: records.REFERENCES_MAX + 1 }, () => 'PO') }],
    ['no date though it is open', { issueDate: undefined }],
  ])('is refused with %s', (_, changes) => {
    expect(recordFault(records.bill, { ...bill, ...changes })).toEqual(expect.any(String));
  });

  test.each([
    ['an id of 200 characters', { externalId: 'x'.repeat(200) }],
    ['15 digits', { grossAmount: '123456789012345.123456' }],
    ['as many orders as are stored', { purchaseOrderRefs: Array.from({ length: records.REFERENCES_MAX }, () => 'PO') }],
    ['no date while it is a draft', { issueDate: undefined, state: 'DRAFT' as const }],
    ['a link', { url: 'https://erp.example/bills/1' }],
  ])('is taken with %s', (_, changes) => {
    expect(recordFault(records.bill, { ...bill, ...changes })).toBeUndefined();
  });

  test('is complete with the number of the ERP where the supplier has given none', () => {
    expect(completeBill({ ...bill, documentNumber: ' ', erpNumber: '108001' })?.documentNumber).toBe('108001');
    const { documentNumber, ...unnumbered } = bill;
    const { grossAmount, ...unpriced } = bill;
    expect(completeBill(unnumbered)).toBeUndefined();
    expect(completeBill(unpriced)).toBeUndefined();
  });
});

test('a payment is refused without a day and with more bills than it can name', () => {
  const settling = (count: number) => ({ ...payment, billExternalIds: Array.from({ length: count }, () => 'b') });
  expect(recordFault(records.payment, payment)).toBeUndefined();
  expect(recordFault(records.payment, { ...payment, date: '' })).toEqual(expect.any(String));
  expect(recordFault(records.payment, settling(records.REFERENCES_MAX))).toBeUndefined();
  expect(recordFault(records.payment, settling(records.REFERENCES_MAX + 1))).toEqual(expect.any(String));
});

test('an account that is listed apart names its vendor once, and has both halves of a UK account or none', () => {
  const named = { externalId: 'a1', vendorExternalId: 'v1', vendorNumber: undefined, account };
  expect(recordFault(records.vendorAccount, named)).toBeUndefined();
  expect(recordFault(records.vendorAccount, { ...named, vendorNumber: '1' })).toEqual(expect.any(String));
  expect(recordFault(records.vendorAccount, { ...named, vendorExternalId: undefined })).toEqual(expect.any(String));
  expect(recordFault(records.vendorAccount, { ...named, account: { ...account, sortCode: '601613' } })).toEqual(
    expect.any(String),
  );
});
