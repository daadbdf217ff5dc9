import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import type { Role } from '@invoicecontrol/api-key/rights';
import type { Organization } from './organization.js';
import { lowerRights, readRole, readScopes, requireGrantable } from './rights.js';
import type { Rights } from './rights.js';
import { readName } from './text.js';

/** Stored record of an API key. The key itself is shown once and never stored. */
export interface ApiKey extends Rights {
  /** Public part of the API key, which identifies it. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  /**
   * Id of the series of an API key. The API key is valid while its series is the current series of the organization.
   */
  readonly seriesId: string;
  readonly name: string;
  readonly hash: string;
  readonly pepperId: string;
  /**
   * Member that the API key belongs to. The API key never has more rights than the role of the member, and is invalid
   * once the member is removed.
   */
  readonly userId?: string | undefined;
  /** True for a key that begins with `ick_test_`. Its organization is a test organization. */
  readonly isTest?: boolean | undefined;
  /** Creator of the API key: `API_KEY:<id>` or `OPERATOR:<id>`. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** Day on which the API key was last used, as `YYYY-MM-DD` in UTC. */
  readonly lastUsedDay: string | undefined;
}

/**
 * Secret that is mixed into the hashes of API keys. Someone who steals the database cannot check guessed API keys
 * against the hashes without it.
 */
export interface Pepper {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Returns the HMAC-SHA256 of the complete API key in hex. A fast hash is sufficient, because 256 random bits cannot be
 * guessed.
 */
export function hashKey(key: string, pepper: Pepper): string {
  return createHmac('sha256', pepper.bytes).update(key).digest('hex');
}

/**
 * Checks whether the stored hash belongs to the API key. The comparison takes constant time. If the record or its
 * pepper is missing, the same work is done and the result is false.
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

/**
 * Checks whether the API key is valid: it is neither revoked nor expired, belongs to the current series, and its
 * organization is not deleted.
 */
export function isActiveKey(
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

/**
 * Reads the expiry of an API key.
 * @throws DomainError invalid unless the time is in the future
 */
export function readExpiry(expiresAt: Date, now: Date): Date {
  if (expiresAt <= now) throw invalidField('expires_at', 'must be in the future.');
  return expiresAt;
}

/**
 * Changes the name or the rights of an API key.
 * @param grantor rights of the caller
 * @param actingKeyId key that requests the change; undefined for the operator
 * @throws DomainError invalid; forbidden for rights that the grantor does not have; wrong_state for a change that adds
 * rights or that lowers the rights of the acting key itself
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
 * Returns the API key as revoked.
 * @param acting API key that requests the revocation; undefined for the operator
 * @throws DomainError forbidden if the key has a higher role than the acting key, wrong_state for the acting key itself
 */
export function revokeKey(key: ApiKey, acting: ApiKey | undefined, now: Date): ApiKey & { revokedAt: Date } {
  if (acting !== undefined) requireRoleOver(key, acting.role);
  refuseOwnKey(key, acting?.id);
  return { ...key, revokedAt: now };
}

function requireRoleOver(key: ApiKey, role: Role): void {
  if (!isRoleAtLeast(role, key.role)) {
    throw new DomainError(
      'forbidden',
      `An API key with the role ${role} cannot change or revoke an API key with the role ${key.role}. Use a key with the role ${key.role} or higher.`,
    );
  }
}

/** Refuses changes of the API key that requests them, so that callers cannot lock themselves out. */
function refuseOwnKey(key: ApiKey, actingKeyId: string | undefined): void {
  if (key.id === actingKeyId) {
    throw new DomainError('wrong_state', 'An API key cannot revoke itself or reduce its own rights. Use another key.');
  }
}
