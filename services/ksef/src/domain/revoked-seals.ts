import type { X509Certificate } from 'node:crypto';

/** Certificates of KSeF seals that one issuer has revoked. */
export interface RevocationList {
  /** Certificate of the issuer whose key signed the revocation list. */
  readonly issuer: X509Certificate;
  /** Serial numbers of the revoked seal certificates, in the form of {@link normaliseSerialNumber}. */
  readonly serialNumbers: ReadonlySet<string>;
}

/**
 * Checks whether the certificate of a KSeF seal was revoked by its issuer. The revocation date is ignored, because the
 * holder of a revoked certificate could state an earlier time in a new seal.
 */
export function isRevoked(certificate: X509Certificate, lists: readonly RevocationList[]): boolean {
  const serialNumber = normaliseSerialNumber(certificate.serialNumber);
  return lists.some(
    ({ issuer, serialNumbers }) =>
      serialNumbers.has(serialNumber) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
  );
}

/**
 * Converts the serial number of a certificate to upper-case hexadecimal digits without leading zeros. Lists and
 * certificates write serial numbers differently.
 */
export function normaliseSerialNumber(hexadecimal: string): string {
  return hexadecimal.toUpperCase().replace(/^0+(?=.)/, '');
}
