import { describe, expect, test } from 'vitest';
import { takeRecord } from './check-record.js';
import { ID_LENGTH_MAX, TEXT_LENGTH_MAX } from './kinds.js';
import * as records from './records.js';
import type { AccountRecord, BillRecord, OrderRecord, PaymentRecord, VendorRecord } from './records.js';

const vendor: VendorRecord = { externalId: '14', name: 'Azure Interior', status: 'ACTIVE' };
const bill: BillRecord = {
  externalId: '51',
  kind: 'BILL',
  documentNumber: 'INV-2026-77',
  vendorExternalId: '14',
  vendorName: 'Azure Interior',
  issueDate: '2026-02-03',
  currency: 'EUR',
  grossAmount: '121',
  purchaseOrderRefs: [],
  state: 'OPEN',
};
const order: OrderRecord = { externalId: '1', number: 'P00012', vendorExternalId: '14', currency: 'EUR' };
const payment: PaymentRecord = {
  externalId: '7',
  vendorExternalId: '14',
  date: '2026-03-01',
  currency: 'EUR',
  amount: '121',
  billExternalIds: ['51'],
  isReturned: false,
};
const problemOf = (checked: object): string | undefined => (checked as { problem?: string }).problem;
const text = (length: number): string => 'x'.repeat(length);

test('takes complete records as they are', () => {
  expect(takeRecord(records.vendor, vendor)).toEqual({ record: vendor });
  expect(takeRecord(records.bill, bill)).toEqual({ record: bill });
  expect(takeRecord(records.bill, { ...bill, kind: 'CREDIT_NOTE' })).toEqual({
    record: { ...bill, kind: 'CREDIT_NOTE' },
  });
  expect(takeRecord(records.order, order)).toEqual({ record: order });
  expect(takeRecord(records.payment, payment)).toEqual({ record: payment });
});

describe('refuses', () => {
  test.each<[string, Partial<VendorRecord>]>([
    ['no id', { externalId: '' }],
    ['no name', { name: '' }],
    ['a name of blanks', { name: ' \u200B' }],
    ['a currency that is none', { currency: 'EURO' }],
    ['NUL in the name', { name: 'A\u0000B' }],
    ['half a surrogate pair in the address', { address: { city: 'A\uD800' } }],
    ['an id that nobody can read', { externalId: '14\u202e' }],
    ['a link that nobody can read', { url: 'https://erp.example/\u202e' }],
    ['an id that is too long', { externalId: text(ID_LENGTH_MAX + 1) }],
    ['a text that is too long', { taxId: text(TEXT_LENGTH_MAX + 1) }],
    ['a time that is none', { modifiedAt: new Date('yesterday') }],
    ['a link that is none', { url: 'javascript:alert(1)' }],
    ['too many accounts', { accounts: Array<AccountRecord>(records.ACCOUNTS_PER_VENDOR_MAX + 1).fill({ raw: '1' }) }],
  ])('a vendor with %s', (_, change) => {
    expect(problemOf(takeRecord(records.vendor, { ...vendor, ...change }))).toMatch(/\.$/);
  });

  test.each<[string, Partial<BillRecord>]>([
    ['no id', { externalId: '' }],
    ['no vendor', { vendorExternalId: '' }],
    ['no name of its vendor', { vendorName: '' }],
    ['a placeholder currency', { currency: 'XXX' }],
    ['an amount that is no number', { grossAmount: 'NaN' }],
    ['an amount with an exponent', { grossAmount: '1e21' }],
    ['an amount of 16 digits', { grossAmount: '1234567890123456' }],
    ['an amount of 16 digits with decimals', { netAmount: '12345678901234.56' }],
    ['a negative total', { grossAmount: '-1' }],
    ['a day that is none', { issueDate: '2026-02-30' }],
    ['a day of the year 1', { dueDate: '0001-01-01' }],
    ['too many orders', { purchaseOrderRefs: Array<string>(records.PURCHASE_ORDERS_TAKEN_MAX + 1).fill('P1') }],
  ])('a bill with %s', (_, change) => {
    expect(problemOf(takeRecord(records.bill, { ...bill, ...change }))).toMatch(/\.$/);
  });

  test('wrong types, whatever a provider let pass', () => {
    const broken = { externalId: 7, name: { nested: true }, currency: 5, grossAmount: 12, date: null } as never;
    for (const declared of [records.vendor, records.bill, records.order, records.payment]) {
      expect(problemOf(takeRecord(declared, broken))).toMatch(/\.$/);
    }
  });

  test('an account that names no vendor, or names it twice', () => {
    const account = { raw: 'DE89370400440532013000' };
    expect(problemOf(takeRecord(records.vendorAccount, { externalId: '1', account }))).toBe(
      'The bank account does not name its vendor.',
    );
    const twice = { externalId: '1', vendorExternalId: '1', vendorNumber: '2', account };
    expect(problemOf(takeRecord(records.vendorAccount, twice))).toBe('The bank account does not name its vendor.');
  });

  test('a record for its first fault in the order of the declaration', () => {
    const wrong = { ...bill, vendorName: '', currency: 'EURO', documentNumber: text(TEXT_LENGTH_MAX + 1) };
    expect(problemOf(takeRecord(records.bill, wrong))).toBe('The name of the vendor is missing.');
  });

  test('without a value of the ERP in the message', () => {
    const message = problemOf(takeRecord(records.bill, { ...bill, currency: 'SECRET-VALUE' }));
    expect(message).not.toContain('SECRET-VALUE');
  });
});

