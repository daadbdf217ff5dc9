import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { catalogue, families } from '@invoicecontrol/engine/explanation/catalogue';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { shownId, wordOf } from '../../http/description/fields.js';
import { anyEvidence } from './evidence.js';

export const severity = z
  .enum(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])
  .describe('The severity of the finding, from INFO (lowest) to CRITICAL (highest).');

export const knownFindingType = wordOf(
  Object.keys(catalogue),
  'Must be a finding type. GET /v1/finding-types lists all finding types.',
).meta({ id: 'FindingTypeName', description: 'A finding type. GET /v1/finding-types describes all types.' });
export const knownFamily = wordOf(
  Object.keys(families),
  'Must be a finding family. GET /v1/finding-types names the family of each finding type.',
).meta({
  id: 'FindingFamily',
  description: 'A family of finding types, which groups the types that describe different aspects of the same problem.',
});

export const disposition = z
  .enum(['OPEN', 'UNDER_REVIEW', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK', 'RESOLVED', 'SUPERSEDED'])
  .describe('The disposition of the finding, set by a review. Only the system sets SUPERSEDED.');

/** Dispositions that people may set. */
const reviewable = disposition.exclude(['SUPERSEDED']);

const findingFields = {
  type: shown.text(
    'TAX_ARITHMETIC_MISMATCH',
    'The type of the finding. GET /v1/finding-types describes all types; more types may be added.',
  ),
  severity: shown.name(severity, Severity, 'HIGH'),
  summary: shown.text(
    'Net GBP 400.00 plus tax GBP 80.00 is GBP 480.00, but the gross amount of 4533 is GBP 580.00.',
    'A one-sentence summary of the finding.',
  ),
  recommendedAction: shown.textOrNull(
    'The net amount and the tax do not add up to the gross amount. Reject the invoice and ask the supplier for a corrected invoice.',
    'The recommended action for the finding, or null if there is none.',
  ),
  confidence: shown.made(
    z.number().min(0).max(1).describe('The confidence that the finding is correct, from 0 to 1.'),
    ({ confidencePercent }: Finding) => confidencePercent / 100,
    0.97,
  ),
  evidence: shown.made(
    anyEvidence,
    ({ evidenceJson }: Finding) => readEvidence(evidenceJson) as z.infer<typeof anyEvidence>,
    {
      key: 'f475776edc71d112feb8ee19a2d4ac23',
      rule: 'TAX_ARITHMETIC_MISMATCH@1.0.0',
      parameters: { tolerance: '0.02', smallDifference: '1.00', currency: 'GBP' },
      observed: {
        netAmount: '400.00',
        taxAmount: '80.00',
        grossAmount: '580.00',
        difference: '100.00',
        currency: 'GBP',
      },
      explanation: ['The gross amount is GBP 100.00 higher than the sum of net and tax.'],
      difference: '100.00',
      expectedGross: '480.00',
      currency: 'GBP',
    },
  ),
};

/** A finding in the response to POST /invoices (specification 2.3). */
export const findingSummary = shown.record<Finding>('FindingSummary')(findingFields);

const changedAt = shown.instant(
  EXAMPLE_INSTANT,
  'The time when the finding was raised or last changed by a review, an assignment or an analysis.',
  'updatedTime',
);

const fieldsOfFinding = {
  id: shown.id(EXAMPLE_IDS.finding, 'The id of the finding.', 'findingId'),
  invoiceId: shown.idOrNull(
    EXAMPLE_IDS.invoice,
    'The id of the invoice that the finding is about, or null if the finding is about payments only.',
  ),
  invoiceNumber: shown.textOrNull(
    '4533',
    'The number of the invoice that the finding is about, or null if there is none.',
  ),
  supplierId: shown.idOrNull(
    EXAMPLE_IDS.supplier,
    'The id of the supplier that the finding is about, or null if there is none.',
  ),
  supplierName: shown.textOrNull(
    'Thames Paper Ltd',
    'The name of the supplier that the finding is about, or null if there is none.',
  ),
  scanId: shown.idOrNull(
    null,
    'The id of the history scan that raised the finding, or null if no scan raised the finding.',
  ),
  ...findingFields,
  relatedInvoiceIds: shown.field(
    z.array(shownId()).describe('The ids of the other invoices with which the finding compares its invoice.'),
    [],
  ),
  disposition: shown.word(disposition, 'OPEN'),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company to which the invoice is addressed.'),
  assigneeUserId: shown.idOrNull(
    null,
    'The id of the member to whom the finding is assigned, or null if the finding is not assigned.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the finding was raised.', 'createdTime'),
  amountAtRisk: shown.textOrNull(
    '115.20',
    'The amount that would be paid incorrectly without a review: the gross amount of the invoice, or the part of it that is too high. "0.00" if the severity is INFO. Null if there is no exchange rate, or if the finding is about an entire scan.',
  ),
  amountAtRiskCurrency: shown.textOrNull(
    'EUR',
    'The currency of the amount at risk: the base currency of the organization when the finding was raised. Null if the amount at risk is null.',
  ),
  family: shown.text('TAX', 'The family of the finding type. GET /v1/finding-types names the family of each type.'),
  allowedDispositions: shown.made(
    z
      .array(reviewable)
      .optional()
      .describe(
        'The dispositions that a review may set, apart from the current disposition. Absent in the findings of an analysis.',
      ),
    ({ nextReview }: Finding) => nextReview?.dispositions.map((name) => shown.oneOf(reviewable, name)),
    ['UNDER_REVIEW', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK'],
  ),
  noteRequired: shown.made(
    z
      .boolean()
      .optional()
      .describe('Whether a review that accepts the risk requires a note. Absent in the findings of an analysis.'),
    ({ nextReview }: Finding) => nextReview?.isNoteRequired,
    false,
  ),
  // During a rollout, an analysis service of the previous release may respond without the time of the last change.
  updatedAt: {
    ...changedAt,
    read: (one: Finding) => changedAt.read({ updatedTime: one.updatedTime ?? one.createdTime }),
  },
};

/** A finding (specification 2.4) with its company, its assignee and the time when it was raised. */
export const finding = shown.record<Finding>('Finding')(fieldsOfFinding);

/** A finding in a list, which has no evidence if the caller asked for a summary. */
export const listedFinding = shown.record<Finding>('ListedFinding')({
  ...fieldsOfFinding,
  evidence: shown.made(
    anyEvidence.optional(),
    (one: Finding) => (one.evidenceJson === '' ? undefined : fieldsOfFinding.evidence.read(one)),
    fieldsOfFinding.evidence.example,
  ),
});

/** Parses the evidence of a finding, which services send as one JSON string that contains an object. */
function readEvidence(json: string): Record<string, unknown> {
  return json === '' ? {} : (JSON.parse(json) as Record<string, unknown>);
}
