import { describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { currencyCode } from './kinds.js';
import { readInvoice } from './read.js';
import { fullInvoice } from './testing/invoices.js';

function faultsOf(body: unknown): string[] {
  try {
    readInvoice(body);
  } catch (error) {
    if (error instanceof DomainError) return error.details.map(({ path }) => path);
    throw error;
  }
  return [];
}

const withAccount = (bank_account: object) => ({ ...fullInvoice, supplier: { name: 'Acme', bank_account } });
const gb = 'GB29NWBK60161331926819';
const at = 'supplier.bank_account';

describe('an invoice', () => {
  test('is read with every field, texts trimmed, codes in one spelling', () => {
    const spelled = {
      ...fullInvoice,
      supplier: {
        name: '  Acme Ltd\t',
        tax_id: ' GB123456789',
        bank_account: { iban: ` ${gb} `, sort_code: ' 60-16 13', account_number: '31926819' },
      },
      currency: 'gbp',
      company_id: fullInvoice.company_id.toUpperCase(),
    };
    expect(readInvoice(spelled)).toEqual(fullInvoice);
  });

  test('is refused with every fault at once, whatever the order of its fields', () => {
    const faulty = {
      supplier: { name: '', bank_account: { sort_code: '6', account_number: null }, vat: 1 },
      invoice_number: 7,
      issue_date: '2026-02-30',
      due_date: 'soon',
      currency: 'XXX',
      gross_amount: '1e3',
      buyer: { name: ' ' },
      company_id: 'acme',
      total: '1',
    };
    const paths = [
      'supplier.name',
      `${at}.sort_code`,
      `${at}.account_number`,
      'supplier.vat',
      'invoice_number',
      'issue_date',
      'due_date',
      'gross_amount',
      'buyer.name',
      'company_id',
      'total',
      'currency',
    ];
    expect(faultsOf(faulty)).toEqual(paths);
    expect(faultsOf(Object.fromEntries(Object.entries(faulty).reverse()))).toEqual(paths);
  });

  test('has every required field', () => {
    expect(faultsOf({})).toEqual(['supplier', 'invoice_number', 'issue_date', 'currency', 'gross_amount']);
    expect([undefined, null, [], 'x'].map(faultsOf)).toEqual([['body'], ['body'], ['body'], ['body']]);
  });

  test('of an unknown day may be in a withdrawn currency, not in none', () => {
    expect(faultsOf({ ...fullInvoice, issue_date: 'x', currency: 'HRK' })).toEqual(['issue_date']);
    expect(faultsOf({ ...fullInvoice, issue_date: 'x', currency: 'XAU' })).toEqual(['issue_date', 'currency']);
  });

  test('is refused with a field named like a member of every object', () => {
    expect(faultsOf({ ...fullInvoice, constructor: 'x' })).toEqual(['constructor']);
  });
});

describe('a bank account', () => {
  test.each<[string, object]>([
    ['is an IBAN', { iban: gb }],
    ['is an IBAN that is not valid, which is a finding', { iban: 'DE00123' }],
    ['is a UK account', { sort_code: '60-16-13', account_number: '31926819' }],
    ['is both when they are the same', { iban: gb, sort_code: '60-16-13', account_number: '31926819' }],
  ])('%s', (_, account) => expect(faultsOf(withAccount(account))).toEqual([]));

  test.each<[string, object, string[]]>([
    ['of nothing', {}, [at]],
    ['that is half a UK account', { sort_code: '601613' }, [`${at}.account_number`]],
    ['that is an IBAN and half a UK account', { iban: gb, account_number: '31926819' }, [`${at}.sort_code`]],
    ['of another number', { iban: gb, sort_code: '601613', account_number: '31926818' }, [at]],
    ['of another branch', { iban: gb, sort_code: '601614', account_number: '31926819' }, [at]],
    ['with a sort code of letters', { sort_code: '60161A', account_number: '31926819' }, [`${at}.sort_code`]],
  ])('%s is refused', (_, account, paths) => expect(faultsOf(withAccount(account))).toEqual(paths));
});

test('publishes currencies in any case, as they are accepted', () => {
  const pattern = new RegExp(String(currencyCode.published['pattern']));
  expect(['EUR', 'eur', 'Eur', 'XXX', 'XAU', 'EU'].map((code) => pattern.test(code))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
