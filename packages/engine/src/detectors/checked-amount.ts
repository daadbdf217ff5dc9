import { toMicro } from '@invoicecontrol/values/decimal-amount';
import type { Facts } from '../facts/facts.js';
import type { AmountUse } from '../facts/supplier.js';

/** The amount in the forms that the rules compare, computed once. */
export interface CheckedAmount {
  readonly facts: Facts;
  readonly minor: bigint;
  /** The value in euros, in micro-units. */
  readonly value: bigint;
  /** Earlier amounts that it is comparable with. */
  readonly uses: readonly AmountUse[];
}

/** Tells whether the amount, multiplied by a factor, reaches a value in euros. */
export function isWorth({ value }: Pick<CheckedAmount, 'value'>, valueMin: string, times = 1): boolean {
  return value * BigInt(times) >= limitInMicro(valueMin);
}

/** Limits of the policy by their text, read once, because every invoice is compared with them. */
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
