import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  baseCurrencies,
  ecbReferenceCurrencies,
  fixedParities,
  invoiceCurrency,
} from '@invoicecontrol/values/currency';
import { convert, ratesPerEuro } from '@invoicecontrol/engine/facts/exchange-rates';
import { ruleFor } from '../../reviews/domain/routing.js';
import type { RoutingRule } from '../../reviews/domain/routing.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';
import type { Billed } from '@invoicecontrol/engine/testing/in-memory-history';

// Exchange rates must never prevent the analysis of an invoice, for any accepted currency and amount.

const DAY = '2026-05-08';
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** All currency codes that an invoice of this day may have. */
const accepted = LETTERS.flatMap((first) =>
  LETTERS.flatMap((second) => LETTERS.map((third) => first + second + third)),
).filter((code) => 'code' in invoiceCurrency(code, DAY));
const pegged = fixedParities.map(({ code }) => code);
const withoutRate = accepted.filter(
  (code) => code !== 'EUR' && !pegged.includes(code) && !ecbReferenceCurrencies.includes(code),
);

/**
 * Rates with five significant digits, as the central bank publishes them, from a ten-thousandth to tens of thousands
 * per euro.
 */
const anyRate = fc
  .record({ digits: fc.integer({ min: 10_000, max: 99_999 }), exponent: fc.integer({ min: -8, max: 0 }) })
  .map(({ digits, exponent }) => (digits * 10 ** exponent).toFixed(-exponent));
const anyRates = fc.record(Object.fromEntries(ecbReferenceCurrencies.map((code) => [code, anyRate])));

const anyCurrency = fc.oneof(
  fc.constantFrom('EUR', ...ecbReferenceCurrencies),
  fc.constantFrom(...pegged.filter((code) => accepted.includes(code))),
  fc.constantFrom(...withoutRate),
);

/** Amounts in any spelling that callers may send, mostly the longest and the shortest. */
const anyAmount = fc.oneof(
  fc.constantFrom('999999999999999.999999', '-999999999999999.999999', '999999999999999', '0.000001', '0', '-0.00'),
  fc
    .record({
      sign: fc.constantFrom('', '', '', '-'),
      integer: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 15 }),
      fraction: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 6 }),
    })
    .map(({ sign, integer, fraction }) => `${sign}${integer}${fraction === '' ? '' : `.${fraction}`}`),
);

interface Bill {
  readonly currency: string;
  readonly amount: string;
  /** Invoice number. All analyzed invoices have the same number by default. */
  readonly number?: string;
}
const anyBill: fc.Arbitrary<Bill> = fc.record({ currency: anyCurrency, amount: anyAmount });

interface Situation {
  readonly rates: Readonly<Record<string, string>>;
  readonly baseCurrency: string;
  /** Earlier ordinary invoices of the supplier, so that its habits are known. */
  readonly usual: readonly Bill[];
}
const anySituation: fc.Arbitrary<Situation> = fc.record({
  rates: anyRates,
  baseCurrency: fc.constantFrom(...baseCurrencies),
  usual: fc
    .tuple(fc.array(anyAmount, { maxLength: 8 }), anyCurrency)
    .map(([amounts, currency]) => amounts.map((amount, index) => ({ currency, amount, number: `Q-${index * 7919}` }))),
});

/** Analyzes the invoices of one supplier in order, each with the exchange rates that the service would look up. */
function analyzeFacts(bills: readonly Bill[], { rates, baseCurrency, usual }: Situation): Billed[] {
  const history = inMemoryHistory();
  const published = (day: string) => (day === DAY ? rates : undefined);
  const all = [...usual, ...bills];
  const currencies = [...new Set(all.map(({ currency }) => currency))];
  const analyzed = all.map(({ currency, amount, number = 'INV-01042' }) =>
    history.bill(invoiceOf({ issue_date: DAY, currency, gross_amount: amount, invoice_number: number }), {
      asOf: DAY,
      ratesPerEuro: ratesPerEuro(currencies, DAY, DAY, published),
      base: convert({ amount, from: currency, to: baseCurrency, issueDate: DAY, today: DAY }, published),
    }),
  );
  return analyzed.slice(usual.length);
}

function ruleFrom(minAmount: string, currency: string): RoutingRule {
  return {
    ruleId: 'r',
    name: 'large amounts',
    position: 1,
    enabled: true,
    match: { types: [], families: [], severities: [], companyIds: [], supplierIds: [], minAmount, currency },
    assignTo: 'u',
    createdAt: new Date(0),
  };
}

describe('every two invoices of one number, in any two accepted currencies', () => {
  test('are analyzed, whatever their amounts, the rates of the day and the base currency', () => {
    fc.assert(
      fc.property(anyBill, anyBill, anySituation, (first, second, situation) => {
        for (const { analysis } of analyzeFacts([first, second], situation)) {
          expect(['PASS', 'REVIEW', 'BLOCK']).toContain(analysis.decision);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('are routed by their value in the base currency, whatever that comes to', () => {
    const finding = { type: 'SUSPECTED_DUPLICATE', family: 'DUP', severity: 'HIGH' } as const;
    fc.assert(
      fc.property(anyBill, anySituation, (bill, situation) => {
        const [billed] = analyzeFacts([bill], { ...situation, usual: [] });
        if (billed === undefined) throw new Error('nothing was analyzed');
        const rule = ruleFrom('0', situation.baseCurrency);
        const isConverted = billed.facts.base !== null;
        expect(ruleFor([rule], finding, billed.facts)).toBe(isConverted ? rule : undefined);
      }),
    );
  });
});

const RATES: Readonly<Record<string, string>> = { USD: '1.1761', GBP: '0.86410', JPY: '184.37' };

test('a bill that is worth more than any amount that can be sent is analyzed and valued', () => {
  const analyzed = analyzeFacts([{ currency: 'EUR', amount: '7000000000000.00' }], {
    rates: RATES,
    baseCurrency: 'JPY',
    usual: [],
  });
  expect(analyzed.map(({ facts }) => facts.base?.amount)).toEqual(['1290590000000000']);
});

test('a dirham bill next to the same one in euros is a suspected duplicate', () => {
  const [, second] = analyzeFacts(
    [
      { currency: 'AED', amount: '4000.00' },
      { currency: 'EUR', amount: '926.09' },
    ],
    { rates: RATES, baseCurrency: 'EUR', usual: [] },
  );
  expect(second?.analysis.findings.map(({ type }) => type)).toContain('SUSPECTED_DUPLICATE');
});
