import { describe, expect, test } from 'vitest';
import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { amountAtRiskOf } from './amount-at-risk.js';

type Asked = Pick<Finding, 'type' | 'severity' | 'evidence'>;

const finding = (type: Finding['type'], severity: Finding['severity'], evidence = {}): Asked => ({
  type,
  severity,
  evidence: { key: 'k', rule: 'r', parameters: {}, observed: {}, explanation: [], ...evidence },
});

/** Creates an invoice of USD 1000.00 at a rate of 0.9 euros for a dollar. */
const facts = (grossAmount = '1000.00', base: Facts['base'] = inEuros('900')): Facts =>
  ({ invoice: { grossAmount, currency: 'USD' }, base }) as unknown as Facts;
const inEuros = (amount: string): Facts['base'] => ({ currency: 'EUR', amount, rate: '0.9', source: 'ECB' });

describe('the amount at risk', () => {
  test.each<[string, Asked, Facts, string]>([
    ['of a copy is the whole invoice', finding('DUPLICATE_INVOICE', 'CRITICAL'), facts(), '900.00'],
    ['of a changed account too', finding('BANK_ACCOUNT_CHANGED', 'HIGH'), facts(), '900.00'],
    ['of a notice is nothing', finding('SUPPLIER_NEW', 'INFO'), facts(), '0.00'],
    ['of a credit note is nothing', finding('DUPLICATE_INVOICE', 'CRITICAL'), facts('-5', inEuros('-4.5')), '0.00'],
    ['of an invoice over nothing is nothing', finding('AMOUNT_ZERO', 'LOW'), facts('0.00', inEuros('0')), '0.00'],
    [
      'of totals that do not add up is what is too much',
      finding('TAX_ARITHMETIC_MISMATCH', 'HIGH', { difference: '100.00' }),
      facts(),
      '90.00',
    ],
    [
      'of totals that ask for too little is nothing',
      finding('TAX_ARITHMETIC_MISMATCH', 'HIGH', { difference: '-100.00' }),
      facts(),
      '0.00',
    ],
    [
      'of an order is never more than the invoice',
      finding('PO_OVERBILLED', 'HIGH', { excess: '5000.00' }),
      facts(),
      '900.00',
    ],
    ['has the decimals of its currency', finding('DUPLICATE_INVOICE', 'HIGH'), facts('1', inEuros('0.876543')), '0.88'],
  ])('%s', (_, raised, of, amount) => {
    expect(amountAtRiskOf(raised, of)).toEqual({ currency: 'EUR', amount });
  });

  test('is not known without a rate', () => {
    expect(amountAtRiskOf(finding('DUPLICATE_INVOICE', 'CRITICAL'), facts('1000.00', null))).toBeUndefined();
  });
});