describe('makes readable', () => {
  const NASTY = 'Az\u202eu\u2066r\u200be\ufeff\r\nIn\u001bterior\uffff';
  const READABLE = 'Azure Interior\ufffd';

  test('every text of a record, and leaves its ids alone', () => {
    const address = { line1: NASTY, city: NASTY };
    const account = { externalId: '3', raw: NASTY, holder: NASTY, bic: NASTY };
    const dirty: VendorRecord = {
      ...vendor,
      name: NASTY,
      number: NASTY,
      taxId: NASTY,
      email: NASTY,
      phone: NASTY,
      address,
      accounts: [account],
    };
    expect(takeRecord(records.vendor, dirty)).toEqual({
      record: {
        ...vendor,
        name: READABLE,
        number: READABLE,
        taxId: READABLE,
        email: READABLE,
        phone: READABLE,
        address: { line1: READABLE, city: READABLE },
        accounts: [{ externalId: '3', raw: READABLE, holder: READABLE, bic: READABLE }],
      },
    });
    expect(
      takeRecord(records.bill, {
        ...bill,
        vendorName: NASTY,
        documentNumber: NASTY,
        purchaseOrderRefs: [NASTY, '\u200b'],
      }),
    ).toEqual({
      record: { ...bill, vendorName: READABLE, documentNumber: READABLE, purchaseOrderRefs: [READABLE] },
    });
    expect(takeRecord(records.payment, { ...payment, reference: NASTY })).toEqual({
      record: { ...payment, reference: READABLE },
    });
  });

  test('a text of which nothing is left as one that is absent', () => {
    expect(takeRecord(records.vendor, { ...vendor, phone: '\u200b\u202e', address: { city: '\ufeff' } })).toEqual({
      record: { ...vendor, address: {} },
    });
  });
});

describe('takes', () => {
  test('the longest of everything', () => {
    const longest = {
      ...vendor,
      externalId: text(ID_LENGTH_MAX),
      taxId: text(TEXT_LENGTH_MAX),
      accounts: Array<AccountRecord>(records.ACCOUNTS_PER_VENDOR_MAX).fill({ raw: '1' }),
    };
    expect(problemOf(takeRecord(records.vendor, longest))).toBeUndefined();
    const refs = Array<string>(records.PURCHASE_ORDERS_TAKEN_MAX).fill('P1');
    expect(problemOf(takeRecord(records.bill, { ...bill, purchaseOrderRefs: refs }))).toBeUndefined();
  });

  test.each([
    ['121', '121'],
    ['121.50', '121.50'],
    ['0', '0'],
    ['123456789012345', '123456789012345'],
    ['121.00000000000001', '121'],
    ['0.30000000000000004', '0.3'],
    ['1.0000005', '1.000001'],
    ['0.9999999', '1'],
  ])('the amount %s as %s', (sent, stored) => {
    expect(takeRecord(records.bill, { ...bill, grossAmount: sent })).toEqual({
      record: { ...bill, grossAmount: stored },
    });
  });

  test('a currency in lower case', () => {
    expect(takeRecord(records.bill, { ...bill, currency: 'eur' })).toEqual({ record: bill });
  });

  test('a draft without number, day and amount', () => {
    const { documentNumber, issueDate, grossAmount, ...draft } = bill;
    expect(takeRecord(records.bill, { ...draft, state: 'DRAFT' })).toEqual({ record: { ...draft, state: 'DRAFT' } });
  });
});

test('an account of which nothing can be seen remains, and is printed as nothing', () => {
  const row = { externalId: '1', vendorExternalId: '14', account: { raw: '\u200b' } };
  expect(takeRecord(records.vendorAccount, row)).toEqual({ record: { ...row, account: { raw: '' } } });
});

test('an IBAN that is none remains as the text that the ERP prints', () => {
  const accounts = [
    { raw: 'DE89 3704 0044 0532 0130 00', iban: 'DE89370400440532013000' },
    { raw: 'DE00 3704 0044 0532 0130 00', iban: 'DE00370400440532013000' },
    { raw: '200040 12345678', sortCode: '200040', accountNumber: '12345678' },
    { raw: '2000 12345678', sortCode: '2000', accountNumber: '12345678' },
    { raw: 'XXXXX6789', iban: 'XXXXX6789', isMasked: true },
  ];
  expect(takeRecord(records.vendor, { ...vendor, accounts })).toEqual({
    record: {
      ...vendor,
      accounts: [
        accounts[0],
        { raw: 'DE00 3704 0044 0532 0130 00' },
        accounts[2],
        { raw: '2000 12345678' },
        accounts[4],
      ],
    },
  });
});
