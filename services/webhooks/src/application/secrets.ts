import { randomUUID } from 'node:crypto';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import { newSecret } from '../domain/secrets.js';
import type { SealedSecret } from '../domain/secrets.js';

/** Creates a signing secret of a webhook. `shown` is the secret itself, for the only response that contains it. */
export function createSecret(
  secrets: Pick<SealedField, 'seal'>,
  organizationId: string,
  createdAt: Date,
): { readonly shown: string; readonly stored: SealedSecret } {
  const id = randomUUID();
  const shown = newSecret();
  return { shown, stored: { id, ...secrets.seal({ id, organizationId }, shown), createdAt } };
}
