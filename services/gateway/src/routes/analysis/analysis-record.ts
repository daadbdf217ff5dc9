import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Versions } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { finding } from './finding-record.js';

export const decision = z
  .enum(['PASS', 'REVIEW', 'BLOCK'])
  .describe('PASS: pay. REVIEW: somebody should look at it first. BLOCK: do not pay.');
export const riskScore = z.int().min(0).max(100).describe('0 is no risk, 100 is the highest.');

/** The example is made up, so that no release of the engine or the policy makes it stale. */
export const versions = shown.record<Versions>(
  'Versions',
  'What decided.',
)({
  riskEngine: shown.text('riskEngine', '1.0.0', 'The version of the rules.'),
  policy: shown.text(
    'policy',
    'default-3+0123456789ab.o0',
    'The version of the policy; GET /v1/policies/current shows the current one.',
  ),
  compliance: shown.optional(
    z.string(),
    'compliance',
    undefined,
    'The version of the reference validation, where there was one.',
  ),
});

/** Specification 2.3, the answer of GET /invoices/{invoiceId}/analysis/latest. */
export const latestAnalysis = shown.record<Analysis>('Analysis')({
  decision: shown.name(decision, Decision, 'decision', 'REVIEW'),
  risk_score: shown.field(riskScore, 'riskScore', 58),
  findings: shown.list(finding, 'findings', 'Every finding, reviewed ones included.'),
  versions: shown.part(versions, 'versions'),
});
