import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import { EXAMPLE_IDS, examples, exampleOf } from '../../http/description/examples.js';
import { shownId, stated } from '../../http/description/fields.js';
import { decision, exampleVersions, presentVersions, riskScore, versions } from './analysis-record.js';
import { findingSummary, presentFindingSummary } from './finding-record.js';

/** What an invoice or a document that was sent is answered with (specification 2.3). */
export const acceptedAnalysis = z
  .object({
    id: shownId().describe('The id of the invoice.'),
    status: z.literal('ANALYZING').describe('Always ANALYZING, although the decision is already included.'),
    decision,
    risk_score: riskScore,
    findings: z.array(findingSummary).describe('What was found, without what reviews have called false alarms.'),
    versions,
  })
  .meta({ id: 'AcceptedAnalysis' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.invoice,
      status: 'ANALYZING',
      decision: 'REVIEW',
      risk_score: 58,
      findings: [exampleOf(findingSummary)],
      versions: exampleVersions,
    },
  });

/** Findings that were reviewed as false alarms do not count; only the latest analysis shows them. */
export function presentAccepted(analysis: Analysis): z.infer<typeof acceptedAnalysis> {
  return {
    id: analysis.invoiceId,
    status: 'ANALYZING',
    decision: enumName(Decision, analysis.decision),
    risk_score: analysis.riskScore,
    findings: analysis.findings
      .filter(({ disposition }) => disposition !== 'FALSE_POSITIVE')
      .map((finding) => presentFindingSummary(finding)),
    versions: presentVersions(stated(analysis.versions)),
  };
}
