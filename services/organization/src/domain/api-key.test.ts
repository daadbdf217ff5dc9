import { describe, expect, test } from '@jest/globals';
import { changeKey, hashKey, isAlive, matchesKey, readExpiry, revokeKey } from './api-key.js';
import type { ApiKey } from './api-key.js';
import { ALL_RIGHTS, readRights } from './rights.js';

const now = new Date('2026-03-01T12:00:00Z');
const pepper = { id: 'p1', secret: Buffer.alloc(32, 1) };
const older = { id: 'p0', secret: Buffer.alloc(32, 2) };
const organization = { keySeriesId: 's', deletion: undefined };

function key(id: string, role: string, scopes: string[] = []): ApiKey {
  return {
    id,
    organizationId: 'o',
    version: 1,
    seriesId: 's',
    name: id,
    ...readRights(role, scopes),
    hash: hashKey(`secret of ${id}`, pepper),
    pepperId: pepper.id,
    createdBy: 'OPERATOR:test',
    createdAt: now,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedDay: undefined,
  };
}
const owner = key('owner', 'OWNER');
const admin = key('admin', 'ADMIN');

describe('the secret of a key', () => {
  test('matches its own record and no other', () => {
    expect(matchesKey('secret of owner', owner, [pepper])).toBe(true);
    expect(matchesKey('secret of owne', owner, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', admin, [pepper])).toBe(false);
  });

  test('matches nothing without a record, with a damaged hash, or when its pepper is gone', () => {
    expect(matchesKey('secret of owner', undefined, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', { ...owner, hash: '' }, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', { ...owner, hash: '00' }, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', owner, [older])).toBe(false);
  });

  test('still matches after a newer pepper was put in front', () => {
    expect(matchesKey('secret of owner', owner, [older, pepper])).toBe(true);
  });
});

describe('a key', () => {
  test('is dead when revoked, when expired, of another series, or of a deleted organization', () => {
    const deletion = { at: now, recoveryTokenHash: 'h', recoveryExpiresAt: now };
    expect(isAlive(owner, organization, now)).toBe(true);
    expect(isAlive({ ...owner, revokedAt: now }, organization, now)).toBe(false);
    expect(isAlive({ ...owner, seriesId: 'other' }, organization, now)).toBe(false);
    expect(isAlive(owner, { ...organization, deletion }, now)).toBe(false);
  });

  test('lives until the millisecond before its expiry', () => {
    const expiring = { ...owner, expiresAt: now };
    expect(isAlive(expiring, organization, new Date(now.getTime() - 1))).toBe(true);
    expect(isAlive(expiring, organization, now)).toBe(false);
    expect(() => readExpiry(now, now)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  test('is revoked by a key of its role or a higher one', () => {
    expect(revokeKey(admin, owner, now).revokedAt).toEqual(now);
    expect(revokeKey(key('second', 'OWNER'), owner, now).revokedAt).toEqual(now);
    expect(() => revokeKey(owner, admin, now)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });

  test('revokes and lowers others, never itself; the operator is no key', () => {
    expect(() => revokeKey(owner, owner, now)).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    const asker = { grantor: owner, actingKeyId: owner.id };
    expect(() => changeKey(owner, { role: 'ADMIN', scopes: [] }, asker)).toThrow(
      expect.objectContaining({ kind: 'wrong_state' }),
    );
    expect(changeKey(owner, { name: 'New name', scopes: [] }, asker).name).toBe('New name');
    expect(revokeKey(owner, undefined, now).revokedAt).toEqual(now);
  });

  test('is not touched by whoever has a lower role', () => {
    const asker = { grantor: admin, actingKeyId: admin.id };
    expect(() => changeKey(owner, { name: 'Mine now', scopes: [] }, asker)).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
  });

  test('is not raised: beyond the grantor that is forbidden, within it a conflict', () => {
    const analyst = key('analyst', 'ANALYST', ['invoices:read']);
    const byAdmin = { grantor: admin, actingKeyId: admin.id };
    for (const change of [{ role: 'OWNER', scopes: [] }, { scopes: ['*'] }]) {
      expect(() => changeKey(analyst, change, byAdmin)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
    }
    const byOwner = { grantor: ALL_RIGHTS, actingKeyId: owner.id };
    for (const change of [{ role: 'ADMIN', scopes: [] }, { scopes: ['erp:write'] }]) {
      expect(() => changeKey(analyst, change, byOwner)).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    }
  });
});
