import type { X509Certificate } from 'node:crypto';

/** The certificates that one issuer has revoked. */
export interface RevocationList {
  /** The certificate whose key signed the list. */
  readonly issuer: X509Certificate;
  /** Serial numbers in the form of {@link normaliseSerialNumber}. */
  readonly serialNumbers: ReadonlySet<string>;
}

/** Tells whether the issuer of a certificate has revoked it. The day of the revocation does not count: a seal states its own time. */
export function isRevoked(certificate: X509Certificate, lists: readonly RevocationList[]): boolean {
  const serialNumber = normaliseSerialNumber(certificate.serialNumber);
  return lists.some(
    ({ issuer, serialNumbers }) =>
      serialNumbers.has(serialNumber) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
  );
}

/** A serial number in upper-case hexadecimal digits without leading zeros: lists and certificates write them differently. */
export function normaliseSerialNumber(hexadecimal: string): string {
  return hexadecimal.toUpperCase().replace(/^0+(?=.)/, '');
}
