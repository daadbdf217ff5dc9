import { randomBase62 } from '@invoicecontrol/api-key/base62';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';

const PREFIX = 'whsec_';
/** 62^43 is more than 2^256. */
const SECRET_CHARACTERS = 43;

/** A signing secret as it is stored. */
export interface SealedSecret extends SealedValue {
  readonly id: string;
  readonly createdAt: Date;
}

export function newSecret(): string {
  return `${PREFIX}${randomBase62(SECRET_CHARACTERS)}`;
}

/**
 * The secrets after a rotation, the newest first, at most two: rotating within the overlap drops the older one at once
 * (specification section 6, Secret rotation).
 */
export function rotate(
  [current]: readonly SealedSecret[],
  next: SealedSecret,
  { isPreviousRevoked }: { readonly isPreviousRevoked: boolean },
): readonly SealedSecret[] {
  return current === undefined || isPreviousRevoked ? [next] : [next, current];
}

/** The secrets that sign at a time, the newest first. */
export function signingSecrets(
  [newest, previous]: readonly SealedSecret[],
  now: Date,
  overlapMs: number,
): SealedSecret[] {
  if (newest === undefined) return [];
  const isOverlap = now.getTime() < newest.createdAt.getTime() + overlapMs;
  return previous !== undefined && isOverlap ? [newest, previous] : [newest];
}
