import type { Candidate } from './invoice.js';

/**
 * Orders two records by arrival. The finding is raised on the later one (detection reference, sections 0.3 and 11):
 * by time of receipt, rows of one scan by issue date, source row number and position. Negative when `left` is earlier.
 * The order is total, so of two equal invoices posted at once exactly one is the later.
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
 * An order of suppliers by what they state, for rules that show or keep only some of them. Ids are derived from the
 * organization, so they would decide differently for the same invoices of another one.
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

/** Orders by code units, the same on every machine (no locale). */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
