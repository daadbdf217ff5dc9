import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Versions } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import { examples, exampleOf } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
import { findingRecord, presentFinding } from './finding-record.js';

export const decision = z
  .enum(['PASS', 'REVIEW', 'BLOCK'])
  .describe('PASS: pay. REVIEW: somebody should look at it first. BLOCK: do not pay.');
export const riskScore = z.int().min(0).max(100).describe('0 is no risk, 100 is the highest.');

export const versions = z
  .object({
    riskEngine: z.string().describe('The version of the rules.'),
    policy: z.string().describe('The version of the policy; GET /v1/policies/current shows the current one.'),
    compliance: z.string().optional().describe('The version of the reference validation, where there was one.'),
  })
  .meta({ id: 'Versions', description: 'What decided.' });

/** Made up, so that no release of the engine or the policy makes the example stale. */
export const exampleVersions = { riskEngine: '1.0.0', policy: 'default-3+0123456789ab.o0' };

/** Specification 2.3, the answer of GET /invoices/{invoiceId}/analysis/latest. */
export const latestAnalysis = z
  .object({
    decision,
    risk_score: riskScore,
    findings: z.array(findingRecord).describe('Every finding, reviewed ones included.'),
    versions,
  })
  .meta({ id: 'Analysis' })
  .register(examples, {
    example: {
      decision: 'REVIEW',
      risk_score: 58,
      findings: [exampleOf(findingRecord)],
      versions: exampleVersions,
    },
  });

export function presentAnalysis(analysis: Analysis): z.infer<typeof latestAnalysis> {
  return {
    decision: enumName(Decision, analysis.decision),
    risk_score: analysis.riskScore,
    findings: analysis.findings.map((finding) => presentFinding(finding)),
    versions: presentVersions(stated(analysis.versions)),
  };
}

export function presentVersions({ riskEngine, policy, compliance }: Versions): z.infer<typeof versions> {
  return { riskEngine, policy, ...(compliance === undefined ? {} : { compliance }) };
}
