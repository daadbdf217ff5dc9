import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Versions } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { finding } from './finding-record.js';

export const decision = z
  .enum(['PASS', 'REVIEW', 'BLOCK'])
  .describe(
    'The decision on the invoice: PASS (pay), REVIEW (someone must review the invoice before it is paid) or BLOCK (do not pay).',
  );
export const riskScore = z
  .int()
  .min(0)
  .max(100)
  .describe('The risk score of the invoice, from 0 (no risk) to 100 (highest risk).');

/**
 * The example values of an analysis are invented, so that no release of the engine or the policy makes them outdated.
 */
export const versions = shown.record<Versions>(
  'Versions',
  'The versions of the risk engine and of the detection policy with which the analysis was made.',
)({
  riskEngine: shown.text('1.0.0', 'The version of the risk engine and its detection rules.'),
  policy: shown.text(
    'default-3+0123456789ab.o0',
    'The version of the detection policy. GET /v1/policies/current returns the current policy.',
  ),
  compliance: shown.optional(
    z.string(),
    undefined,
    'The version of the e-invoicing rules that the reference validation applied to the document. Present only if the document was validated.',
  ),
});

/** The response to GET /invoices/{invoiceId}/analysis/latest (specification 2.3). */
export const latestAnalysis = shown.record<Analysis>('Analysis')({
  decision: shown.name(decision, Decision, 'REVIEW'),
  risk_score: shown.field(riskScore, 58, 'riskScore'),
  findings: shown.list(finding, 'All findings of the analysis of the invoice, including reviewed findings.'),
  versions: shown.part(versions),
});
