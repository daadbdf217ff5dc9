import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import { showInstant } from '../../http/fields.js';

export const severity = z.enum(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']);

export const disposition = z.enum([
  'OPEN',
  'UNDER_REVIEW',
  'CONFIRMED',
  'FALSE_POSITIVE',
  'ACCEPTED_RISK',
  'RESOLVED',
  'SUPERSEDED',
]);

const evidence = z.record(z.string(), z.unknown()).meta({ description: 'Free-form; amounts are strings.' });

/** Inside the answer of POST /invoices (specification 2.3). */
export const findingSummary = z
  .object({
    type: z.string(),
    severity,
    summary: z.string(),
    recommendedAction: z.string().nullable(),
    confidence: z.number().min(0).max(1),
    evidence,
  })
  .meta({ id: 'FindingSummary' });

/** Specification 2.4, with whose it is, who looks after it and when it was raised. */
export const findingRecord = z
  .object({
    id: z.string(),
    invoiceId: z.string().nullable().meta({ description: 'Null for payment-only findings.' }),
    invoiceNumber: z.string().nullable(),
    supplierId: z.string().nullable(),
    supplierName: z.string().nullable(),
    scanId: z.string().nullable().meta({ description: 'Null for real-time invoices.' }),
    type: z.string(),
    severity,
    summary: z.string(),
    recommendedAction: z.string().nullable(),
    confidence: z.number().min(0).max(1),
    evidence,
    relatedInvoiceIds: z.array(z.string()),
    disposition,
    companyId: z.string(),
    assigneeUserId: z.string().nullable(),
    createdAt: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'Finding' });

export function presentFindingSummary(finding: Finding): z.infer<typeof findingSummary> {
  return {
    type: finding.type,
    severity: enumName(Severity, finding.severity),
    summary: finding.summary,
    recommendedAction: finding.recommendedAction ?? null,
    confidence: finding.confidencePercent / 100,
    evidence: readEvidence(finding.evidenceJson),
  };
}

export function presentFinding(finding: Finding): z.infer<typeof findingRecord> {
  return {
    id: finding.findingId,
    invoiceId: finding.invoiceId ?? null,
    invoiceNumber: finding.invoiceNumber ?? null,
    supplierId: finding.supplierId ?? null,
    supplierName: finding.supplierName ?? null,
    scanId: finding.scanId ?? null,
    ...presentFindingSummary(finding),
    relatedInvoiceIds: finding.relatedInvoiceIds,
    disposition: disposition.parse(finding.disposition),
    companyId: finding.companyId,
    assigneeUserId: finding.assigneeUserId ?? null,
    createdAt: showInstant(finding.createdTime),
  };
}

/** Evidence travels as one JSON string, an object. */
function readEvidence(json: string): Record<string, unknown> {
  return json === '' ? {} : (JSON.parse(json) as Record<string, unknown>);
}
