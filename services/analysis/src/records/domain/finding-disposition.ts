import type { Finding } from '@invoicecontrol/engine/explanation/evidence';

/**
 * Dispositions of a finding. OPEN and UNDER_REVIEW findings are waiting for a person. Only the system sets SUPERSEDED.
 */
export const dispositions = [
  'OPEN',
  'UNDER_REVIEW',
  'CONFIRMED',
  'FALSE_POSITIVE',
  'ACCEPTED_RISK',
  'RESOLVED',
  'SUPERSEDED',
] as const;
export type Disposition = (typeof dispositions)[number];

/**
 * Disposition that a reviewer gave to a finding. Later findings get the same disposition if they have the same evidence
 * key or are about the same pair of invoices.
 */
export interface ReviewFact {
  readonly evidenceKey: string;
  readonly disposition: Disposition;
  /**
   * Invoice of the reviewed finding. Dispositions other than FALSE_POSITIVE apply only to findings about this invoice.
   */
  readonly invoiceId: string | null;
  /** Pairs of invoices that a FALSE_POSITIVE review clears. Empty for findings that are not about pairs. */
  readonly pairKeys: readonly string[];
}

const COUNTING: ReadonlySet<Disposition> = new Set(['OPEN', 'UNDER_REVIEW', 'CONFIRMED']);

/** Checks whether a finding, with its disposition, counts in the score and the decision of its invoice. */
export function isCounting({ disposition }: { readonly disposition: Disposition }): boolean {
  return COUNTING.has(disposition);
}

/** Returns the pairs of invoices that reviews have cleared. */
export function clearedPairsOf(reviews: readonly ReviewFact[]): string[] {
  return reviews.flatMap(({ disposition, pairKeys }) => (disposition === 'FALSE_POSITIVE' ? pairKeys : []));
}

/** Returns the keys of the invoice pairs that a finding is about. */
export function pairKeysOf({ subjects }: Pick<Finding, 'subjects'>): string[] {
  return subjects.flatMap((subject) => (subject.kind === 'PAIR' ? subject.pairKey : []));
}

/**
 * Derives the disposition of a finding from reviews. A FALSE_POSITIVE review applies to every finding with the same
 * key. A finding about pairs of invoices is also a false positive if reviews have cleared all its pairs. Other
 * dispositions apply only to findings of the reviewed invoice (detection reference, section 10).
 * @param invoiceId null for a finding about a whole history scan or about ERP records
 */
export function dispositionOf(finding: Finding, reviews: readonly ReviewFact[], invoiceId: string | null): Disposition {
  const ofKey = reviews.filter(({ evidenceKey }) => evidenceKey === finding.evidence.key);
  const own = ofKey.find((review) => review.invoiceId === invoiceId);
  if (own !== undefined) return own.disposition;
  const pairs = pairKeysOf(finding);
  const cleared = clearedPairsOf(reviews);
  const isCleared = pairs.length > 0 && pairs.every((pair) => cleared.includes(pair));
  return isCleared || ofKey.some(({ disposition }) => disposition === 'FALSE_POSITIVE') ? 'FALSE_POSITIVE' : 'OPEN';
}
