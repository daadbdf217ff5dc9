import { createCipheriv, createHash, randomBytes } from 'node:crypto';

/** AES key (32 bytes) and initialization vector (16 bytes) of one KSeF session, or of one export. */
export interface SessionKey {
  readonly key: Buffer;
  readonly iv: Buffer;
}

/**
 * An encrypted invoice document with the values that KSeF requires. Hashes are SHA-256 in base64, and sizes are in
 * bytes.
 */
export interface EncryptedDocument {
  readonly invoiceHash: string;
  readonly invoiceSize: number;
  readonly encryptedInvoiceHash: string;
  readonly encryptedInvoiceSize: number;
  readonly content: Buffer;
}

const KEY_BYTES = 32;
const IV_BYTES = 16;

export function createSessionKey(): SessionKey {
  return { key: randomBytes(KEY_BYTES), iv: randomBytes(IV_BYTES) };
}

/**
 * Encodes the key and the initialization vector of a KSeF session in base64. The resulting text is encrypted before it
 * is stored.
 */
export function encodeSessionKey({ key, iv }: SessionKey): string {
  return Buffer.concat([key, iv]).toString('base64');
}

export function decodeSessionKey(text: string): SessionKey {
  const bytes = Buffer.from(text, 'base64');
  return { key: bytes.subarray(0, KEY_BYTES), iv: bytes.subarray(KEY_BYTES) };
}

/**
 * Encrypts an invoice document for KSeF with AES-256-CBC and PKCS#7. The result does not contain the initialization
 * vector (KSeF reference, section 4).
 * @throws RangeError if the key or the vector has the wrong length, because KSeF does not respond to documents that are
 *   encrypted with such values
 */
export function encryptDocument({ key, iv }: SessionKey, document: Uint8Array): EncryptedDocument {
  requireLengths({ key, iv });
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const content = Buffer.concat([cipher.update(document), cipher.final()]);
  return {
    invoiceHash: sha256(document),
    invoiceSize: document.length,
    encryptedInvoiceHash: sha256(content),
    encryptedInvoiceSize: content.length,
    content,
  };
}

/**
 * Checks the lengths of the AES key and the initialization vector of a KSeF session.
 * @throws RangeError
 */
export function requireLengths({ key, iv }: SessionKey): void {
  if (key.length !== KEY_BYTES)
    throw new RangeError(`A session key must have ${KEY_BYTES} bytes; this one has ${key.length}.`);
  if (iv.length !== IV_BYTES)
    throw new RangeError(`An initialization vector must have ${IV_BYTES} bytes; this one has ${iv.length}.`);
}

/** Returns the SHA-256 hash of an invoice file in base64 (44 characters). */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
