import { expect, test } from 'vitest';
import fc from 'fast-check';
import { baseCurrencies, ecbReferenceCurrencies, fixedParities } from '@invoicecontrol/values/currency';
import { convert } from '@invoicecontrol/engine/facts/exchange-rates';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { RowResult } from './decide-rows.js';
import { outcomeOf } from './rows-outcome.js';

const DAY = '2026-05-08';
const ROWS_MAX = 5_000;
const RATES = Object.fromEntries(ecbReferenceCurrencies.map((code, index) => [code, `${index}.${79190 + index * 3}`]));

function rowOf(base: ConvertedAmount | null): RowResult {
  return { subject: {}, analysis: { decision: 'PASS', findings: [] }, base } as unknown as RowResult;
}

function worth(amount: string, from: string, to: string): ConvertedAmount | null {
  return convert({ amount, from, to, issueDate: DAY, today: DAY }, (day) => (day === DAY ? RATES : undefined));
}

test('five thousand of the largest amounts add up to the last digit', () => {
  const row = rowOf(worth('999999999999999.999999', 'EUR', 'EUR'));
  const outcome = outcomeOf(
    Array.from({ length: ROWS_MAX }, () => row),
    [],
  );
  expect(outcome).toMatchObject({ convertedTotal: '4999999999999999999.995', unconvertedInvoices: 0 });
});

test('rows in any currencies add up in any base currency, and those without a rate are counted', () => {
  const anyCurrency = fc.constantFrom(
    'EUR',
    'KWD',
    ...ecbReferenceCurrencies,
    ...fixedParities.map(({ code }) => code),
  );
  const anyAmount = fc.constantFrom('999999999999999.999999', '-999999999999999', '0.000001', '0', '1200.50');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyAmount, anyCurrency), { maxLength: 20 }),
      fc.constantFrom(...baseCurrencies),
      (amounts, baseCurrency) => {
        const bases = amounts.map(([amount, currency]) => worth(amount, currency, baseCurrency));
        const { convertedTotal, unconvertedInvoices } = outcomeOf(bases.map(rowOf), []);
        expect(convertedTotal).toMatch(/^-?\d+(\.\d{1,6})?$/);
        expect(unconvertedInvoices).toBe(bases.filter((base) => base === null).length);
      },
    ),
  );
});
