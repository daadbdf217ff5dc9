import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { moneyIn } from '@invoicecontrol/engine/explanation/money';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { isDecimalAmount, scaleAmount, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** Amount that would be paid wrongly if the finding were ignored, in the base currency at the time of the decision. */
export interface AmountAtRisk {
  readonly currency: string;
  /** Amount at risk of a finding, with as many decimals as the currency has. It is never negative. */
  readonly amount: DecimalAmount;
}

/**
 * Names of the evidence fields that state which part of the gross amount is too much, in the invoice currency, by
 * finding type.
 */
const STATED_PART: Partial<Record<FindingType, string>> = {
  TAX_ARITHMETIC_MISMATCH: 'difference',
  PO_OVERBILLED: 'excess',
};

/**
 * Returns the amount at risk of a finding: the whole gross amount, or the part that the finding states as excessive. It
 * is zero for an INFO finding, which stops no payment, and for credit notes and zero amounts, which are not paid.
 * @returns undefined if no rate into the base currency exists
 */
export function amountAtRiskOf(
  { type, severity, evidence }: Pick<Finding, 'type' | 'severity' | 'evidence'>,
  { base, invoice }: Pick<Facts, 'base' | 'invoice'>,
): AmountAtRisk | undefined {
  if (base === null) return undefined;
  const { currency } = base;
  const inBase = (amount: DecimalAmount): AmountAtRisk => ({ currency, amount: moneyIn(currency, amount) });
  const gross = toMicro(invoice.grossAmount);
  if (severity === 'INFO' || gross <= 0n) return inBase('0');
  const part = evidence[STATED_PART[type] ?? ''];
  if (typeof part !== 'string' || !isDecimalAmount(part)) return inBase(base.amount);
  const micro = toMicro(part);
  if (micro <= 0n) return inBase('0');
  return inBase(micro >= gross ? base.amount : scaleAmount(base.amount, part, invoice.grossAmount));
}
