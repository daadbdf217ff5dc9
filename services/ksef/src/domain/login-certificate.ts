import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { invalidField } from '@invoicecontrol/errors';
import { KeyUsageFlags, KeyUsagesExtension, X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { fromBER, Integer, ObjectIdentifier, Sequence } from 'asn1js';
import type { AsnType } from 'asn1js';
import { KsefRefusal } from './ksef-refusal.js';

/** Maximum sizes of uploaded certificates, keys and passwords (KSeF reference, section 18). */
export const CERTIFICATE_BYTES_MAX = 8 * 1_024;
export const PRIVATE_KEY_BYTES_MAX = 16 * 1_024;
export const PASSWORD_LENGTH_MAX = 256;

const RSA_BITS_MIN = 2_048;
/** Maximum key length of a login certificate in bits. A signature with a longer key takes seconds. */
const RSA_BITS_MAX = 8_192;
/**
 * Maximum number of key derivation rounds (PBKDF2) in an encrypted private key. The rounds run on the thread that
 * serves all callers. KSeF and OpenSSL use up to 600,000.
 */
const PBKDF2_ROUNDS_MAX = 1_000_000;
const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';
/** X.520 attributes that contain the identity of the subject of a login certificate. */
const ORGANIZATION_IDENTIFIER = '2.5.4.97';
const SERIAL_NUMBER = '2.5.4.5';

/** A certificate for logging in to KSeF, with its private key. */
export interface LoginCertificate {
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
}

/** A login certificate for KSeF and its key as uploaded by a caller. */
export interface UploadedCertificate {
  /** Login certificate in PEM format, or in DER format as base64. */
  readonly certificate: string;
  /** Private key of a login certificate in PEM format: PKCS#8 (encrypted or not), SEC1 or PKCS#1. */
  readonly privateKey: string;
  readonly privateKeyPassword?: string | undefined;
}

/** Identity in the subject of a login certificate: the taxpayer or the person that KSeF knows. */
export interface Identity {
  readonly kind: 'NIP' | 'PESEL';
  readonly value: string;
}

/**
 * Reads an uploaded login certificate and its key, and checks whether KSeF can accept them (KSeF reference, section
 * 18). They must belong together, the key must be P-256 or RSA with 2,048 to 8,192 bits, and the certificate must be
 * valid at `now` and allowed to log in.
 *
 * @throws DomainError invalid, which names the field and the required change
 */
export function readLoginCertificate(uploaded: UploadedCertificate, now: Date): LoginCertificate {
  const certificate = readCertificate(uploaded.certificate);
  const privateKey = readPrivateKey(uploaded.privateKey, uploaded.privateKeyPassword);
  requireUsableKey(certificate.publicKey);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw invalidField(
      'private_key',
      'The private key does not belong to the certificate. Send the private key of the certificate.',
    );
  }
  requireValid(certificate, now);
  requireLoginUsage(certificate);
  return { certificate, privateKey };
}

/**
 * Encodes a login certificate and its key, without the password, in the format in which they are sealed for storage.
 */
export function encodeLoginCertificate({ certificate, privateKey }: LoginCertificate): string {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return `${certificate.toString()}${key}`;
}

/** Decodes a login certificate and key that {@link encodeLoginCertificate} encoded. */
export function decodeLoginCertificate(text: string): LoginCertificate {
  return { certificate: new X509Certificate(text), privateKey: createPrivateKey(text) };
}

/** Returns the time at which a login certificate expires. */
export function expiryOf(certificate: X509Certificate): Date {
  return new Date(certificate.validTo);
}

/**
 * Refuses a login with an expired certificate. The message of this refusal is clearer than that of KSeF.
 * @param now time by the clock of KSeF
 * @throws KsefRefusal PERMANENT, for the whole connection
 */
export function requireUnexpired(certificate: X509Certificate, now: Date): void {
  const expiresAt = expiryOf(certificate);
  if (now <= expiresAt) return;
  const message = `The certificate of this connection expired at ${expiresAt.toISOString()}. Save the connection again with a valid certificate.`;
  throw new KsefRefusal('PERMANENT', message, { code: 'KSEF_AUTH_460', concerns: 'CONNECTION' });
}

/**
 * Reads the identity in the subject of a login certificate: `VATPL-<NIP>` for a company, `PNOPL-<PESEL>` or
 * `TINPL-<NIP>` for a person.
 * @returns undefined for a certificate that KSeF identifies only by its fingerprint
 */
export function identityOf(certificate: X509Certificate): Identity | undefined {
  const { subjectName } = new ParsedCertificate(certificate.raw);
  const [organization] = subjectName.getField(ORGANIZATION_IDENTIFIER);
  const company = /VATPL\D{0,9}(\d{10})(?!\d)/.exec(organization ?? '')?.[1];
  if (company !== undefined) return { kind: 'NIP', value: company };
  const [serialNumber = ''] = subjectName.getField(SERIAL_NUMBER);
  const person = /(?:PNOPL|PESEL)\D{0,9}(\d{11})(?!\d)/.exec(serialNumber)?.[1];
  if (person !== undefined) return { kind: 'PESEL', value: person };
  const taxpayer = /(?:TINPL|NIP)\D{0,9}(\d{10})(?!\d)/.exec(serialNumber)?.[1];
  return taxpayer === undefined ? undefined : { kind: 'NIP', value: taxpayer };
}

/** Masks the identity in a login certificate except for its last four digits, such as `NIP ******7635`. */
export function maskedIdentity({ kind, value }: Identity): string {
  return `${kind} ${'*'.repeat(value.length - 4)}${value.slice(-4)}`;
}

