import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role } from '@invoicecontrol/api-key/rights';
import type { Organization } from './organization.js';
import { lowerRights, readRole, readScopes, requireGrantable } from './rights.js';
import type { Rights } from './rights.js';
import { readName } from './text.js';

/** What is stored of a key. The key itself is shown once and kept by nobody. */
export interface ApiKey extends Rights {
  /** The public part of the key. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  /** The series of the organization's keys that it belongs to. */
  readonly seriesId: string;
  readonly name: string;
  readonly hash: string;
  readonly pepperId: string;
  /** Who made it: `API_KEY:<id>`, `OPERATOR:<id>`. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** `YYYY-MM-DD`, UTC. */
  readonly lastUsedDay: string | undefined;
}

/** Makes a stolen database useless: without the pepper no key can be tried against its hash. */
export interface Pepper {
  readonly id: string;
  readonly secret: Buffer;
}

/** HMAC-SHA256 of the whole key, hex. Fast on purpose: 256 random bits cannot be guessed. */
export function hashKey(key: string, pepper: Pepper): string {
  return createHmac('sha256', pepper.secret).update(key).digest('hex');
}

/**
 * Whether the stored hash was made of this key, in a time that does not tell how close it is. Without a record, or
 * with a pepper that is gone, the same work is done for nothing.
 */
export function matchesKey(
  key: string,
  record: Pick<ApiKey, 'hash' | 'pepperId'> | undefined,
  peppers: readonly [Pepper, ...Pepper[]],
): boolean {
  const pepper = peppers.find(({ id }) => id === record?.pepperId);
  const actual = Buffer.from(hashKey(key, pepper ?? peppers[0]), 'hex');
  const expected = record === undefined || pepper === undefined ? undefined : Buffer.from(record.hash, 'hex');
  const isEqual = timingSafeEqual(actual, expected?.length === actual.length ? expected : Buffer.alloc(actual.length));
  return isEqual && expected !== undefined;
}

/** Whether the key may act: not revoked, not expired, of the organization's present series, and the organization lives. */
export function isAlive(
  key: Pick<ApiKey, 'seriesId' | 'expiresAt' | 'revokedAt'>,
  organization: Pick<Organization, 'keySeriesId' | 'deletion'>,
  now: Date,
): boolean {
  return (
    key.revokedAt === undefined &&
    (key.expiresAt === undefined || now < key.expiresAt) &&
    key.seriesId === organization.keySeriesId &&
    organization.deletion === undefined
  );
}

/** @throws DomainError invalid unless the instant lies ahead */
export function readExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt <= now) throw invalidField('expires_at', 'must lie in the future.');
  return expiresAt;
}

/**
 * The key after a change of its name or rights.
 * @param grantor the rights of whoever asks
 * @param actingKeyId the key by which the change is asked for; undefined for the operator
 * @throws DomainError invalid; forbidden for more than the grantor has; wrong_state for a change that raises rights or
 *   lowers those of the acting key
 */
export function changeKey(
  key: ApiKey,
  change: { name?: string | undefined; role?: string | undefined; scopes: readonly string[] },
  { grantor, actingKeyId }: { grantor: Rights; actingKeyId: string | undefined },
): ApiKey {
  requireRoleOver(key, grantor.role);
  requireGrantable({ role: readRole(change.role ?? key.role), scopes: readScopes(change.scopes) }, grantor);
  const changed = {
    ...key,
    ...lowerRights(key, change),
    name: change.name === undefined ? key.name : readName('name', change.name),
  };
  if (hasOtherRights(changed, key)) refuseOwnKey(key, actingKeyId);
  return changed;
}

export function hasOtherRights(left: Rights, right: Rights): boolean {
  return left.role !== right.role || left.scopes.join() !== right.scopes.join();
}

/**
 * The key, revoked.
 * @param acting the key by which the revocation is asked for; undefined for the operator
 * @throws DomainError forbidden when the key has a higher role than the acting one, wrong_state for the acting one itself
 */
export function revokeKey(key: ApiKey, acting: ApiKey | undefined, now: Date): ApiKey & { revokedAt: Date } {
  if (acting !== undefined) requireRoleOver(key, acting.role);
  refuseOwnKey(key, acting?.id);
  return { ...key, revokedAt: now };
}

function requireRoleOver(key: ApiKey, role: Role): void {
  if (!isRoleAtLeast(role, key.role)) {
    throw new DomainError('forbidden', `A key of role ${role} cannot change or revoke one of role ${key.role}.`);
  }
}

/** So that nobody locks themselves out: whoever takes a right away still has one that works. */
function refuseOwnKey(key: ApiKey, actingKeyId: string | undefined): void {
  if (key.id === actingKeyId) {
    throw new DomainError('wrong_state', 'A key cannot revoke or lower itself. Use another key for it.');
  }
}
