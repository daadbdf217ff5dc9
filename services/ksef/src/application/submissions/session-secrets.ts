import { keyIdOf } from '@invoicecontrol/secretbox/secretbox';
import type { Secretbox } from '@invoicecontrol/secretbox/secretbox';
import type { SealedValue } from '../../domain/connection.js';
import type { SessionKey } from '../../domain/encryption.js';
import type { Submission } from '../../domain/submission.js';

/** Whose session key it is: a sealed key opens nowhere else. */
type KeyOwner = Pick<Submission, 'id' | 'organizationId'>;

/** Seals and opens the keys of sessions. */
export interface SessionSecrets {
  seal(owner: KeyOwner, key: SessionKey): SealedValue;
  /** @throws SealedValueError */
  open(owner: KeyOwner, sealed: SealedValue): SessionKey;
  /** The same key under the newest sealing key. */
  rewrap(owner: KeyOwner, sealed: SealedValue): SealedValue;
}

const KEY_BYTES = 32;

export function sessionSecrets(box: Secretbox): SessionSecrets {
  const placeOf = ({ id, organizationId }: KeyOwner) => ({
    organizationId,
    collection: 'submissions',
    recordId: id,
    field: 'sessionKey',
  });
  return {
    seal(owner, { key, iv }) {
      const text = Buffer.concat([key, iv]).toString('base64');
      return { sealed: box.seal(text, placeOf(owner)), keyId: box.keyId };
    },
    open(owner, { sealed }) {
      const bytes = Buffer.from(box.open(sealed, placeOf(owner)), 'base64');
      return { key: bytes.subarray(0, KEY_BYTES), iv: bytes.subarray(KEY_BYTES) };
    },
    rewrap(owner, value) {
      const sealed = box.rewrap(value.sealed, placeOf(owner));
      return { sealed, keyId: keyIdOf(sealed) ?? value.keyId };
    },
  };
}
