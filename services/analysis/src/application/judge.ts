import { analyze } from '../domain/analysis.js';
import type { AnalysisFacts } from '../domain/analysis.js';
import { tolerancesFor } from '../domain/learned-tolerance.js';
import { compareReviews, reviewFactOf, stillHolds } from '../domain/review.js';
import type { StandingReview } from '../domain/review.js';
import type { Judged } from './conclude.js';
import type { OrganizationPolicy } from './policy-store.js';

/** Runs the engine on facts as they were loaded, with what reviews taught about the supplier. */
export function judge(loaded: AnalysisFacts, { policy, tolerances }: OrganizationPolicy, now: Date): Judged {
  const tolerated = tolerancesFor(tolerances, loaded.supplier.supplierId, now.toISOString().slice(0, 10));
  const facts = tolerated.length === 0 ? loaded : { ...loaded, tolerances: tolerated };
  return { facts, analysis: analyze(facts, policy) };
}

/**
 * The judgement with what people have said about equal findings before. The engine runs once more only where some of
 * it still stands.
 */
export function judgeWithReviews(
  judged: Judged,
  standing: readonly StandingReview[],
  { policy }: OrganizationPolicy,
): Judged {
  const { facts } = judged;
  const others = standing
    .filter((review) => review.invoiceId !== facts.invoice.invoiceId && stillHolds(review, facts))
    .map(reviewFactOf);
  if (others.length === 0) return judged;
  const reviewed = { ...facts, reviews: [...facts.reviews, ...others].sort(compareReviews) };
  return { facts: reviewed, analysis: analyze(reviewed, policy) };
}
