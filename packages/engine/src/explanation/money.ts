import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { valueOf } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import type { EvidenceValue } from './evidence.js';
import { grouped } from './phrases.js';

// Money in evidence is a decimal string with as many decimals as its currency has (detection reference, section 8). The
// currency is in a neighbouring member: `currency`, or `<name>Currency` for amounts in other currencies.

/** Rounds an amount to as many decimals as its currency has, half away from zero: `16358.50` for 16358.500914 EUR. */
export function moneyIn(currency: string, amount: DecimalAmount): DecimalAmount {
  const exponent = minorUnitsOf(currency);
  return minorToDecimal(toMinorUnits(amount, exponent), exponent);
}

/** Formats an amount with its currency for sentences: `EUR 16,358.50` for 16358.500914. */
export function moneyText(amount: DecimalAmount, currency: string): string {
  return `${currency} ${grouped(moneyIn(currency, amount))}`;
}

/** Returns the value of the invoice in the form that evidence contains. */
export function valueEvidence(facts: Facts): { readonly [name: string]: EvidenceValue } {
  const { value, currency, noRate } = valueOf(facts);
  return { value: moneyIn(currency, value), valueCurrency: currency, noRate };
}

/**
 * Returns amount limits of the policy for the evidence of a finding, in the currency in which they were compared with
 * the amount.
 */
export function limitsIn(
  currency: string,
  limits: Readonly<Record<string, DecimalAmount>>,
): { readonly [name: string]: EvidenceValue } {
  const inCurrency = Object.entries(limits).map(([name, limit]) => [name, moneyIn(currency, limit)] as const);
  return { ...Object.fromEntries(inCurrency), currency };
}
