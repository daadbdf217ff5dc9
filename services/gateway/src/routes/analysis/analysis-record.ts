import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis, Versions } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import { stated } from '../../http/fields.js';
import { findingRecord, presentFinding } from './finding-record.js';

export const decision = z.enum(['PASS', 'REVIEW', 'BLOCK']);
export const riskScore = z.int().min(0).max(100);

export const versions = z
  .object({ riskEngine: z.string(), policy: z.string(), compliance: z.string().optional() })
  .meta({ id: 'Versions' });

/** Specification 2.3, the answer of GET /invoices/{invoiceId}/analysis/latest. */
export const latestAnalysis = z
  .object({ decision, risk_score: riskScore, findings: z.array(findingRecord), versions })
  .meta({ id: 'Analysis' });

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