function readCertificate(text: string): X509Certificate {
  if (Buffer.byteLength(text) > CERTIFICATE_BYTES_MAX) {
    throw invalidField(
      'certificate',
      `The certificate has more than ${CERTIFICATE_BYTES_MAX / 1_024} KiB. Send a single certificate.`,
    );
  }
  const blocks = text.match(/-----BEGIN /g)?.length ?? 0;
  if (blocks > 1) {
    throw invalidField(
      'certificate',
      `The certificate has ${blocks} PEM blocks. Send only the certificate, without its issuers and its private key.`,
    );
  }
  try {
    return new X509Certificate(blocks === 1 ? text : Buffer.from(text, 'base64'));
  } catch {
    throw invalidField(
      'certificate',
      'The certificate cannot be read. Send one X.509 certificate, either in PEM format or in DER format encoded in base64.',
    );
  }
}

function readPrivateKey(text: string, password: string | undefined): KeyObject {
  if (Buffer.byteLength(text) > PRIVATE_KEY_BYTES_MAX) {
    throw invalidField(
      'private_key',
      `The private key has more than ${PRIVATE_KEY_BYTES_MAX / 1_024} KiB. Send a single private key.`,
    );
  }
  if ((password?.length ?? 0) > PASSWORD_LENGTH_MAX) {
    throw invalidField(
      'private_key_password',
      `The password of the private key has more than ${PASSWORD_LENGTH_MAX} characters. Encrypt the private key with a shorter password.`,
    );
  }
  const isEncrypted = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text);
  if (isEncrypted && password === undefined) {
    throw invalidField(
      'private_key_password',
      'The private key is encrypted. Send its password as private_key_password.',
    );
  }
  requireBoundedPassword(text);
  try {
    return createPrivateKey({ key: text, format: 'pem', ...(isEncrypted ? { passphrase: password ?? '' } : {}) });
  } catch {
    // The library for private keys cannot reliably distinguish a wrong password from a broken file, because random
    // bytes may look like valid padding.
    if (isEncrypted) {
      throw invalidField(
        'private_key_password',
        'The password does not decrypt the private key. Check the password and the file.',
      );
    }
    throw invalidField(
      'private_key',
      'The private key cannot be read. Send the key in PEM format: PKCS#8 (encrypted or not), SEC1 or PKCS#1.',
    );
  }
}

/** Refuses an encrypted private key (PKCS#8) whose key derivation would take seconds or has an unknown cost. */
function requireBoundedPassword(text: string): void {
  const [, body] = text.split('-----BEGIN ENCRYPTED PRIVATE KEY-----');
  if (body === undefined) return;
  const { result } = fromBER(Buffer.from(body.split('-----END')[0] ?? '', 'base64'));
  const algorithm = childrenOf(result)[0];
  const [scheme, parameters] = childrenOf(algorithm);
  const derivation = childrenOf(parameters)[0];
  const [kind, ofDerivation] = childrenOf(derivation);
  if (objectId(scheme) !== PBES2 || objectId(kind) !== PBKDF2) {
    throw invalidField(
      'private_key',
      'The encryption of the private key is not supported. Encrypt the key again with `openssl pkcs8 -topk8 -v2 aes-256-cbc`.',
    );
  }
  // The encryption header of an encrypted private key states the number of rounds, and sometimes the key length, which
  // is always much smaller. Every number in the header can therefore be compared with the maximum number of rounds.
  const numbers = childrenOf(ofDerivation).filter((part) => part instanceof Integer);
  if (numbers.length === 0 || numbers.some((number) => number.toBigInt() > PBKDF2_ROUNDS_MAX)) {
    throw invalidField(
      'private_key',
      `The private key is encrypted with more than ${PBKDF2_ROUNDS_MAX.toLocaleString('en')} rounds of PBKDF2. Encrypt the key again with fewer rounds.`,
    );
  }
}

function childrenOf(part: AsnType | undefined): readonly AsnType[] {
  return part instanceof Sequence ? part.valueBlock.value : [];
}

function objectId(part: AsnType | undefined): string | undefined {
  return part instanceof ObjectIdentifier ? part.valueBlock.toString() : undefined;
}

function requireUsableKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): void {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return;
  if (asymmetricKeyType === 'rsa' && modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX) return;
  throw invalidField(
    'certificate',
    'The certificate has a key that KSeF does not accept. Use a certificate with an EC key on the curve P-256 or an RSA key of 2,048 to 8,192 bits.',
  );
}

function requireValid(certificate: X509Certificate, now: Date): void {
  const validFrom = new Date(certificate.validFrom);
  if (now < validFrom) {
    throw invalidField(
      'certificate',
      `The certificate is not valid before ${validFrom.toISOString()}. Save the connection after that time.`,
    );
  }
  const validTo = expiryOf(certificate);
  if (now > validTo) {
    throw invalidField('certificate', `The certificate expired at ${validTo.toISOString()}. Send a valid certificate.`);
  }
}

/**
 * Checks that a certificate may be used for logging in to KSeF. If the certificate does not state its permitted uses,
 * KSeF decides, because KSeF accepts self-signed certificates in its TEST environment.
 */
function requireLoginUsage(certificate: X509Certificate): void {
  const usages = new ParsedCertificate(certificate.raw).getExtension(KeyUsagesExtension)?.usages;
  if (usages === undefined || (usages & KeyUsageFlags.digitalSignature) !== 0) return;
  throw invalidField(
    'certificate',
    (usages & KeyUsageFlags.nonRepudiation) === 0
      ? 'The certificate may not be used for signatures. Send a KSeF certificate of the type Authentication.'
      : 'The certificate is of the type Offline, which is only for invoices issued offline and cannot be used to log in. Send a KSeF certificate of the type Authentication.',
  );
}
