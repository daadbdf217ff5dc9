import type { SealedValue } from './sealed-value.js';
import type { Secretbox } from './secretbox.js';

/**
 * The owner of a secret. A sealed value cannot be opened for another owner. For a value in an array, the id is the id
 * of its element.
 */
export interface SecretOwner {
  readonly id: string;
  readonly organizationId: string;
}

/** Encrypts (seals) and decrypts (opens) the secrets in one field of a database collection. */
export interface SealedField {
  seal(owner: SecretOwner, value: string): SealedValue;
  /**
   * Decrypts the sealed secret of an owner.
   * @throws SealedValueError
   */
  open(owner: SecretOwner, value: SealedValue): string;
  /**
   * Seals the same secret again with the newest sealing key.
   * @throws SealedValueError
   */
  rewrap(owner: SecretOwner, value: SealedValue): SealedValue;
}

/**
 * Encrypts (seals) and decrypts (opens) one field of the documents in a collection.
 * @param collection is authenticated with each value, like the field name; under another name, stored values cannot be
 * opened
 */
export function sealedField(box: Secretbox, collection: string, field: string): SealedField {
  const placeOf = ({ id, organizationId }: SecretOwner) => ({ organizationId, collection, recordId: id, field });
  return {
    seal: (owner, value) => ({ sealed: box.seal(value, placeOf(owner)), keyId: box.keyId }),
    open: (owner, { sealed }) => box.open(sealed, placeOf(owner)),
    rewrap: (owner, { sealed }) => ({ sealed: box.rewrap(sealed, placeOf(owner)), keyId: box.keyId }),
  };
}
