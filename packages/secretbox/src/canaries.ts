import type { KeyRing } from './key-ring.js';
import { secretbox } from './secretbox.js';
import type { SecretPlace } from './secretbox.js';

/**
 * A known text that is sealed with one sealing key. At the start it shows whether the key with this id is still the
 * same.
 */
export interface Canary {
  readonly keyId: string;
  readonly sealed: string;
}

export interface CanaryStore {
  /**
   * Returns the ids of the sealing keys, other than the given ones, with which stored values are sealed. A key is
   * included even if it has no canary.
   */
  keyIdsBesides(known: readonly string[]): Promise<readonly string[]>;
  list(): Promise<readonly Canary[]>;
  /** Inserts the canary of a sealing key if the key has none yet. */
  insertMissing(canary: Canary): Promise<void>;
  /** Deletes the canary of a sealing key with which no stored value is sealed any more. */
  delete(keyId: string): Promise<void>;
}

const TEXT = 'canary';

/**
 * Compares the key ring with the sealing keys that sealed the stored values of the service.
 * @throws Error if a key is missing or differs from the key that sealed values; the service must not start then,
 * because it could not open stored values, or would seal values with a key that other replicas do not have
 */
export async function verifyKeyRing(ring: KeyRing, canaries: Omit<CanaryStore, 'delete'>): Promise<void> {
  const stored = new Map((await canaries.list()).map(({ keyId, sealed }) => [keyId, sealed]));
  const known = ring.map(({ id }) => id);
  // Stored values are searched as well, because a replica may have sealed a value with a key after another replica had
  // found no value of that key and removed its canary.
  const others = [...stored.keys()].filter((keyId) => !known.includes(keyId));
  const missing = [...new Set([...others, ...(await canaries.keyIdsBesides(known))])];
  if (missing.length > 0) {
    throw new Error(
      `SECRETBOX_KEYS lacks ${missing.join(', ')}, with which secrets are sealed. Add it after the first key until the rotation job has sealed all of them again.`,
    );
  }
  for (const key of ring) {
    const box = secretbox([key]);
    const sealed = stored.get(key.id);
    if (sealed === undefined) {
      await canaries.insertMissing({ keyId: key.id, sealed: box.seal(TEXT, placeOf(key.id)) });
    } else if (!opens(() => box.open(sealed, placeOf(key.id)))) {
      throw new Error(
        `The key ${key.id} in SECRETBOX_KEYS differs from the key ${key.id} that encrypted the stored secrets. Restore the earlier key.`,
      );
    }
  }
}

function opens(open: () => string): boolean {
  try {
    return open() === TEXT;
  } catch {
    return false;
  }
}

function placeOf(keyId: string): SecretPlace {
  return { organizationId: '', collection: 'sealing_keys', recordId: keyId, field: 'canary' };
}
