import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { Facts } from '../facts/facts.js';
import type { AmountUse } from '../facts/supplier.js';

/** The amount of the checked invoice in all forms that the detection rules compare. Each form is computed once. */
export interface CheckedAmount {
  readonly facts: Facts;
  readonly minor: bigint;
  /** Value of the checked amount in micro-units of the euro. Undefined if no exchange rate exists. */
  readonly value: bigint | undefined;
  /** Earlier amounts that are comparable with the checked amount. */
  readonly uses: readonly AmountUse[];
}

/** Checks whether the amount of the checked invoice is known to be at least a given value in euros. */
export function isWorth({ value }: Pick<CheckedAmount, 'value'>, valueMin: string): boolean {
  return value !== undefined && value >= limitInMicro(valueMin);
}

/**
 * Checks whether the amount, multiplied by a factor, may be at least a given value in euros. The result is true for
 * every amount without an exchange rate, so that rules that compare the amount with the supplier's own amounts still
 * apply.
 */
export function mayBeWorth({ value }: Pick<CheckedAmount, 'value'>, valueMin: string, times = 1): boolean {
  return value === undefined || value * BigInt(times) >= limitInMicro(valueMin);
}

/**
 * Cache of the parsed value limits of policies. Each limit is parsed only once, because every invoice is compared with
 * all limits.
 */
const readLimits = new Map<string, bigint>();
const READ_LIMITS_MAX = 256;

function limitInMicro(limit: string): bigint {
  const known = readLimits.get(limit);
  if (known !== undefined) return known;
  if (readLimits.size >= READ_LIMITS_MAX) readLimits.clear();
  const micro = toMicro(limit);
  readLimits.set(limit, micro);
  return micro;
}
