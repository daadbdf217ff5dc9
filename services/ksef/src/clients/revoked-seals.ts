import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { X509Certificate as ParsedCertificate, X509Crl } from '@peculiar/x509';
import type { Environment } from '../domain/connection.js';
import { normaliseSerialNumber } from '../domain/revoked-seals.js';
import type { RevocationList } from '../domain/revoked-seals.js';
import { readCertificates } from './trusted-seals.js';

/** Maximum size of a file with a certificate revocation list. The lists of large authorities have some MiB. */
export const REVOCATION_BYTES_MAX = 16 * 1_024 * 1_024;
/**
 * Maximum number of certificate revocation lists in one file. The seals of the ministry come from only a few issuers.
 */
export const REVOCATION_LISTS_MAX = 16;

/** Certificate revocation list that was read from a file. */
interface ReadRevocationList extends RevocationList {
  /**
   * Time by which the issuer of seal certificates will publish its next revocation list. Undefined if the list does not
   * state a time.
   */
  readonly nextUpdate: Date | undefined;
}

/** Revocation lists by KSeF environment. An empty list means that no revoked certificate is known. */
export type RevokedSeals = Readonly<Record<Environment, readonly RevocationList[]>>;

const LIST = /-----BEGIN X509 CRL-----[^-]*-----END X509 CRL-----/g;

/**
 * Reads the certificate revocation lists (CRL) in a PEM file. Each list must be signed by a trusted certificate or by a
 * certificate in the same file.
 * @param trusted certificates in DER format
 * @throws Error that describes the fault, so that a broken file is not treated as an empty one
 */
export async function readRevokedSeals(
  path: string | undefined,
  trusted: readonly Buffer[],
): Promise<readonly ReadRevocationList[]> {
  if (path === undefined) return [];
  const bytes = await readFile(path);
  if (bytes.length > REVOCATION_BYTES_MAX) {
    throw new Error(`${path} has ${bytes.length} bytes; the maximum is ${REVOCATION_BYTES_MAX} bytes.`);
  }
  const text = bytes.toString('utf8');
  const lists = text.match(LIST) ?? [];
  if (lists.length === 0) {
    throw new Error(
      `${path} contains no revocation list. It must contain revocation lists in PEM format (openssl crl -inform der).`,
    );
  }
  if (lists.length > REVOCATION_LISTS_MAX) {
    throw new Error(`${path} contains ${lists.length} revocation lists; the maximum is ${REVOCATION_LISTS_MAX}.`);
  }
  const issuers = [...trusted, ...readCertificates(path, text)].map((der) => new X509Certificate(der));
  return Promise.all(lists.map((pem, index) => readList(pem, issuers, `${index + 1} of ${path}`)));
}

async function readList(
  pem: string,
  issuers: readonly X509Certificate[],
  position: string,
): Promise<ReadRevocationList> {
  let list: X509Crl;
  let serialNumbers: ReadonlySet<string>;
  try {
    list = new X509Crl(pem);
    serialNumbers = new Set(list.entries.map((entry) => normaliseSerialNumber(entry.serialNumber)));
  } catch (error) {
    throw new Error(
      `Revocation list ${position} cannot be read. Every revocation list in the file must be in PEM format.`,
      {
        cause: error,
      },
    );
  }
  for (const issuer of issuers) {
    if (await isSignedBy(list, issuer)) return { issuer, serialNumbers, nextUpdate: list.nextUpdate };
  }
  throw new Error(
    `Revocation list ${position} is not signed by any certificate in this file or in the file of trusted seals. Add the certificate of the authority that issued the list to this file, in PEM format.`,
  );
}

async function isSignedBy(list: X509Crl, issuer: X509Certificate): Promise<boolean> {
  const { publicKey, subject } = new ParsedCertificate(issuer.raw);
  if (subject !== list.issuer) return false;
  try {
    return await list.verify({ publicKey });
  } catch {
    // The signature check of a revocation list throws if the key and the signature have different types.
    return false;
  }
}
