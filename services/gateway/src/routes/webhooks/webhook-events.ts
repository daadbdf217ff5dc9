import { publicEventExamples } from '@invoicecontrol/public-events';
import type { PublicEventData, PublicEventType } from '@invoicecontrol/public-events';
import { z } from 'zod';
import { examples } from '../../http/description/examples.js';
import { shownId, shownInstant } from '../../http/description/fields.js';
import { severity } from '../analysis/finding-record.js';

const invoiceId = shownId().describe('The id of the invoice that the webhook event is about.');
const noInvoiceId = shownId()
  .nullable()
  .describe('The id of the invoice that the webhook event is about, or null if the event is not about an invoice.');
const submissionIds = {
  submission_id: shownId().describe('The id of the submission to KSeF.'),
  connection_id: shownId().describe('The id of the KSeF connection through which the invoice was submitted.'),
  company_id: shownId().describe('The id of the company that issued the invoice.'),
  invoice_id: shownId().describe('The id of the invoice that was submitted.'),
};
const counts = (what: string) => z.record(z.string(), z.int().min(0)).describe(what);

const data = {
  'invoice.analysis.completed': z.object({
    invoice_id: invoiceId,
    decision: z
      .enum(['PASS', 'REVIEW', 'BLOCK'])
      .describe(
        'The decision on the invoice: PASS (pay), REVIEW (someone must review the invoice before it is paid) or BLOCK (do not pay).',
      ),
    risk_score: z
      .int()
      .min(0)
      .max(100)
      .describe('The risk score of the invoice, from 0 (no risk) to 100 (highest risk).'),
    export_ready: z.boolean().describe('Whether the invoice is ready to be paid. True only if the decision is PASS.'),
    canonical_export_path: z.string().describe('The path from which a payment system can fetch the exported invoice.'),
  }),
  'invoice.analysis.failed': z.object({
    upload_id: shownId().describe('The id of the upload whose analysis failed.'),
    invoice_id: noInvoiceId,
    error: z
      .object({
        code: z.string().describe('The error code of the failed analysis. Clients should branch on this code.'),
        message: z.string().describe('The message that explains why the analysis of the uploaded document failed.'),
      })
      .meta({
        id: 'AnalysisFailure',
        description: 'The error that explains why the analysis of the document failed.',
      }),
  }),
  'scan.completed': z.object({
    scan_id: shownId().describe('The id of the completed history scan.'),
    invoices_analyzed: z
      .int()
      .min(0)
      .describe('The number of rows of the history scan that were analyzed as invoices.'),
    rows_skipped: z
      .int()
      .min(0)
      .describe(
        'The number of rows of the history scan that were skipped because they were already imported or appeared earlier in the file.',
      ),
    decision_counts: counts('The number of invoices of the history scan for each decision.'),
    finding_counts: counts('The number of findings of the history scan for each finding type.'),
  }),
  'finding.created': z.object({
    finding_id: shownId().describe('The id of the new finding.'),
    invoice_id: noInvoiceId,
    scan_id: shownId()
      .nullable()
      .describe('The id of the history scan that raised the finding, or null if no scan raised the finding.'),
    type: z.string().describe('The type of the finding. GET /v1/finding-types describes all types.'),
    severity,
    summary: z.string().describe('A one-sentence summary of the finding.'),
  }),
  'finding.reviewed': z.object({
    finding_id: shownId().describe('The id of the reviewed finding.'),
    invoice_id: noInvoiceId,
    disposition: z.string().describe('The new disposition of the finding.'),
    previous_disposition: z.string().describe('The disposition of the finding before the review.'),
    reviewed_at: shownInstant().describe('The time when the new disposition of the finding was recorded.'),
  }),
  'payment_run.checked': z.object({
    payment_run_id: shownId().describe('The id of the checked payment run.'),
    company_id: shownId().describe('The id of the company that pays the payment run.'),
    line_count: z.int().min(1).describe('The number of lines of the payment run.'),
    pay_count: z.int().min(0).describe('The number of payment lines that may be paid.'),
    hold_count: z.int().min(0).describe('The number of payment lines that are held.'),
    unknown_count: z.int().min(0).describe('The number of payment lines that could not be matched with an invoice.'),
  }),
  'ksef.submission.accepted': z.object({
    ...submissionIds,
    ksef_number: z.string().describe('The number under which KSeF registered the invoice.'),
  }),
  'ksef.submission.refused': z.object({
    ...submissionIds,
    status: z
      .enum(['REJECTED', 'FAILED'])
      .describe(
        'REJECTED if KSeF refused the invoice, FAILED if the submission ended before KSeF accepted the invoice.',
      ),
    error_code: z
      .string()
      .nullable()
      .describe(
        'The error code of the submission to KSeF, or null if there is none. GET the submission for the error message.',
      ),
  }),
  'erp.run.failed': z.object({
    run_id: shownId().describe('The id of the failed run of the ERP connection.'),
    connection_id: shownId().describe('The id of the ERP connection whose run failed.'),
    error_code: z
      .string()
      .nullable()
      .describe(
        'The code of the error that ended the run of the ERP connection, or null if it is not known. GET the run for the error message.',
      ),
    created: z.int().min(0).describe('The number of ERP records that the run created before it failed.'),
    updated: z.int().min(0).describe('The number of ERP records that the run updated before it failed.'),
    deleted: z.int().min(0).describe('The number of ERP records that the run deleted before it failed.'),
    failed: z.int().min(0).describe('The number of ERP records that the run could not import.'),
  }),
} satisfies { readonly [T in PublicEventType]: z.ZodType<PublicEventData[T]> };

const summaries: Readonly<Record<PublicEventType, string>> = {
  'invoice.analysis.completed': 'Notify the webhook of the decision on an invoice',
  'invoice.analysis.failed': 'Notify the webhook that the analysis of a document failed',
  'scan.completed': 'Notify the webhook of a completed scan of historical invoices',
  'finding.created': 'Notify the webhook of a new finding',
  'finding.reviewed': 'Notify the webhook of the review of a finding',
  'payment_run.checked': 'Notify the webhook of a checked payment run',
  'ksef.submission.accepted': 'Notify the webhook that KSeF accepted an invoice',
  'ksef.submission.refused': 'Notify the webhook that a submission to KSeF was refused or failed',
  'erp.run.failed': 'Notify the webhook of a failed run of an ERP connection',
};

/** Returns the name of the schema of a webhook event type, such as `InvoiceAnalysisCompletedEvent`. */
function schemaName(type: string): string {
  return `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;
}

export const webhookEvents = (Object.keys(data) as PublicEventType[]).map((type) => {
  const schema = z
    .object({
      id: z.string().meta({
        pattern: '^evt_[a-z2-7]{26}$',
        description: 'The id of the webhook event. Every repeated delivery of the event has the same id.',
      }),
      type: z.literal(type).describe('The type of the webhook event.'),
      data: (data[type] as z.ZodType).describe(
        'The details of the webhook event, whose fields depend on the event type.',
      ),
    })
    .meta({ id: schemaName(type) });
  const example = { id: 'evt_5yrwm2kzq7xk3n4v6c2j5tqa3e', type, data: publicEventExamples[type] };
  return { type, summary: summaries[type], schema: schema.register(examples, { example } as never) };
});

const eventSchemas = webhookEvents.map(({ schema }) => schema);

/** Schema of a webhook event of any type. */
export const webhookEvent = z
  .discriminatedUnion('type', eventSchemas as [(typeof eventSchemas)[number], ...typeof eventSchemas])
  .meta({ id: 'WebhookEvent', description: 'A webhook event. More event types may be added.' });
