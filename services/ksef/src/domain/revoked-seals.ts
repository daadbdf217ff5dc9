import type { X509Certificate } from 'node:crypto';

/** Certificates that one issuer has revoked. */
export interface RevocationList {
  /** Certificate whose key signed the list. */
  readonly issuer: X509Certificate;
  /** Serial numbers in the form of {@link normaliseSerialNumber}. */
  readonly serialNumbers: ReadonlySet<string>;
}

/**
 * Tells whether the issuer of a certificate has revoked it. The day of the revocation is ignored, because a seal states
 * its own time.
 */
export function isRevoked(certificate: X509Certificate, lists: readonly RevocationList[]): boolean {
  const serialNumber = normaliseSerialNumber(certificate.serialNumber);
  return lists.some(
    ({ issuer, serialNumbers }) =>
      serialNumbers.has(serialNumber) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
  );
}

/**
 * Converts a serial number to upper-case hexadecimal digits without leading zeros. Lists and certificates write it
 * differently.
 */
export function normaliseSerialNumber(hexadecimal: string): string {
  return hexadecimal.toUpperCase().replace(/^0+(?=.)/, '');
}
