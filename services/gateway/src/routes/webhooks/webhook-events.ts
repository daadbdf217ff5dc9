import { publicEventExamples } from '@invoicecontrol/public-events';
import type { PublicEventData, PublicEventType } from '@invoicecontrol/public-events';
import { z } from 'zod';
import { examples } from '../../http/description/examples.js';
import { shownId, shownInstant } from '../../http/description/fields.js';
import { severity } from '../analysis/finding-record.js';

const invoiceId = shownId().describe('The invoice.');
const noInvoiceId = shownId().nullable().describe('The invoice. Null where there is none.');
const counts = (what: string) => z.record(z.string(), z.int().min(0)).describe(what);

const data = {
  'invoice.analysis.completed': z.object({
    invoice_id: invoiceId,
    decision: z.enum(['PASS', 'REVIEW', 'BLOCK']).describe('What to do with the invoice.'),
    risk_score: z.int().min(0).max(100).describe('From 0 to 100.'),
    export_ready: z.boolean().describe('True only when the decision is PASS.'),
    canonical_export_path: z.string().describe('Where the invoice is fetched for a payment system.'),
  }),
  'invoice.analysis.failed': z.object({
    upload_id: shownId().describe('The upload of the document.'),
    invoice_id: noInvoiceId,
    error: z
      .object({
        code: z.string().describe('For programs.'),
        message: z.string().describe('For people.'),
      })
      .describe('Why it failed.'),
  }),
  'scan.completed': z.object({
    scan_id: shownId().describe('The scan.'),
    invoices_analyzed: z.int().min(0).describe('As in the answer of POST /scans.'),
    rows_skipped: z.int().min(0).describe('As in the answer of POST /scans.'),
    decision_counts: counts('Invoices by decision.'),
    finding_counts: counts('Findings by type.'),
  }),
  'finding.created': z.object({
    finding_id: shownId().describe('The finding.'),
    invoice_id: noInvoiceId,
    scan_id: shownId().nullable().describe('The scan. Null for an invoice of its own.'),
    type: z.string().describe('The kind of finding; GET /v1/finding-types lists them.'),
    severity,
    summary: z.string().describe('What was found, in a sentence.'),
  }),
  'finding.reviewed': z.object({
    finding_id: shownId().describe('The finding.'),
    invoice_id: noInvoiceId,
    disposition: z.string().describe('The new disposition.'),
    previous_disposition: z.string().describe('The disposition before.'),
    reviewed_at: shownInstant().describe('When somebody recorded it.'),
  }),
} satisfies { readonly [T in PublicEventType]: z.ZodType<PublicEventData[T]> };

const summaries: Readonly<Record<PublicEventType, string>> = {
  'invoice.analysis.completed': 'An invoice has a decision',
  'invoice.analysis.failed': 'The analysis of a document failed',
  'scan.completed': 'A historical scan finished',
  'finding.created': 'A new finding was raised',
  'finding.reviewed': 'Somebody recorded a disposition on a finding',
};

/** `InvoiceAnalysisCompletedEvent`. */
function schemaName(type: string): string {
  return `${type
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;
}

/** What endpoints receive, as it is published. */
export interface WebhookEvent {
  readonly type: PublicEventType;
  readonly summary: string;
  readonly schema: z.ZodType;
}

export const webhookEvents: readonly WebhookEvent[] = (Object.keys(data) as PublicEventType[]).map((type) => {
  const schema = z
    .object({
      id: z.string().meta({ pattern: '^evt_[a-z2-7]{26}$', description: 'The event. The same in every repeat.' }),
      type: z.literal(type).describe('The type of the event.'),
      data: (data[type] as z.ZodType).describe('What happened.'),
    })
    .meta({ id: schemaName(type) });
  const example = { id: 'evt_5yrwm2kzq7xk3n4v6c2j5tqa3e', type, data: publicEventExamples[type] };
  return { type, summary: summaries[type], schema: schema.register(examples, { example } as never) };
});
