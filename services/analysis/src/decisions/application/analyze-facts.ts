import { analyze } from '../domain/analyze.js';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import { tolerancesFor } from '../../policies/domain/learned-tolerance.js';
import { compareReviews, reviewFactOf, stillHolds } from '../../reviews/domain/review.js';
import type { CurrentReview } from '../../reviews/domain/review.js';
import type { AnalyzedFacts } from './decided-analysis.js';
import type { OrganizationPolicy } from '../../policies/application/policy-store.js';

/** Runs the engine on the loaded facts about an invoice and on what was learned from reviews about the supplier. */
export function analyzeFacts(
  loaded: AnalysisFacts,
  { policy, tolerances }: OrganizationPolicy,
  now: Date,
): AnalyzedFacts {
  const tolerated = tolerancesFor(tolerances, loaded.supplier.supplierId, now.toISOString().slice(0, 10));
  const facts = tolerated.length === 0 ? loaded : { ...loaded, tolerances: tolerated };
  return { facts, analysis: analyze(facts, policy) };
}

/**
 * Analyzes the facts about an invoice again with earlier reviews of other invoices' findings that have the same key as
 * one of its findings. If none of these reviews applies any more, the first analysis is returned.
 */
export function analyzeWithReviews(
  analyzed: AnalyzedFacts,
  reviews: readonly CurrentReview[],
  { policy }: OrganizationPolicy,
): AnalyzedFacts {
  const { facts } = analyzed;
  const others = reviews
    .filter((review) => review.invoiceId !== facts.invoice.invoiceId && stillHolds(review, facts))
    .map(reviewFactOf);
  if (others.length === 0) return analyzed;
  const reviewed = { ...facts, reviews: [...facts.reviews, ...others].sort(compareReviews) };
  return { facts: reviewed, analysis: analyze(reviewed, policy) };
}
