import type { Candidate } from '../facts/invoice.js';

/** Checks whether a document shows the KSeF number or the QR code of an invoice received through KSeF. */
export function namesKsefInvoice(document: Candidate, registered: Candidate): boolean {
  const { ksefReference } = document;
  if (registered.source !== 'KSEF' || document.source === 'KSEF' || ksefReference === undefined) return false;
  const { number, code } = ksefReference;
  return (
    (number !== undefined && number === registered.externalId) ||
    (code !== undefined && code.sha256 === registered.documentSha256)
  );
}

/** Checks whether one of the two records was received through KSeF and the other shows its KSeF number or QR code. */
export function isNamedInKsef(left: Candidate, right: Candidate): boolean {
  return namesKsefInvoice(left, right) || namesKsefInvoice(right, left);
}

/** Checks whether exactly one of two records was received through KSeF. */
export function isOneThroughKsef(left: Candidate, right: Candidate): boolean {
  return (left.source === 'KSEF') !== (right.source === 'KSEF');
}
