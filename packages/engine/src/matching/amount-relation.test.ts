import { describe, expect, test } from '@jest/globals';
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
    // 103 % of what JOD 100.000 are worth is AED 533.522...
    expect(relation(record('AED', '533.52'), record('JOD', '100.000'), rates)).toBe('FX');
    expect(relation(record('AED', '533.54'), record('JOD', '100.000'), rates)).toBe('DIFF');
  });
});
