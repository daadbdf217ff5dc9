import { keyIdOf } from '@invoicecontrol/secretbox/secretbox';
import type { Secretbox } from '@invoicecontrol/secretbox/secretbox';
import type { Connection, SealedValue } from '../../domain/connection.js';

/** Whose token it is: a sealed token opens nowhere else. */
export type TokenOwner = Pick<Connection, 'id' | 'organizationId'>;

/** Seals and opens the tokens of connections. */
export interface TokenSecrets {
  seal(owner: TokenOwner, token: string): SealedValue;
  open(owner: TokenOwner, sealed: SealedValue): string;
  /** The same token under the newest key. */
  rewrap(owner: TokenOwner, sealed: SealedValue): SealedValue;
}

export function tokenSecrets(box: Secretbox): TokenSecrets {
  const placeOf = ({ id, organizationId }: TokenOwner) => ({
    organizationId,
    collection: 'connections',
    recordId: id,
    field: 'token',
  });
  return {
    seal: (owner, token) => ({ sealed: box.seal(token, placeOf(owner)), keyId: box.keyId }),
    open: (owner, { sealed }) => box.open(sealed, placeOf(owner)),
    rewrap(owner, value) {
      const sealed = box.rewrap(value.sealed, placeOf(owner));
      return { sealed, keyId: keyIdOf(sealed) ?? value.keyId };
    },
  };
}
