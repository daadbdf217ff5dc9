import { constants, createHash, publicEncrypt, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { requireLengths } from './encryption.js';
import type { SessionKey } from './encryption.js';
import { KsefRefusal } from './ksef-refusal.js';

export type KeyUsage = 'KsefTokenEncryption' | 'SymmetricKeyEncryption';

/** A certificate that KSeF publishes, with one of its public keys. */
export interface PublishedCertificate {
  /** Certificate with a public key of KSeF, in DER format as base64. */
  readonly certificate: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  readonly usage: readonly string[];
}

export interface PublicKey {
  /** SHA-256 hash of a DER-encoded public key of KSeF in base64. Calls use the hash to identify the key. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Number of bytes by which a message encrypted for KSeF with RSA-OAEP and SHA-256 must be shorter than the modulus. */
const OAEP_OVERHEAD_BYTES = 66;

/**
 * Chooses the newest RSA key that is valid now and permits the usage. If clocks differ and none is valid, chooses the
 * newest key that has not expired.
 * @returns undefined if no published key can be used
 */
export function choosePublicKey(
  published: readonly PublishedCertificate[],
  usage: KeyUsage,
  now: Date,
): PublicKey | undefined {
  const usable = published
    .filter((one) => one.usage.includes(usage) && one.validTo > now)
    .sort((one, other) => other.validFrom.getTime() - one.validFrom.getTime());
  for (const one of [...usable.filter(({ validFrom }) => validFrom <= now), ...usable]) {
    const key = rsaKeyOf(one.certificate);
    if (key !== undefined) {
      const der = key.export({ type: 'spki', format: 'der' });
      return { id: createHash('sha256').update(der).digest('base64'), key };
    }
  }
  return undefined;
}

function rsaKeyOf(certificate: string): KeyObject | undefined {
  try {
    const key = new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    // A public key certificate of KSeF that cannot be read is skipped, because another certificate may be usable.
    return undefined;
  }
}

/**
 * Encrypts the KSeF token and the time of the challenge as the login call A3 requires.
 * @throws KsefRefusal PERMANENT if the token is too long
 */
export function encryptToken(token: string, timestampMs: number, { key }: PublicKey): string {
  const plain = Buffer.from(`${token}|${timestampMs}`, 'utf8');
  const bytesMax = bytesMaxOf(key);
  if (plain.length > bytesMax) {
    const message =
      `The token is too long: together with the login time it has ${plain.length} bytes, and KSeF accepts at most ${bytesMax}. ` +
      'Save the connection again with a token created in KSeF.';
    throw new KsefRefusal('PERMANENT', message, { code: 'KSEF_TOKEN_TOO_LONG', concerns: 'CONNECTION' });
  }
  return encrypt(key, plain);
}

/**
 * Encrypts a KSeF session key as the call S1, which opens the session, requires.
 * @throws RangeError if the key or the vector has the wrong length
 */
export function encryptSessionKey(sessionKey: SessionKey, { key }: PublicKey): string {
  requireLengths(sessionKey);
  return encrypt(key, sessionKey.key);
}

function bytesMaxOf(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8) - OAEP_OVERHEAD_BYTES;
}

function encrypt(key: KeyObject, plain: Uint8Array): string {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return publicEncrypt({ key, padding, oaepHash: 'sha256' }, plain).toString('base64');
}
