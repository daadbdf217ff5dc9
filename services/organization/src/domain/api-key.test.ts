import { describe, expect, test } from 'vitest';
import { changeKey, hashKey, isActiveKey, matchesKey, readExpiry, revokeKey } from './api-key.js';
import type { ApiKey } from './api-key.js';
import { ALL_RIGHTS, readRights } from './rights.js';

const now = new Date('2026-03-01T12:00:00Z');
const pepper = { id: 'p1', bytes: Buffer.alloc(32, 1) };
const older = { id: 'p0', bytes: Buffer.alloc(32, 2) };
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
  test('matches its own record only', () => {
    expect(matchesKey('secret of owner', owner, [pepper])).toBe(true);
    expect(matchesKey('secret of owne', owner, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', admin, [pepper])).toBe(false);
  });

  test('does not match without a record, with a damaged hash or without its pepper', () => {
    expect(matchesKey('secret of owner', undefined, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', { ...owner, hash: '' }, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', { ...owner, hash: '00' }, [pepper])).toBe(false);
    expect(matchesKey('secret of owner', owner, [older])).toBe(false);
  });

  test('still matches after a newer pepper was added in front', () => {
    expect(matchesKey('secret of owner', owner, [older, pepper])).toBe(true);
  });
});

describe('a key', () => {
  test('is inactive when revoked, expired, of another series or of a deleted organization', () => {
    const deletion = { at: now, recoveryTokenHash: 'h', recoveryExpiresAt: now };
    expect(isActiveKey(owner, organization, now)).toBe(true);
    expect(isActiveKey({ ...owner, revokedAt: now }, organization, now)).toBe(false);
    expect(isActiveKey({ ...owner, seriesId: 'other' }, organization, now)).toBe(false);
    expect(isActiveKey(owner, { ...organization, deletion }, now)).toBe(false);
  });

  test('is active until the millisecond before its expiry', () => {
    const expiring = { ...owner, expiresAt: now };
    expect(isActiveKey(expiring, organization, new Date(now.getTime() - 1))).toBe(true);
    expect(isActiveKey(expiring, organization, now)).toBe(false);
    expect(() => readExpiry(now, now)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  test('is revoked by a key of its role or a higher one', () => {
    expect(revokeKey(admin, owner, now).revokedAt).toEqual(now);
    expect(revokeKey(key('second', 'OWNER'), owner, now).revokedAt).toEqual(now);
    expect(() => revokeKey(owner, admin, now)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  });

  test('revokes and lowers others but never itself; the operator may change any key', () => {
    expect(() => revokeKey(owner, owner, now)).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    const asker = { grantor: owner, actingKeyId: owner.id };
    expect(() => changeKey(owner, { role: 'ADMIN', scopes: [] }, asker)).toThrow(
      expect.objectContaining({ kind: 'wrong_state' }),
    );
    expect(changeKey(owner, { name: 'New name', scopes: [] }, asker).name).toBe('New name');
    expect(revokeKey(owner, undefined, now).revokedAt).toEqual(now);
  });

  test('cannot be changed by a lower role', () => {
    const asker = { grantor: admin, actingKeyId: admin.id };
    expect(() => changeKey(owner, { name: 'Mine now', scopes: [] }, asker)).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
  });

  test('cannot be raised: forbidden beyond the grantor, a conflict within', () => {
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
