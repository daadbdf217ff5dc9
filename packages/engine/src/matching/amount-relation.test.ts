import { describe, expect, test } from 'vitest';
import type { Candidate } from '../facts/invoice.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { defaultPolicy } from '../policy/policy.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { COMPANY_ID } from '../testing/in-memory-history.js';
import { amountRelation } from './amount-relation.js';

function record(currency: string, grossAmount: string): Candidate {
  const canonical = invoiceOf({ currency, gross_amount: grossAmount });
  const origin = { invoiceId: currency, companyId: COMPANY_ID, source: 'API', receivedAtMs: 0 } as const;
  return { ...normaliseInvoice(canonical, origin), status: 'ANALYZED' };
}

function relation(left: Candidate, right: Candidate, ratesPerEuro: Readonly<Record<string, string>>) {
  return amountRelation(left, right, ratesPerEuro, defaultPolicy.duplicates);
}

describe('amounts in two currencies', () => {
  test.each([
    ['AED', '4000.00', '4.31922725', '926.09'],
    ['BHD', '400.000', '0.4422136', '904.54'],
    ['OMR', '400.000', '0.45221045', '884.55'],
    ['JOD', '700.000', '0.8338549', '839.47'],
  ])('are compared with every digit of the rate: %s %s at %s are EUR %s', (code, amount, rate, euros) => {
    const rates = { EUR: '1', [code]: rate };
    expect(relation(record(code, amount), record('EUR', euros), rates)).toBe('FX');
    expect(relation(record('EUR', euros), record(code, amount), rates)).toBe('FX');
    expect(relation(record(code, amount), record('EUR', '1100.00'), rates)).toBe('DIFF');
  });

  test('of which both have a rate with many decimals are compared as exactly', () => {
    const rates = { AED: '4.31922725', JOD: '0.8338549' };
    // At the exchange rates of this test, 103 % of JOD 100.000 is AED 533.522.
    expect(relation(record('AED', '533.52'), record('JOD', '100.000'), rates)).toBe('FX');
    expect(relation(record('AED', '533.54'), record('JOD', '100.000'), rates)).toBe('DIFF');
  });
});

describe('a net and a gross amount', () => {
  /** Compares two bills of a supplier with this tax id on this day. The larger one states `net` if it is given. */
  function netGross(taxId: string | undefined, high: string, low: string, date = '2025-03-10', net?: string) {
    const recordOf = (gross_amount: string, net_amount?: string): Candidate => {
      const canonical = invoiceOf({
        gross_amount,
        issue_date: date,
        ...(taxId === undefined ? {} : { supplier: { tax_id: taxId } }),
        ...(net_amount === undefined ? {} : { net_amount }),
      });
      const origin = { invoiceId: gross_amount, companyId: COMPANY_ID, source: 'API', receivedAtMs: 0 } as const;
      return { ...normaliseInvoice(canonical, origin), status: 'ANALYZED' };
    };
    const relations = [
      relation(recordOf(high, net), recordOf(low), {}),
      relation(recordOf(low), recordOf(high, net), {}),
    ];
    expect(relations[0]).toBe(relations[1]);
    return relations[0];
  }
  const german = 'DE136695976';

  test.each([
    ['Germany, 7 %', german, '1320.38', '1234.00'],
    ['Poland, 8 %', 'PL5260001246', '1332.72', '1234.00'],
    ['Poland, 5 %', 'PL5260001246', '1295.70', '1234.00'],
    ['Italy, 10 %', 'IT00743110157', '1357.40', '1234.00'],
    ['France, 5.5 %', 'FR40303265045', '1301.87', '1234.00'],
    ['Switzerland, 2.6 %', 'CHE116281710MWST', '1266.08', '1234.00'],
  ])('belong together by a reduced rate of the country: %s', (_, taxId, high, low) => {
    expect(netGross(taxId, high, low)).toBe('NETGROSS');
  });

  test.each<[string, string | undefined, string, string, string?]>([
    ['two minor units from a reduced rate', german, '1320.40', '1234.00'],
    ['a rate of another country', german, '1332.72', '1234.00'],
    ['a reduced rate where the country is unknown', undefined, '1320.38', '1234.00'],
    ['a rate that is no longer in force', 'CZ25123891', '1357.40', '1234.00'],
  ])('do not by %s', (_, taxId, high, low) => {
    expect(netGross(taxId, high, low)).toBe('DIFF');
  });

  test('belong together by the rates of their day', () => {
    expect(netGross('CZ25123891', '1357.40', '1234.00', '2023-12-31')).toBe('NETGROSS');
    expect(netGross(german, '1431.44', '1234.00', '2020-08-01')).toBe('NETGROSS');
    expect(netGross(german, '1431.44', '1234.00')).toBe('DIFF');
  });

  test('are compared directly where the larger states its net amount', () => {
    // The invoice of this test charges two tax rates.
    expect(netGross(german, '1402.16', '1234.00', '2025-03-10', '1234.00')).toBe('NETGROSS');
    expect(netGross(undefined, '1402.16', '1234.00', '2025-03-10', '1234.00')).toBe('NETGROSS');
    // The tax rate between the two amounts fits by chance, because the bill states another net amount.
    expect(netGross(german, '1320.38', '1234.00', '2025-03-10', '1109.56')).toBe('DIFF');
    // A bill that states no tax has equal net and gross amounts, so its net amount proves nothing.
    expect(netGross(german, '1320.38', '1234.00', '2025-03-10', '1320.38')).toBe('NETGROSS');
  });
});
