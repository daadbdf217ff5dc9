import { z } from 'zod';
import type { Keys } from './keys.js';
import { badRequest } from './refusal.js';

const KEY_BYTES = 32;

/**
 * The field `encryption` in the calls S1 (open a session) and R1 (start an export) of KSeF: a symmetric key that only
 * KSeF can decrypt.
 */
export const encryptionSchema = z.object({
  encryptedSymmetricKey: z.base64().min(1),
  initializationVector: z.base64().length(24),
  publicKeyId: z.base64().length(44).nullish(),
});

/**
 * Decrypts the symmetric key in a KSeF request.
 * @returns undefined if it cannot be decrypted or has the wrong length, which KSeF reports later
 * @throws Refusal 21470 for a public key that KSeF does not have or no longer has
 */
export function openSymmetricKey(
  keys: Keys,
  { encryptedSymmetricKey, publicKeyId }: z.infer<typeof encryptionSchema>,
): Buffer | undefined {
  const id = publicKeyId ?? undefined;
  if (id !== undefined && !keys.isKnown(id)) {
    throw badRequest(21_470, `Klucz o identyfikatorze ${id} nie jest wspierany.`);
  }
  const key = keys.decrypt('SymmetricKeyEncryption', Buffer.from(encryptedSymmetricKey, 'base64'), id);
  return key?.length === KEY_BYTES ? key : undefined;
}
