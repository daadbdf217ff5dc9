import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyKeyRing } from './canaries.js';
import type { Canary } from './canaries.js';
import { keyRing } from './key-ring.js';
import type { SealingKey } from './key-ring.js';
import { sealedField } from './sealed-field.js';
import { keyIdOf, secretbox, SealedValueError } from './secretbox.js';

const place = { organizationId: 'org-1', collection: 'endpoints', recordId: 'secret-1', field: 'sealed' };
const key = (id: string): SealingKey => ({ id, bytes: randomBytes(32) });
const k1 = key('k1');
const k2 = key('k2');
const value = 'whsec_0123456789 ąß';

describe('a sealed value', () => {
  test('opens to the same text at its place', () => {
    const box = secretbox([k1]);
    expect(box.open(box.seal(value, place), place)).toBe(value);
    expect(box.open(box.seal('', place), place)).toBe('');
  });

  test('is another text each time, and shows nothing of the value', () => {
    const box = secretbox([k1]);
    expect(box.seal(value, place)).not.toBe(box.seal(value, place));
    expect(Buffer.from(box.seal(value, place).split('.')[3] ?? '', 'base64url').includes('whsec')).toBe(false);
  });

  test.each(['organizationId', 'collection', 'recordId', 'field'] as const)(
    'does not open where its %s is another',
    (part) => {
      const box = secretbox([k1]);
      const sealed = box.seal(value, place);
      expect(() => box.open(sealed, { ...place, [part]: 'other' })).toThrow(SealedValueError);
    },
  );

  test('does not open at a place whose parts only read the same when they are joined', () => {
    const box = secretbox([k1]);
    const sealed = box.seal(value, { ...place, organizationId: 'a', collection: 'b|c' });
    expect(() => box.open(sealed, { ...place, organizationId: 'a|b', collection: 'c' })).toThrow(SealedValueError);
  });

  test('does not open after a change of any character', () => {
    const box = secretbox([k1]);
    const sealed = box.seal(value, place);
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`;
      // The last base64 character of a sealed value's part may contain unused bits.
      if (
        Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
          Buffer.from(sealed.split('.')[2] ?? '', 'base64url'),
        ) &&
        Buffer.from(changed.split('.')[3] ?? '', 'base64url').equals(
          Buffer.from(sealed.split('.')[3] ?? '', 'base64url'),
        ) &&
        keyIdOf(changed) === 'k1'
      )
        continue;
      expect(() => box.open(changed, place)).toThrow(SealedValueError);
    }
  });

  test('does not open without its key, and the error has no part of it', () => {
    const sealed = secretbox([k1]).seal(value, place);
    const error = catchError(() => secretbox([k2]).open(sealed, place));
    expect(error.message).toContain('its key k1 is not in SECRETBOX_KEYS');
    expect(error.message).not.toContain(sealed.split('.')[3]);
  });

  test('moves to the newest key without a change of its ciphertext, and opens without the old key then', () => {
    const sealed = secretbox([k1]).seal(value, place);
    const rewrapped = secretbox([k2, k1]).rewrap(sealed, place);
    expect(keyIdOf(rewrapped)).toBe('k2');
    expect(rewrapped.split('.')[3]).toBe(sealed.split('.')[3]);
    expect(secretbox([k2]).open(rewrapped, place)).toBe(value);
    expect(secretbox([k2, k1]).rewrap(rewrapped, place)).toBe(rewrapped);
  });
});

describe('a sealed field', () => {
  const owner = { id: place.recordId, organizationId: place.organizationId };

  test('opens what was sealed at the place of its collection and field, and seals there', () => {
    const box = secretbox([k1]);
    const field = sealedField(box, 'endpoints', 'sealed');
    expect(field.open(owner, { sealed: box.seal(value, place), keyId: 'k1' })).toBe(value);
    expect(box.open(field.seal(owner, value).sealed, place)).toBe(value);
    expect(field.seal(owner, value).keyId).toBe('k1');
    const other = sealedField(box, 'endpoints', 'other');
    expect(() => other.open(owner, field.seal(owner, value))).toThrow(SealedValueError);
  });

  test('moves a value to the newest key for its own owner alone', () => {
    const sealed = sealedField(secretbox([k1]), 'endpoints', 'sealed').seal(owner, value);
    const field = sealedField(secretbox([k2, k1]), 'endpoints', 'sealed');
    const rewrapped = field.rewrap(owner, sealed);
    expect(rewrapped.keyId).toBe('k2');
    expect(secretbox([k2]).open(rewrapped.sealed, place)).toBe(value);
    expect(() => field.rewrap({ ...owner, id: 'other' }, sealed)).toThrow(SealedValueError);
  });
});

describe('the key ring', () => {
  const text = (id: string, bytes = 32): string => `${id}:${randomBytes(bytes).toString('base64')}`;

  test('reads keys in their order, the sealing one first', () => {
    expect(keyRing.parse(`${text('new')}, ${text('old')}`).map(({ id }) => id)).toEqual(['new', 'old']);
  });

  test.each([
    ['a key of 31 bytes', text('k', 31)],
    ['a key of 33 bytes', text('k', 33)],
    ['an id twice', `${text('k')},${text('k')}`],
    ['no id', randomBytes(32).toString('base64')],
    ['an empty entry', `${text('k')},`],
    ['nothing', ''],
  ])('refuses %s', (_, ring) => {
    expect(keyRing.safeParse(ring).success).toBe(false);
  });

  test('is refused at the start when a key that has sealed is missing, or is another one', async () => {
    const stored: Canary[] = [];
    const sealed: string[] = [];
    const canaries = {
      list: async () => stored,
      keyIdsBesides: async (known: readonly string[]) => sealed.filter((id) => !known.includes(id)),
      insertMissing: async (canary: Canary) => void stored.push(canary),
    };
    await verifyKeyRing([k1], canaries);
    await verifyKeyRing([k2, k1], canaries);
    expect(stored.map(({ keyId }) => keyId)).toEqual(['k1', 'k2']);
    await expect(verifyKeyRing([k2], canaries)).rejects.toThrow('SECRETBOX_KEYS lacks k1');
    await expect(verifyKeyRing([k2, key('k1')], canaries)).rejects.toThrow(
      'The key k1 in SECRETBOX_KEYS differs from the key k1',
    );
    // The canary of k1 was deleted when no value was sealed with k1. Then a replica that still had k1 sealed another
    // value.
    stored.splice(0);
    sealed.push('k1', 'k2');
    await expect(verifyKeyRing([k2], canaries)).rejects.toThrow('SECRETBOX_KEYS lacks k1, with which');
    await verifyKeyRing([k2, k1], canaries);
  });
});

function catchError(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
