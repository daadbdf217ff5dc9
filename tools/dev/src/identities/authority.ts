// Issues X.509 certificates. This module loads a library that takes a quarter of a second, so it is imported only where a
// certificate is to be made.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { JsonGeneralName } from '@peculiar/x509';
import { AUTHORITY_MS, BACKDATED_MS, LEAF_MS } from './lifetimes.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const SERIAL_BYTES = 16;

/** A certificate and its private key, both in PEM format. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Leaf {
  /** Common name of the subject of the certificate. */
  readonly name: string;
  /** Organizational unit of the certificate's subject. */
  readonly unit: string;
  /** Alternative names of the certificate, such as `{ type: 'dns', value: 'scan' }`. */
  readonly alternatives: readonly JsonGeneralName[];
  readonly notBefore?: Date | undefined;
  readonly notAfter?: Date | undefined;
}

/** Certificate authority with its private key. */
export interface SigningAuthority extends KeyPair {
  issue(leaf: Leaf): Promise<KeyPair>;
}

/** Creates a new certificate authority, which is valid for {@link AUTHORITY_MS}. */
export async function makeSigningAuthority(): Promise<SigningAuthority> {
  const { privateKey, publicKey } = await generateKeys();
  // A certificate with the name of its issuer is taken for self-signed, so no service may have this name.
  const name = distinguishedName(`invoice-control CA ${randomBytes(4).toString('hex')}`);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: name,
    issuer: name,
    ...valid(AUTHORITY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey,
    signingKey: privateKey,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return openAuthority({ certificate: pemOf(certificate), key: await pemOfKey(privateKey) });
}

/** Opens a certificate authority that {@link makeSigningAuthority} created earlier. */
export async function openAuthority(stored: KeyPair): Promise<SigningAuthority> {
  const authority = new X509Certificate(stored.certificate);
  const pkcs8 = PemConverter.decodeFirst(stored.key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']);
  return {
    ...stored,
    async issue({ name, unit, alternatives, notBefore, notAfter }) {
      const { privateKey, publicKey } = await generateKeys();
      const period = valid(LEAF_MS);
      const certificate = await X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: distinguishedName(name, unit),
        issuer: authority.subjectName,
        notBefore: notBefore ?? period.notBefore,
        // A certificate does not expire later than the certificate of its issuer, because it is not accepted any more
        // after that time.
        notAfter: notAfter ?? new Date(Math.min(period.notAfter.getTime(), authority.notAfter.getTime())),
        signingAlgorithm: ALGORITHM,
        publicKey,
        signingKey,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
          new SubjectAlternativeNameExtension([...alternatives]),
          await AuthorityKeyIdentifierExtension.create(authority.publicKey),
          await SubjectKeyIdentifierExtension.create(publicKey),
        ],
      });
      return { certificate: pemOf(certificate), key: await pemOfKey(privateKey) };
    },
  };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/**
 * Returns the validity period of a new certificate. The period begins before the current time, because the clocks of
 * two machines differ a little.
 */
function valid(lifeMs: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + lifeMs) };
}

function serialNumber(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  // The serial number of a certificate must be positive and must not begin with a zero byte.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/**
 * Returns the subject of a certificate with its parts in the order that cert-manager uses. MongoDB writes the parts in
 * reverse order: `CN=scan,OU=services,O=invoice-control`.
 */
function distinguishedName(name: string, unit?: string): string {
  return ['O=invoice-control', ...(unit === undefined ? [] : [`OU=${unit}`]), `CN=${name}`].join(', ');
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}
