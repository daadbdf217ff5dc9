import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { catalogue, families } from '@invoicecontrol/engine/explanation/catalogue';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { shownId, wordOf } from '../../http/description/fields.js';

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

const findingFields = {
  type: shown.text(
    'type',
    'TAX_ARITHMETIC_MISMATCH',
    'The finding type; GET /v1/finding-types describes them. More may come.',
  ),
  severity: shown.name(severity, Severity, 'severity', 'HIGH'),
  summary: shown.text(
    'summary',
    'Net GBP 400.00 and tax GBP 80.00 make GBP 480.00, not the GBP 580.00 of 4533.',
    'What was found, in a sentence.',
  ),
  recommendedAction: shown.textOrNull(
    'recommendedAction',
    'Reject for correction; the totals do not add up.',
    'What to do about it.',
  ),
  confidence: shown.made(
    z.number().min(0).max(1).describe('How certain it is.'),
    ({ confidencePercent }: Finding) => confidencePercent / 100,
    0.97,
  ),
  evidence: shown.made(
    z
      .record(z.string(), z.unknown())
      .describe(
        'What the finding is based on. Free-form; amounts are strings. `explanation` holds sentences for people.',
      ),
    ({ evidenceJson }: Finding) => readEvidence(evidenceJson),
    {
      difference: '100.00',
      expectedGross: '480.00',
      currency: 'GBP',
      explanation: ['The gross amount is GBP 100.00 more than net and tax together.'],
      rule: 'TAX_ARITHMETIC_MISMATCH@1.0.0',
    },
  ),
};

/** Inside the answer of POST /invoices (specification 2.3). */
export const findingSummary = shown.record<Finding>('FindingSummary')(findingFields);

/** Specification 2.4, with whose it is, who looks after it and when it was raised. */
export const finding = shown.record<Finding>('Finding')({
  id: shown.id('findingId', EXAMPLE_IDS.finding, 'The id of the finding.'),
  invoiceId: shown.idOrNull(
    'invoiceId',
    EXAMPLE_IDS.invoice,
    'The invoice it is about. Null for payment-only findings.',
  ),
  invoiceNumber: shown.textOrNull('invoiceNumber', '4533', 'The number of that invoice.'),
  supplierId: shown.idOrNull('supplierId', EXAMPLE_IDS.supplier, 'The supplier it is about.'),
  supplierName: shown.textOrNull('supplierName', 'Thames Paper Ltd', 'The name of that supplier.'),
  scanId: shown.idOrNull('scanId', null, 'The scan that raised it. Null for real-time invoices.'),
  ...findingFields,
  relatedInvoiceIds: shown.field(
    z.array(shownId()).describe('The invoices that it compares with this one.'),
    'relatedInvoiceIds',
    [],
  ),
  disposition: shown.word(disposition, 'disposition', 'OPEN'),
  companyId: shown.id('companyId', EXAMPLE_IDS.company, 'The company that was billed.'),
  assigneeUserId: shown.idOrNull('assigneeUserId', null, 'The member who looks after it.'),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When it was raised.'),
  amountAtRisk: shown.textOrNull(
    'amountAtRisk',
    '115.20',
    'What would be paid wrongly if nobody looked: the gross amount, or the part that is too much. "0.00" for a notice (INFO). Null where no exchange rate exists, and for findings about a scan as a whole.',
  ),
  amountAtRiskCurrency: shown.textOrNull(
    'amountAtRiskCurrency',
    'EUR',
    'The base currency when it was raised. Null with the amount.',
  ),
});

/** Evidence travels as one JSON string, an object. */
function readEvidence(json: string): Record<string, unknown> {
  return json === '' ? {} : (JSON.parse(json) as Record<string, unknown>);
}
