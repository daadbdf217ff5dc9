import { randomUUID } from 'node:crypto';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { keyIdOf } from '@invoicecontrol/secretbox/secretbox';
import type { Secretbox, SecretPlace } from '@invoicecontrol/secretbox/secretbox';
import type { Endpoint } from '../domain/endpoint.js';
import { newSecret } from '../domain/secrets.js';
import type { SealedSecret } from '../domain/secrets.js';

/** Makes, seals and opens the signing secrets of endpoints. */
export interface EndpointSecrets {
  /** `shown` is the secret itself, for the one answer that has it. */
  create(organizationId: string): { readonly shown: string; readonly stored: SealedSecret };
  open(endpoint: Pick<Endpoint, 'organizationId'>, secret: SealedSecret): string;
  /** The same secret under the newest key. */
  rewrap(endpoint: Pick<Endpoint, 'organizationId'>, secret: SealedSecret): SealedSecret;
}

export function endpointSecrets(box: Secretbox, clock: Clock): EndpointSecrets {
  return {
    create(organizationId) {
      const id = randomUUID();
      const shown = newSecret();
      const sealed = box.seal(shown, placeOf(organizationId, id));
      return { shown, stored: { id, sealed, keyId: box.keyId, createdAt: clock.now() } };
    },
    open: ({ organizationId }, { id, sealed }) => box.open(sealed, placeOf(organizationId, id)),
    rewrap({ organizationId }, secret) {
      const sealed = box.rewrap(secret.sealed, placeOf(organizationId, secret.id));
      return { ...secret, sealed, keyId: keyIdOf(sealed) ?? secret.keyId };
    },
  };
}

function placeOf(organizationId: string, recordId: string): SecretPlace {
  return { organizationId, collection: 'endpoints', recordId, field: 'sealed' };
}
