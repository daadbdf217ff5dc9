import type { X509Certificate } from 'node:crypto';

/** Maximum number of issuers between a seal and a trusted certificate. */
const ISSUERS_MAX = 4;

/**
 * Checks whether a certificate is one of the trusted certificates, or was issued by one of them, directly or through
 * issuers whose certificates came with it. A certificate that came with a document is not trusted for that reason
 * alone.
 * @param at the time at which all these certificates must be valid
 */
export function isTrusted(
  certificate: X509Certificate,
  { issuers, trusted, at }: Chain,
  depth: number = ISSUERS_MAX,
): boolean {
  if (trusted.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256)) return true;
  if (depth === 0) return false;
  const chain = { issuers, trusted, at };
  return [...trusted, ...issuers].some(
    (issuer) => hasIssued(issuer, certificate) && isValidAt(issuer, at) && isTrusted(issuer, chain, depth - 1),
  );
}

interface Chain {
  readonly issuers: readonly X509Certificate[];
  readonly trusted: readonly X509Certificate[];
  readonly at: Date;
}

/** Checks whether the certificate of a seal is valid at a given time. */
export function isValidAt({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return new Date(validFrom) <= at && at <= new Date(validTo);
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  if (!issuer.ca || issuer.fingerprint256 === certificate.fingerprint256 || !certificate.checkIssued(issuer))
    return false;
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
