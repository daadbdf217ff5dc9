import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Environment } from '../domain/connection.js';

/**
 * Maximum number of certificates of trusted seals in one file. The ministry uses few certificates, and each check of a
 * confirmation sends all of them.
 */
export const TRUSTED_CERTIFICATES_MAX = 64;

/**
 * Certificates of trusted seals in DER format, by KSeF environment. An empty list means that every valid seal is
 * accepted.
 */
export type TrustedSeals = Readonly<Record<Environment, readonly Buffer[]>>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of trusted seals in a PEM file.
 * @throws Error that describes the fault, so that a broken file is not treated as an empty one
 */
export async function readTrustedSeals(path: string | undefined): Promise<readonly Buffer[]> {
  if (path === undefined) return [];
  const text = await readFile(path, 'utf8');
  const found = readCertificates(path, text);
  if (found.length === 0)
    throw new Error(`The file ${path} contains no certificate. It must contain certificates in PEM format.`);
  return found;
}

/**
 * Finds the certificates of trusted seals in the text of a PEM file and returns them in DER format.
 * @throws Error if there are too many, or if a certificate cannot be read
 */
export function readCertificates(path: string, text: string): readonly Buffer[] {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length > TRUSTED_CERTIFICATES_MAX) {
    throw new Error(`${path} contains ${found.length} certificates; the maximum is ${TRUSTED_CERTIFICATES_MAX}.`);
  }
  return found.map((pem, index) => {
    try {
      return new X509Certificate(pem).raw;
    } catch {
      throw new Error(`Certificate ${index + 1} of ${path} cannot be read. Every certificate must be in PEM format.`);
    }
  });
}
