import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { certifiedService } from './service-name.js';
import type { CertifiedService } from './service-name.js';

/** The three files of a service's TLS identity, as they are on disk. */
export interface IdentityFiles {
  /**
   * Certificate of the service, followed by the intermediate certificates that lead to its authority, if there are any.
   */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Certificates of the authorities whose certificates the service accepts. */
  readonly ca: Buffer;
}

/** A service's TLS identity after the check that its three files fit together. */
export interface CheckedIdentity extends CertifiedService {
  readonly validFrom: Date;
  readonly validTo: Date;
}

/**
 * Reads the three files of a service's TLS identity synchronously, because they are small and, in Kubernetes, on a disk
 * in memory. The faster the three files are read, the more rarely old and new files are mixed while the files are being
 * renewed.
 */
export function readIdentityFiles(directory: string): IdentityFiles {
  const read = (name: string): Buffer => readFileSync(join(directory, name));
  return { cert: read('tls.crt'), key: read('tls.key'), ca: read('ca.crt') };
}

export function areSameFiles(some: IdentityFiles, others: IdentityFiles): boolean {
  return some.cert.equals(others.cert) && some.key.equals(others.key) && some.ca.equals(others.ca);
}

/**
 * Checks that the three files of an identity can be used together: the key belongs to the certificate, an authority of
 * the bundle has issued it, it is valid at this time, and it names one service of the trust domain.
 * @throws Error that says what does not fit
 */
export function checkIdentity({ cert, key, ca }: IdentityFiles, trustDomain: string, now: Date): CheckedIdentity {
  const [leaf, ...between] = certificatesIn(cert, 'tls.crt');
  const authorities = certificatesIn(ca, 'ca.crt');
  if (leaf === undefined) throw new Error('tls.crt contains no certificate');
  if (authorities.length === 0) throw new Error('ca.crt contains no certificate');
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error('tls.key does not belong to tls.crt');
  if (!isIssuedBy(leaf, between, authorities)) throw new Error('no authority of ca.crt has issued tls.crt');
  const validFrom = new Date(leaf.validFrom);
  const validTo = new Date(leaf.validTo);
  if (validTo <= now) throw new Error(`tls.crt has expired at ${validTo.toISOString()}`);
  if (validFrom > now) throw new Error(`tls.crt is not valid before ${validFrom.toISOString()}`);
  return { ...certifiedService(leaf.subjectAltName, trustDomain), validFrom, validTo };
}

/**
 * Checks whether an authority has issued a certificate, directly or through intermediate certificates. Each
 * intermediate certificate is used once.
 */
export function isIssuedBy(
  certificate: X509Certificate,
  between: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): boolean {
  const hasIssued = (issuer: X509Certificate): boolean =>
    issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (authorities.some(hasIssued)) return true;
  const next = between.find(hasIssued);
  return (
    next !== undefined &&
    isIssuedBy(
      next,
      between.filter((other) => other !== next),
      authorities,
    )
  );
}

const END = '-----END CERTIFICATE-----';

/** Returns the certificates in a PEM file. */
export function certificatesIn(pem: Buffer, file: string): X509Certificate[] {
  const parts = pem
    .toString('latin1')
    .split(END)
    .filter((part) => part.includes('-----BEGIN CERTIFICATE-----'));
  try {
    return parts.map((part) => new X509Certificate(`${part}${END}`));
  } catch (error) {
    throw new Error(`${file} contains a certificate that cannot be read`, { cause: error });
  }
}
