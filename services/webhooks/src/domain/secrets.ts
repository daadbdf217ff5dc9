import { randomBase62 } from '@invoicecontrol/api-key/base62';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';

const PREFIX = 'whsec_';
/** Number of base62 characters of a webhook signing secret. 62^43 is more than 2^256. */
const SECRET_CHARACTERS = 43;

/** Signing secret of a webhook, in its stored form. */
export interface SealedSecret extends SealedValue {
  readonly id: string;
  readonly createdAt: Date;
}

export function newSecret(): string {
  return `${PREFIX}${randomBase62(SECRET_CHARACTERS)}`;
}

/**
 * Returns the signing secrets of a webhook after a rotation, newest first, at most two. Rotating again within the
 * overlap ends the older secret at once (specification section 6, Secret rotation).
 */
export function rotate(
  [current]: readonly SealedSecret[],
  next: SealedSecret,
  { isPreviousRevoked }: { readonly isPreviousRevoked: boolean },
): readonly SealedSecret[] {
  return current === undefined || isPreviousRevoked ? [next] : [next, current];
}

/** Returns the webhook secrets that sign at a given time, newest first. */
export function signingSecrets(
  [newest, previous]: readonly SealedSecret[],
  now: Date,
  overlapMs: number,
): SealedSecret[] {
  if (newest === undefined) return [];
  const isOverlap = now.getTime() < newest.createdAt.getTime() + overlapMs;
  return previous !== undefined && isOverlap ? [newest, previous] : [newest];
}
