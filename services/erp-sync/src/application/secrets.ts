import { keyIdOf } from '@invoicecontrol/secretbox/secretbox';
import type { Secretbox } from '@invoicecontrol/secretbox/secretbox';
import type { SealedValue } from '../domain/connection.js';
import type { SecretField } from './stores.js';

/** Whose secret it is: a sealed value opens nowhere else. */
export interface SecretOwner {
  readonly id: string;
  readonly organizationId: string;
}

/** Seals and opens the secrets of connections. */
export interface ConnectionSecrets {
  seal(owner: SecretOwner, field: SecretField, value: string): SealedValue;
  open(owner: SecretOwner, field: SecretField, value: SealedValue): string;
  /** The same secret under the newest key. */
  rewrap(owner: SecretOwner, field: SecretField, value: SealedValue): SealedValue;
}

export function connectionSecrets(box: Secretbox): ConnectionSecrets {
  const placeOf = ({ id, organizationId }: SecretOwner, field: SecretField) => ({
    organizationId,
    collection: 'connections',
    recordId: id,
    field,
  });
  return {
    seal: (owner, field, value) => ({ sealed: box.seal(value, placeOf(owner, field)), keyId: box.keyId }),
    open: (owner, field, { sealed }) => box.open(sealed, placeOf(owner, field)),
    rewrap(owner, field, value) {
      const sealed = box.rewrap(value.sealed, placeOf(owner, field));
      return { sealed, keyId: keyIdOf(sealed) ?? value.keyId };
    },
  };
}
