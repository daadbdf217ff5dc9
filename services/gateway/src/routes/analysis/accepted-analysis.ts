import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_IDS, exampleOf } from '../../http/description/examples.js';
import { decision, riskScore, versions } from './analysis-record.js';
import { findingSummary } from './finding-record.js';

/** Response to a submitted invoice or document (specification 2.3). */
export const acceptedAnalysis = shown.record<Analysis>('AcceptedAnalysis')({
  id: shown.id(EXAMPLE_IDS.invoice, 'The id of the invoice.', 'invoiceId'),
  status: shown.made(
    z
      .literal('ANALYZING')
      .describe(
        'The status of the accepted invoice. Always ANALYZING: the analysis of an invoice is never closed, because reviews and later invoices may change its decision. The `decision` in this response is complete and can be acted on; GET /v1/invoices/{invoiceId}/analysis/latest shows later changes.',
      ),
    () => 'ANALYZING' as const,
    'ANALYZING',
  ),
  decision: shown.name(decision, Decision, 'REVIEW'),
  risk_score: shown.field(riskScore, 58, 'riskScore'),
  findings: shown.made(
    z
      .array(findingSummary.schema)
      .describe('The findings about the invoice, without those whose disposition is FALSE_POSITIVE.'),
    ({ findings }: Analysis) =>
      findings.filter(({ disposition }) => disposition !== 'FALSE_POSITIVE').map(findingSummary.present),
    [exampleOf(findingSummary.schema)],
  ),
  versions: shown.part(versions),
});
