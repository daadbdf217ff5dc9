import { ORGANIZATION_ID } from '@invoicecontrol/engine/testing/in-memory-history';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { AnalysisFacts } from '../records/domain/analysis.js';

/** Returns engine facts with the review facts of an analysis, which are empty by default. */
export function analysisFacts(
  facts: Facts,
  said: Partial<Pick<AnalysisFacts, 'reviews' | 'tolerances'>> = {},
): AnalysisFacts {
  return { ...facts, organizationId: ORGANIZATION_ID, reviews: [], ...said };
}
