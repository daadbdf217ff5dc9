import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as contract from '@invoicecontrol/contracts/analysis/v1/erp_import_service';
import { DomainError } from '@invoicecontrol/errors';
import type {
  AccountRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorAccountRecord,
  VendorRecord,
} from './records.js';
import * as wire from './wire.js';

const modifiedAt = new Date('2026-03-02T10:11:12.130Z');
const url = 'https://erp.example/1';
const account: Required<AccountRecord> = {
  externalId: 'a1',
  iban: 'GB29NWBK60161331926819',
  sortCode: '601613',
  accountNumber: '31926819',
  raw: 'GB29 NWBK 6016 1331 9268 19',
  holder: 'Acme Ltd',
  bic: 'NWBKGB2L',
  isMasked: true,
  isTrusted: false,
};
const vendor: Required<VendorRecord> = {
  externalId: 'v1',
  number: '10000',
  name: 'Acme Ltd',
  taxId: 'GB123456789',
  isTaxIdMasked: true,
  registrationNumber: '01234567',
  address: { line1: 'A', line2: 'B', city: 'C', region: 'D', postalCode: 'E', country: 'GB' },
  email: 'a@example.com',
  phone: '1',
  currency: 'GBP',
  status: 'BLOCKED',
  mergedIntoExternalId: 'v2',
  accounts: [account],
  modifiedAt,
  url,
};
const bill: Required<BillRecord> = {
  externalId: 'b1',
  kind: 'CREDIT_NOTE',
  documentNumber: 'RE-1',
  erpNumber: '108001',
  vendorExternalId: 'v1',
  vendorName: 'Acme Ltd',
  issueDate: '2026-03-01',
  dueDate: '2026-03-31',
  currency: 'GBP',
  netAmount: '100.00',
  taxAmount: '20',
  grossAmount: '120.000000',
  purchaseOrderRefs: ['PO-7', 'PO-8'],
  state: 'PARTIALLY_PAID',
  paidAmount: '1',
  paidAccountExternalId: 'a1',
  modifiedAt,
  url,
};
const order: Required<OrderRecord> = {
  externalId: 'o1',
  number: 'PO-7',
  vendorExternalId: 'v1',
  currency: 'GBP',
  netAmount: '100.00',
  grossAmount: '120',
  modifiedAt,
};
const payment: Required<PaymentRecord> = {
  externalId: 'p1',
  vendorExternalId: 'v1',
  date: '2026-03-02',
  currency: 'GBP',
  amount: '120',
  reference: 'RE-1',
  billExternalIds: ['b1', 'b2'],
  account,
  isReturned: true,
  modifiedAt,
};
const listed: VendorAccountRecord = { externalId: 'a1', vendorExternalId: 'v1', account };

interface Codec<M> {
  create(base?: object): M;
  encode(message: M): { finish(): Uint8Array };
  decode(bytes: Uint8Array): M;
}

/** Fields of the contract that records no longer have. */
const DEPRECATED = ['postingDate'];

/** Returns a record as analysis receives it after erp-sync sent it. */
function sent<R, M extends object>(
  record: R,
  message: Codec<M>,
  toWire: (record: R) => M,
  fromWire: (message: M) => R,
): { readonly arrives: boolean; readonly names: readonly string[]; readonly known: readonly string[] } {
  const wired = toWire(record);
  return {
    arrives: isDeepStrictEqual(fromWire(message.decode(message.encode(wired).finish())), record),
    names: Object.keys(wired).sort(),
    known: Object.keys(message.create())
      .filter((name) => !DEPRECATED.includes(name))
      .sort(),
  };
}

test.each([
  ['a vendor', sent(vendor, contract.ErpVendor, wire.vendorToWire, wire.vendorFromWire)],
  ['an account', sent(listed, contract.ErpVendorAccount, wire.vendorAccountToWire, wire.vendorAccountFromWire)],
  ['a bill', sent(bill, contract.ErpBill, wire.billToWire, wire.billFromWire)],
  ['an order', sent(order, contract.ErpOrder, wire.orderToWire, wire.orderFromWire)],
  ['a payment', sent(payment, contract.ErpPayment, wire.paymentToWire, wire.paymentFromWire)],
])('the message of %s carries every field of the record, and has no other', (_, { arrives, names, known }) => {
  expect(arrives).toBe(true);
  expect(names).toEqual(known);
});

test('an account within a message has no other field either', () => {
  const { account: part } = wire.vendorAccountToWire(listed);
  expect(Object.keys(part ?? {}).sort()).toEqual(Object.keys(contract.ErpAccount.create()).sort());
});

test('a vendor whose accounts are listed apart is told from one that has none', () => {
  const { accounts, ...apart } = vendor;
  expect(wire.vendorFromWire(wire.vendorToWire(apart))).toEqual(apart);
  expect(wire.vendorFromWire(wire.vendorToWire({ ...apart, accounts: [] }))).toEqual({ ...apart, accounts: [] });
});

test('an empty text is none, and what a message does not say of an account is false', () => {
  const message = wire.billToWire({ ...bill, purchaseOrderRefs: ['', 'PO-7'] });
  const { erpNumber, ...unnumbered } = bill;
  expect(wire.billFromWire({ ...message, erpNumber: '' })).toEqual({ ...unnumbered, purchaseOrderRefs: ['PO-7'] });
  expect(wire.vendorAccountToWire({ ...listed, account: { raw: '1' } }).account).toMatchObject({ isMasked: false });
});

test('a vendor without a status is in use', () => {
  const message = { ...wire.vendorToWire(vendor), status: contract.VendorStatus.UNSPECIFIED };
  expect(wire.vendorFromWire(message).status).toBe('ACTIVE');
});

describe('a message is refused', () => {
  const message = wire.billToWire(bill);

  test.each([
    [
      'a kind',
      { ...message, kind: contract.BillKind.UNSPECIFIED },
      'bills: must be a list in which each bill has a kind.',
    ],
    [
      'a state',
      { ...message, state: contract.BillState.UNSPECIFIED },
      'bills: must be a list in which each bill has a state.',
    ],
  ])('where a bill is without %s', (_, sent, refusal) => {
    expect(() => wire.billFromWire(sent)).toThrow(refusal);
  });

  test('where an account that is listed apart is missing', () => {
    expect(() => wire.vendorAccountFromWire({ account: undefined, vendorExternalId: 'v1' })).toThrow(DomainError);
  });
});
