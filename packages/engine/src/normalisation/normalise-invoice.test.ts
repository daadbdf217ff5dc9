import { describe, expect, test } from 'vitest';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { normaliseInvoice } from './normalise-invoice.js';
import { readOrderRef } from './order-key.js';

const origin = { invoiceId: 'i', companyId: 'c', source: 'API', receivedAtMs: 0 } as const;

test('amounts become minor units of their currency, half away from zero', () => {
  const amountOf = (currency: string, gross_amount: string): string =>
    normaliseInvoice(invoiceOf({ currency, gross_amount }), origin).amountMinor;
  expect(amountOf('EUR', '1200')).toBe('120000');
  expect(amountOf('EUR', '0.005')).toBe('1');
  expect(amountOf('JPY', '-1200.5')).toBe('-1201');
  expect(amountOf('KWD', '1.2345')).toBe('1235');
});

describe('the country of a tax id', () => {
  test('is the stated one, and its validity is known', () => {
    const stated = normaliseInvoice(invoiceOf({ supplier: { tax_id: 'DE 136 695 977' } }), origin);
    expect(stated).toMatchObject({
      taxKey: '136695977',
      taxCountry: 'DE',
      taxValid: false,
      taxValidity: 'WRONG_CHECK_DIGIT',
    });
    expect(stated).not.toHaveProperty('taxCountryPresumed');
  });
  test('is presumed from a valid account and then says nothing about validity', () => {
    const bank_account = { iban: 'DE89 3704 0044 0532 0130 00' };
    const presumed = normaliseInvoice(invoiceOf({ supplier: { tax_id: '136695976', bank_account } }), origin);
    expect(presumed).toMatchObject({ taxKey: '136695976', taxCountry: 'DE', taxCountryPresumed: true, taxValid: true });
    expect(presumed).not.toHaveProperty('taxValidity');
  });
  test('is unknown without either', () => {
    expect(normaliseInvoice(invoiceOf({ supplier: { tax_id: '136695976' } }), origin)).not.toHaveProperty('taxCountry');
  });
});

test('placeholders give no keys', () => {
  const supplier = { tax_id: 'N/A', bank_account: { iban: 'none' } };
  const record = normaliseInvoice(invoiceOf({ supplier, purchase_order_ref: 'n/a' }), origin);
  for (const name of ['taxKey', 'bankKey', 'poKey']) expect(record).not.toHaveProperty(name);
  const zeros = normaliseInvoice(invoiceOf({ supplier: { tax_id: 'PL0000000000' } }), origin);
  expect(zeros).toMatchObject({ taxValidity: 'WRONG_CHECK_DIGIT' });
  expect(zeros).not.toHaveProperty('taxKey');
});

test('all spellings of a UK account give one key', () => {
  const iban = normaliseInvoice(invoiceOf({ supplier: { bank_account: { iban: 'GB29NWBK60161331926819' } } }), origin);
  const domestic = { sort_code: '60-16-13', account_number: '31926819' };
  const written = normaliseInvoice(invoiceOf({ supplier: { bank_account: domestic } }), origin);
  expect(iban.bankKey).toBe(written.bankKey);
  expect(written).toMatchObject({ bankMasked: '60****/****6819', bankCountry: 'GB', bankProblems: [] });
});

test.each([
  ['full-width digits', 'ＤＥ８９３７０４００４４０５３２０１３０００', []],
  ['digits of another script', 'DE٨٩٣٧٠٤٠٠٤٤٠٥٣٢٠١٣٠٠٠', ['WRONG_CHECK_DIGITS', 'WRONG_LENGTH', 'WRONG_STRUCTURE']],
])('an account in %s is checked', (_, iban, problems) => {
  const record = normaliseInvoice(invoiceOf({ supplier: { bank_account: { iban } } }), origin);
  expect(record).toHaveProperty('bankKey');
  for (const problem of record.bankProblems) expect(problems).toContain(problem);
  expect(record.bankProblems.length > 0).toBe(problems.length > 0);
});

test('an order reference is compared without label and separators', () => {
  expect(readOrderRef('PO No. 4500-0123')).toBe('45000123');
  expect(readOrderRef('PO45000123')).toBe('45000123');
  for (const text of ['PO', '--', 'N/A', 'by phone']) expect(readOrderRef(text)).toBeUndefined();
});
