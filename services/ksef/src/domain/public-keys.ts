import { constants, createHash, publicEncrypt, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { requireLengths } from './encryption.js';
import type { SessionKey } from './encryption.js';
import { KsefRefusal } from './ksef-refusal.js';

export type KeyUsage = 'KsefTokenEncryption' | 'SymmetricKeyEncryption';

/** A certificate as KSeF publishes it. */
export interface PublishedCertificate {
  /** DER in base64. */
  readonly certificate: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  readonly usage: readonly string[];
}

export interface PublicKey {
  /** SHA-256 of the key's DER in base64: how calls name it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** RSA-OAEP with SHA-256 takes so many bytes fewer than the modulus has. */
const OAEP_OVERHEAD_BYTES = 66;

/**
 * The newest RSA key for the usage that is valid now. Where none is, because clocks differ, the newest that has not ended.
 * @returns undefined where nothing published can be used
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
    // No certificate: another one may be.
    return undefined;
  }
}

/**
 * The token with the time of the challenge, as A3 takes it.
 * @throws KsefRefusal PERMANENT for a token that is too long to be encrypted
 */
export function encryptToken(token: string, timestampMs: number, { key }: PublicKey): string {
  const plain = Buffer.from(`${token}|${timestampMs}`, 'utf8');
  const bytesMax = bytesMaxOf(key);
  if (plain.length > bytesMax) {
    const message =
      `The token is too long: with the time of the login it has ${plain.length} bytes, and KSeF accepts ${bytesMax}. ` +
      'Save the connection again with a token that was created in KSeF.';
    throw new KsefRefusal('PERMANENT', message, { code: 'KSEF_TOKEN_TOO_LONG', concerns: 'CONNECTION' });
  }
  return encrypt(key, plain);
}

/** The key of a session, as S1 takes it. @throws RangeError for a key or vector of another length */
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
