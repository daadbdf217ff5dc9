import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
/** OPEN and UNDER_REVIEW wait for a person; SUPERSEDED is set by the system only. */
export type Disposition =
  'OPEN' | 'UNDER_REVIEW' | 'CONFIRMED' | 'FALSE_POSITIVE' | 'ACCEPTED_RISK' | 'RESOLVED' | 'SUPERSEDED';
/** The current outcome of a review, found by the evidence key of the finding or by one of its pairs. */
export interface ReviewFact {
  readonly evidenceKey: string;
  readonly disposition: Disposition;
  /** The invoice of the reviewed finding: other dispositions than FALSE_POSITIVE hold for its findings only. */
  readonly invoiceId: string | null;
  /** Pairs that a FALSE_POSITIVE clears; empty for findings that are not about pairs. */
  readonly pairKeys: readonly string[];
}
/** Whether a finding weighs in score and decision. */
export declare function isCounting({ disposition }: { readonly disposition: Disposition }): boolean;
/** The pairs that reviews have cleared. */
export declare function clearedPairsOf(reviews: readonly ReviewFact[]): string[];
/** The keys of the pairs that a finding is about. */
export declare function pairKeysOf({ subjects }: Pick<Finding, 'subjects'>): string[];
/**
 * What reviews make of a finding. A FALSE_POSITIVE holds for every finding with its key and for every finding about
 * pairs that are all cleared; any other outcome holds for the findings of the reviewed invoice alone (detection
 * reference, section 10).
 * @param invoiceId null for a finding about a scan or the books as a whole
 */
export declare function dispositionOf(
  finding: Finding,
  reviews: readonly ReviewFact[],
  invoiceId: string | null,
): Disposition;
