import type { Environment } from './connection.js';

const HOSTS: Readonly<Record<Environment, string>> = {
  TEST: 'qr-test.ksef.mf.gov.pl',
  DEMO: 'qr-demo.ksef.mf.gov.pl',
  PRODUCTION: 'qr.ksef.mf.gov.pl',
};

interface Registered {
  readonly sellerNip: string;
  /** Issue date of an invoice registered in KSeF, as `YYYY-MM-DD`. */
  readonly issueDate: string;
  /** SHA-256 hash of the document registered in KSeF in base64. */
  readonly hash: string;
}

/**
 * Returns the link in the QR code of a KSeF invoice (KOD I). Anyone who has the document can look it up in KSeF with
 * this link.
 */
export function verificationLink(environment: Environment, { sellerNip, issueDate, hash }: Registered): string {
  const day = issueDate.split('-').toReversed().join('-');
  return `https://${HOSTS[environment]}/invoice/${sellerNip}/${day}/${Buffer.from(hash, 'base64').toString('base64url')}`;
}
