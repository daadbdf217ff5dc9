import type { SealedValue } from './sealed-value.js';
import type { Secretbox } from './secretbox.js';

/** The owner of a secret: a sealed value opens nowhere else. The id of a value inside an array is the id of its element. */
export interface SecretOwner {
  readonly id: string;
  readonly organizationId: string;
}

/** Seals and opens the secrets in one field of the records of a collection. */
export interface SealedField {
  seal(owner: SecretOwner, value: string): SealedValue;
  /** @throws SealedValueError */
  open(owner: SecretOwner, value: SealedValue): string;
  /** Seals the same secret with the newest key. @throws SealedValueError */
  rewrap(owner: SecretOwner, value: SealedValue): SealedValue;
}

/** @param collection authenticated with each value, like the field: under another name nothing that is stored opens */
export function sealedField(box: Secretbox, collection: string, field: string): SealedField {
  const placeOf = ({ id, organizationId }: SecretOwner) => ({ organizationId, collection, recordId: id, field });
  return {
    seal: (owner, value) => ({ sealed: box.seal(value, placeOf(owner)), keyId: box.keyId }),
    open: (owner, { sealed }) => box.open(sealed, placeOf(owner)),
    rewrap: (owner, { sealed }) => ({ sealed: box.rewrap(sealed, placeOf(owner)), keyId: box.keyId }),
  };
}
