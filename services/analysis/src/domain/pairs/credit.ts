import type { Facts } from '../facts.js';
import type { Candidate } from '../invoice.js';
import { isSameSupplier } from './supplier-relation.js';

/**
 * Whether the earlier record was credited before the judged invoice came, and no other re-issue has used the credit
 * up (detection reference, section 5): crediting and billing again is ordinary, not a duplicate.
 */
export function hasOpenCredit(facts: Facts, originals: readonly Candidate[], other: Candidate): boolean {
  const credited = BigInt(other.amountMinor);
  if (credited <= 0n) return false;
  const { invoice } = facts;
  const from = Math.min(other.issueDay, invoice.issueDay);
  const to = Math.max(other.issueDay, invoice.issueDay);
  const ofSupplier = originals.filter(
    (candidate) =>
      candidate !== other &&
      candidate.currency === other.currency &&
      candidate.issueDay >= from &&
      candidate.issueDay <= to &&
      isSameSupplier(facts.supplier.supplierId, invoice, candidate),
  );
  const credits = ofSupplier.filter((candidate) => candidate.amountMinor === String(-credited));
  if (credits.length === 0) return false;
  const firstCreditDay = Math.min(...credits.map((credit) => credit.issueDay));
  const reissues = ofSupplier.filter(
    (candidate) => candidate.amountMinor === other.amountMinor && candidate.issueDay >= firstCreditDay,
  );
  return credits.length > reissues.length;
}
