import type { Facts } from '../facts.js';
import type { Candidate } from '../invoice.js';
import type { DuplicateParameters } from '../policy.js';
import { isSameSupplier } from './supplier-relation.js';

/**
 * How many other invoices of the judged invoice's supplier carry its amount within the window, besides the pair
 * itself (detection reference, section 5). The profile knows the finished ones, the candidates also those under way;
 * the larger count holds, because each sees only a part.
 */
export function recurringOthers(
  facts: Facts,
  originals: readonly Candidate[],
  other: Candidate,
  { recurrenceDays }: DuplicateParameters,
): number {
  const { invoice, supplier } = facts;
  const isInWindow = (day: number): boolean => Math.abs(day - invoice.issueDay) <= recurrenceDays;
  const remembered = (supplier.profile.amounts[invoice.currency] ?? []).filter(
    (use) => use.minor === invoice.amountMinor && isInWindow(use.day),
  );
  const otherIsRemembered = remembered.some((use) => use.day === other.issueDay);
  const present = originals.filter(
    (candidate) =>
      candidate !== other &&
      candidate.currency === invoice.currency &&
      candidate.amountMinor === invoice.amountMinor &&
      isInWindow(candidate.issueDay) &&
      isSameSupplier(supplier.supplierId, invoice, candidate),
  );
  return Math.max(remembered.length - (otherIsRemembered ? 1 : 0), present.length);
}
