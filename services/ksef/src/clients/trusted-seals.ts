import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Environment } from '../domain/connection.js';

/** Certificates of one file: the ministry has few, and each check of a confirmation takes all of them along. */
export const TRUSTED_CERTIFICATES_MAX = 64;

/** Certificates in DER whose seals count, by environment; none where any seal is taken. */
export type TrustedSeals = Readonly<Record<Environment, readonly Buffer[]>>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM file.
 * @throws Error that says what is wrong with the file, so that a broken one is not taken for none
 */
export async function readTrustedSeals(path: string | undefined): Promise<readonly Buffer[]> {
  if (path === undefined) return [];
  const text = await readFile(path, 'utf8');
  const found = readCertificates(path, text);
  if (found.length === 0) throw new Error(`${path} has no certificate. It must hold certificates in PEM.`);
  return found;
}

/** Reads the certificates among the text of a file, in DER. @throws Error for too many, and for one that cannot be read */
export function readCertificates(path: string, text: string): readonly Buffer[] {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length > TRUSTED_CERTIFICATES_MAX) {
    throw new Error(`${path} has ${found.length} certificates; at most ${TRUSTED_CERTIFICATES_MAX} are read.`);
  }
  return found.map((pem, index) => {
    try {
      return new X509Certificate(pem).raw;
    } catch {
      throw new Error(`Certificate ${index + 1} of ${path} cannot be read. Each must be a certificate in PEM.`);
    }
  });
}
