import { describe, expect, test } from 'vitest';
import type { CanonicalBankAccount } from '@invoicecontrol/invoice/canonical-invoice';
import { catalogue } from './catalogue.js';
import type { FindingType } from './catalogue.js';
import { moneyText } from './money.js';
import { counted, grouped } from './phrases.js';
import type { Facts } from '../facts/facts.js';
import { inMemoryHistory } from '../testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import { syntheticHistory } from '../testing/synthetic-history.js';
import { wordingFaults } from '../testing/wording-contract.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_ACCOUNT = ibanOf('DE', '500105175407324931');

test('money reads the same in every currency, and numbers of four digits and more have thousands separators', () => {
  expect(moneyText('1234567.5', 'EUR')).toBe('EUR 1,234,567.50');
  expect(moneyText('-1234.5', 'EUR')).toBe('EUR -1,234.50');
  expect(moneyText('123', 'EUR')).toBe('EUR 123.00');
  expect(moneyText('1234', 'JPY')).toBe('JPY 1,234');
  expect(moneyText('1234.5678', 'KWD')).toBe('KWD 1,234.568');
  expect([0, 999, 1_000, -12_345.6, '100000'].map(grouped)).toEqual(['0', '999', '1,000', '-12,345.6', '100,000']);
  expect(counted(1_000, 'invoice')).toBe('1,000 invoices');
});

test('no sentence of a finding has a language error', () => {
  const history = inMemoryHistory();
  const findings = syntheticHistory(5, 5, 0.1).flatMap(
    ({ invoice }) => history.bill(invoice, { asOf: invoice.issue_date }).analysis.findings,
  );
  expect(findings.length).toBeGreaterThan(200);
  expect(findings.flatMap(wordingFaults)).toEqual([]);
});

test.each(Object.entries(catalogue))('%s is described for accountants', (type, { description, recommendedAction }) => {
  const action = recommendedAction.replaceAll(/\{\w+\}/g, 'INV-1');
  const evidence = { key: '', rule: '', parameters: {}, observed: {}, explanation: [] };
  expect(
    wordingFaults({ type: type as FindingType, summary: description, recommendedAction: action, evidence }),
  ).toEqual([]);
});

describe('an account that differs in a digit or two', () => {
  const found = (known: CanonicalBankAccount, account: CanonicalBankAccount, facts: Partial<Facts> = {}) => {
    const acme = ledger();
    acme.repeat(3, { account: known });
    return findingIn(acme.bill({ account }, { facts }), 'BANK_ACCOUNT_NEAR_MATCH');
  };
  const uk = { sort_code: '601613', account_number: '31926819' };

  test('names the place in a UK account, whose mask hides it', () => {
    expect(found(uk, { ...uk, account_number: '31926919' })?.summary).toMatch(
      / differs only in digit 6 of the account number from /,
    );
  });

  test('names the place in an IBAN, without its check digits', () => {
    expect(found(ibanOf('DE', '370400440532013000'), ibanOf('DE', '370400440532013010'))?.summary).toMatch(
      / differs only in character 21 of the IBAN from /,
    );
  });

  test('sends to the vendor master only where the vendor has an account there', () => {
    const vendor = { erpVendorId: 'v', name: 'Acme', accounts: [{ key: 'k', masked: 'DE**' }], isOneTime: false };
    const vendorMaster = { vendor, ageHours: 1, syncedAt: '2025-01-01T00:00:00Z' };
    const changed = { ...uk, account_number: '31926919' };
    expect(found(uk, changed)?.recommendedAction).toBe(
      'A digit of the bank account was probably misread or forged; confirm the account by calling a known contact.',
    );
    expect(found(uk, changed, { vendorMaster })?.recommendedAction).toBe(
      'A digit of the bank account was probably misread or forged; take the account from the vendor master.',
    );
  });
});

test('a name that does not belong to the tax id is set against the printed one', () => {
  const acme = ledger();
  acme.bill();
  const billed = acme.bill({ by: { name: 'Zorro Trading GmbH', tax_id: 'DE136695976' } });
  expect(findingIn(billed, 'SUPPLIER_NAME_MISMATCH')?.summary).toBe(
    'Zorro Trading GmbH states tax id DE136695976, which earlier invoices stated for Acme Supplies Ltd.',
  );
});

test('a changed account after one invoice', () => {
  const acme = ledger();
  acme.bill({ account: HOME });
  expect(findingIn(acme.bill({ account: OTHER_ACCOUNT }), 'BANK_ACCOUNT_CHANGED')?.summary).toMatch(
    / instead of DE89\S+, the account on 1 earlier invoice\.$/,
  );
});

describe('a high first invoice states amount and limit, each with its currency', () => {
  const order = { purchase_order_ref: 'PO-45001' };

  test('in the base currency', () => {
    const billed = ledger().bill({ ...order, gross_amount: '26000.01' });
    expect(findingIn(billed, 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice from Acme Supplies Ltd is for EUR 26,000.01, which reaches the limit of EUR 10,000.00 for first invoices.',
    );
  });

  test('in another currency, converted and rounded', () => {
    const base = { currency: 'EUR', amount: '16358.500914', rate: '0.2365', source: 'ECB' } as const;
    const facts = { highAmount: '12345.678901' };
    const billed = ledger().bill({ ...order, gross_amount: '69168.62', currency: 'PLN' }, { base, facts });
    expect(findingIn(billed, 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice from Acme Supplies Ltd is for PLN 69,168.62 (EUR 16,358.50), which reaches the limit of EUR 12,345.68 for first invoices.',
    );
  });

  const SWEDISH = { ratesPerEuro: { SEK: '11.50' } } as const;
  const inKronor = (amount: string) => ({ currency: 'SEK', amount, rate: '1', source: 'IDENTITY' }) as const;

  test('where the base currency is not the euro, in which the limit is', () => {
    const billed = (amount: string) =>
      ledger().bill({ ...order, gross_amount: amount, currency: 'SEK' }, { base: inKronor(amount), ...SWEDISH });
    expect(findingIn(billed('114999.99'), 'SUPPLIER_NEW_HIGH_VALUE')).toBeUndefined();
    expect(findingIn(billed('115000.01'), 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice from Acme Supplies Ltd is for SEK 115,000.01 (EUR 10,000.00), which reaches the limit of EUR 10,000.00 for first invoices.',
    );
  });

  test('where amounts of the organization are usually higher, in its base currency', () => {
    const billed = (amount: string) =>
      ledger().bill(
        { ...order, gross_amount: amount, currency: 'SEK' },
        { base: inKronor(amount), ...SWEDISH, facts: { highAmount: '200000' } },
      );
    expect(findingIn(billed('199999.99'), 'SUPPLIER_NEW_HIGH_VALUE')).toBeUndefined();
    expect(findingIn(billed('200000.01'), 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice from Acme Supplies Ltd is for SEK 200,000.01, which reaches the limit of SEK 200,000.00 for first invoices.',
    );
  });

  test('without an exchange rate', () => {
    const billed = ledger().bill({ ...order, gross_amount: '69168', currency: 'JPY' }, { base: null });
    expect(findingIn(billed, 'SUPPLIER_NEW_HIGH_VALUE')).toBeUndefined();
    expect(findingIn(billed, 'CURRENCY_WITHOUT_RATE')?.summary).toBe(
      'Acme Supplies Ltd bills JPY 69,168. There is no exchange rate for JPY, so the amount was not compared with the value limits.',
    );
  });
});
