import type { Candidate } from './invoice.js';

/**
 * Compares two records by arrival: by time of receipt, and rows of one history scan by issue date, source row number
 * and position. A finding about two records is raised on the later one (detection reference, sections 0.3 and 11). The
 * result is negative when `left` is earlier. The order is total, so exactly one of two equal invoices that are posted
 * at once is the later one.
 */
export function compareByArrival(left: Candidate, right: Candidate): number {
  return (
    left.receivedAtMs - right.receivedAtMs ||
    compareText(left.scanId ?? left.invoiceId, right.scanId ?? right.invoiceId) ||
    left.issueDay - right.issueDay ||
    (left.rowNo ?? 0) - (right.rowNo ?? 0) ||
    (left.position ?? 0) - (right.position ?? 0) ||
    compareText(left.invoiceId, right.invoiceId)
  );
}

/**
 * Compares suppliers by the fields that they state, for rules that show or keep only some of them. The order does not
 * use ids: they are derived from the organization, so the same invoices would give different results in another
 * organization.
 */
export function compareSuppliers(left: NamedSupplier, right: NamedSupplier): number {
  return (
    compareText(left.name, right.name) ||
    compareText(left.taxCountry ?? '', right.taxCountry ?? '') ||
    compareText(left.taxKey ?? '', right.taxKey ?? '') ||
    compareText(left.supplierId, right.supplierId)
  );
}

interface NamedSupplier {
  readonly supplierId: string;
  readonly name: string;
  readonly taxCountry?: string;
  readonly taxKey?: string;
}

/**
 * Compares two texts, such as ids, by code units. The order does not depend on a locale, so it is the same on every
 * machine.
 */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
