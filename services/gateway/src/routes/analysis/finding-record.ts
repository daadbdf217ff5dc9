import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import { catalogue, families } from '@invoicecontrol/engine/explanation/catalogue';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant, wordOf } from '../../http/description/fields.js';

export const severity = z.enum(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']).describe('How bad it is, INFO least.');

export const knownFindingType = wordOf(
  Object.keys(catalogue),
  'Is not a known finding type. GET /v1/finding-types lists them.',
).meta({ id: 'FindingTypeName', description: 'A finding type. GET /v1/finding-types describes them.' });
export const knownFamily = wordOf(
  Object.keys(families),
  'Is not a known family. GET /v1/finding-types names the family of each type.',
).meta({ id: 'FindingFamily', description: 'A family: finding types that describe one problem from several sides.' });

export const disposition = z
  .enum(['OPEN', 'UNDER_REVIEW', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK', 'RESOLVED', 'SUPERSEDED'])
  .describe('What people made of it; SUPERSEDED is set by the system.');

const evidence = z
  .record(z.string(), z.unknown())
  .describe('What the finding is based on. Free-form; amounts are strings. `explanation` holds sentences for people.');

const findingFields = {
  type: z.string().describe('The finding type; GET /v1/finding-types describes them. More may come.'),
  severity,
  summary: z.string().describe('What was found, in a sentence.'),
  recommendedAction: z.string().nullable().describe('What to do about it.'),
  confidence: z.number().min(0).max(1).describe('How certain it is.'),
  evidence,
};

const exampleSummary = {
  type: 'TAX_ARITHMETIC_MISMATCH',
  severity: 'HIGH' as const,
  summary: 'Net GBP 400.00 and tax GBP 80.00 make GBP 480.00, not the GBP 580.00 of 4533.',
  recommendedAction: 'Reject for correction; the totals do not add up.',
  confidence: 0.97,
  evidence: {
    difference: '100.00',
    expectedGross: '480.00',
    currency: 'GBP',
    explanation: ['The gross amount is GBP 100.00 more than net and tax together.'],
    rule: 'TAX_ARITHMETIC_MISMATCH@1.0.0',
  },
};

/** Inside the answer of POST /invoices (specification 2.3). */
export const findingSummary = z
  .object(findingFields)
  .meta({ id: 'FindingSummary' })
  .register(examples, { example: exampleSummary });

/** Specification 2.4, with whose it is, who looks after it and when it was raised. */
export const findingRecord = z
  .object({
    id: shownId().describe('The id of the finding.'),
    invoiceId: shownId().nullable().describe('The invoice it is about. Null for payment-only findings.'),
    invoiceNumber: z.string().nullable().describe('The number of that invoice.'),
    supplierId: shownId().nullable().describe('The supplier it is about.'),
    supplierName: z.string().nullable().describe('The name of that supplier.'),
    scanId: shownId().nullable().describe('The scan that raised it. Null for real-time invoices.'),
    ...findingFields,
    relatedInvoiceIds: z.array(shownId()).describe('The invoices that it compares with this one.'),
    disposition,
    companyId: shownId().describe('The company that was billed.'),
    assigneeUserId: shownId().nullable().describe('The member who looks after it.'),
    createdAt: shownInstant().describe('When it was raised.'),
    amountAtRisk: z
      .string()
      .nullable()
      .describe(
        'What would be paid wrongly if nobody looked: the gross amount, or the part that is too much. "0.00" for a notice (INFO). Null where no exchange rate exists, and for findings about a scan as a whole.',
      ),
    amountAtRiskCurrency: z.string().nullable().describe('The base currency when it was raised. Null with the amount.'),
  })
  .meta({ id: 'Finding' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.finding,
      invoiceId: EXAMPLE_IDS.invoice,
      invoiceNumber: '4533',
      supplierId: EXAMPLE_IDS.supplier,
      supplierName: 'Thames Paper Ltd',
      scanId: null,
      ...exampleSummary,
      relatedInvoiceIds: [],
      disposition: 'OPEN',
      companyId: EXAMPLE_IDS.company,
      assigneeUserId: null,
      createdAt: EXAMPLE_INSTANT,
      amountAtRisk: '115.20',
      amountAtRiskCurrency: 'EUR',
    },
  });

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
    amountAtRisk: finding.amountAtRisk ?? null,
    amountAtRiskCurrency: finding.amountAtRiskCurrency ?? null,
  };
}

/** Evidence travels as one JSON string, an object. */
function readEvidence(json: string): Record<string, unknown> {
  return json === '' ? {} : (JSON.parse(json) as Record<string, unknown>);
}
