import { describe, expect, test } from '@jest/globals';
import type { Finding } from './evidence.js';
import { inMemoryHistory } from '../testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import { syntheticHistory } from '../testing/synthetic-history.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_ACCOUNT = ibanOf('DE', '500105175407324931');

function sentencesOf({ summary, recommendedAction, evidence }: Finding): string[] {
  return [summary, ...(recommendedAction === null ? [] : [recommendedAction]), ...evidence.explanation];
}

/** What an accounts payable clerk stumbles over. */
const slips: readonly (readonly [slip: string, pattern: RegExp])[] = [
  ['one of a plural', /(?<![.0-9])1 (earlier )?(invoices|times|days|hours|bills|rows|revisions)\b/],
  ['a share of nothing', /\b0 of 0\b/],
  ['more decimals than money has', /[A-Z]{3} -?[0-9]+\.[0-9]{3,}/],
  ['a limit of which the currency is missing', /at least [0-9]+(\.[0-9]+)?[;,.]/],
  ['"over", which may be "more than"', /\bover [A-Z]{3} [0-9]/],
  ['a value that is none', /undefined|NaN|null|\{[a-z]+\}/],
];

test('no sentence of a finding has a language error', () => {
  const history = inMemoryHistory();
  const sentences = syntheticHistory(5, 5, 0.1).flatMap(({ invoice }) =>
    history.bill(invoice, { asOf: invoice.issue_date }).analysis.findings.flatMap(sentencesOf),
  );
  expect(sentences.length).toBeGreaterThan(500);
  for (const [slip, pattern] of slips) {
    expect({ slip, sentences: sentences.filter((sentence) => pattern.test(sentence)) }).toEqual({
      slip,
      sentences: [],
    });
  }
});

test('a changed account after one invoice', () => {
  const acme = ledger();
  acme.bill({ account: HOME });
  expect(findingIn(acme.bill({ account: OTHER_ACCOUNT }), 'BANK_ACCOUNT_CHANGED')?.summary).toMatch(
    / after 1 invoice on DE89/,
  );
});

describe('a high first invoice states amount and limit, each with its currency', () => {
  const order = { purchase_order_ref: 'PO-45001' };

  test('in the base currency', () => {
    const billed = ledger().bill({ ...order, gross_amount: '26000.01' });
    expect(findingIn(billed, 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice of Acme Supplies Ltd asks for EUR 26000.01, which reaches the limit of EUR 10000.00 for first invoices.',
    );
  });

  test('in another currency, converted and rounded', () => {
    const base = { currency: 'EUR', amount: '16358.500914', rate: '0.2365', source: 'ECB' } as const;
    const facts = { highAmount: '12345.678901' };
    const billed = ledger().bill({ ...order, gross_amount: '69168.62', currency: 'PLN' }, { base, facts });
    expect(findingIn(billed, 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice of Acme Supplies Ltd asks for PLN 69168.62 (EUR 16358.50), which reaches the limit of EUR 12345.68 for first invoices.',
    );
  });

  test('without an exchange rate', () => {
    const billed = ledger().bill({ ...order, gross_amount: '69168', currency: 'JPY' }, { base: null });
    expect(findingIn(billed, 'SUPPLIER_NEW_HIGH_VALUE')?.summary).toBe(
      'The first invoice of Acme Supplies Ltd asks for JPY 69168; there is no exchange rate, and the number reaches the limit of 10000.',
    );
  });
});
