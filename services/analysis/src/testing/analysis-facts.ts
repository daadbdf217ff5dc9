import { ORGANIZATION_ID } from '@invoicecontrol/engine/testing/in-memory-history';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { AnalysisFacts } from '../records/domain/analysis.js';

/** Facts of the engine as an analysis has them: with what people have said before, nothing when not given. */
export function analysisFacts(
  facts: Facts,
  said: Partial<Pick<AnalysisFacts, 'reviews' | 'tolerances'>> = {},
): AnalysisFacts {
  return { ...facts, organizationId: ORGANIZATION_ID, reviews: [], ...said };
}
