import type { TimelineEntry } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import type { AuditEvent } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID, exampleOf, examples } from '../../http/description/examples.js';
import { pathId } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { actorName, nameActorsOf } from '../organization/actor.js';
import type { Named } from '../organization/actor.js';
import { together } from '../together.js';

/** Maximum number of exports in a timeline. The newest are kept. */
const EXPORTS_MAX = 100;
/** Maximum number of entries in a timeline. The newest are kept. */
const ENTRIES_MAX = 1_000;
/** Action under which the audit trail records that an invoice was exported. */
const EXPORTED = 'invoice.exported';

const actor = shown.record<Named<TimelineEntry>>()({
  type: shown.word(
    z
      .enum(['USER', 'API_KEY', 'RULE', 'OPERATOR', 'SYSTEM'])
      .describe(
        'The kind of actor that caused the timeline entry: USER, API_KEY, RULE (a routing rule), OPERATOR or SYSTEM.',
      ),
    'API_KEY',
    'actorType',
  ),
  id: shown.text(
    EXAMPLE_KEY_ID,
    'The id of the user, API key or routing rule that caused the timeline entry, or a fixed identifier for the operator or the system.',
    'actorId',
  ),
  name: actorName,
});

const reference = shown.record<TimelineEntry>()({
  type: shown.word(
    z
      .enum(['invoice', 'analysis', 'finding'])
      .describe('The kind of resource that the timeline entry is about: invoice, analysis or finding.'),
    'finding',
    'refType',
  ),
  id: shown.id(EXAMPLE_IDS.finding, 'The id of the resource that the timeline entry is about.', 'refId'),
});

const entry = shown.record<Named<TimelineEntry>>('TimelineEntry')({
  at: shown.instant(EXAMPLE_INSTANT, 'The time of the event that the timeline entry records.', 'entryTime'),
  kind: shown.word(
    z
      .enum([
        'RECEIVED',
        'ANALYZED',
        'REANALYZED',
        'FINDING_CREATED',
        'FINDING_REVIEWED',
        'FINDING_ASSIGNED',
        'DECISION_CHANGED',
        'EXPORTED',
      ])
      .describe(
        'The kind of timeline entry: RECEIVED (the invoice was stored), ANALYZED, REANALYZED (also for a finding that a repeated analysis changed), FINDING_CREATED, FINDING_REVIEWED, FINDING_ASSIGNED, DECISION_CHANGED (a review changed the decision) or EXPORTED.',
      ),
    'FINDING_REVIEWED',
  ),
  actor: shown.made(
    actor.schema.describe('The actor that caused the timeline entry.'),
    actor.present,
    exampleOf(actor.schema),
  ),
  ref: shown.made(
    reference.schema.describe('The resource that the timeline entry is about.'),
    reference.present,
    exampleOf(reference.schema),
  ),
  from: shown.textOrNull(
    'OPEN',
    'The decision, disposition or assignee before the change that the timeline entry records, or null if there was none.',
  ),
  to: shown.textOrNull(
    'CONFIRMED',
    'The decision, disposition or assignee after the change that the timeline entry records, or null if there is none. For a new finding, the type of the finding.',
  ),
  note: shown.textOrNull(
    'The supplier sends a corrected invoice.',
    'The note of the reviewer about the finding, or null if there is none.',
  ),
});

const timeline = z
  .object({
    items: z.array(entry.schema).max(ENTRIES_MAX).describe('The entries of the invoice timeline, oldest first.'),
    isTruncated: z
      .boolean()
      .describe(
        `Whether older entries of the timeline are left out, because the invoice has more than ${String(ENTRIES_MAX)} entries.`,
      ),
  })
  .meta({ id: 'InvoiceTimeline' })
  .register(examples, { example: { items: [exampleOf(entry.schema)], isTruncated: false } });

export const listInvoiceTimeline = route({
  operation: 'listInvoiceTimeline',
  method: 'get',
  path: '/invoices/:invoiceId/timeline',
  summary: 'List the events in the life of an invoice, oldest first',
  description:
    'Returns the receipt of the invoice, its analyses, the findings with their reviews and assignments, the changes of the decision, and exports. The lists of webhook deliveries and of KSeF submissions can be filtered by `invoice_id`.',
  rpc: 'invoicecontrol.analysis.v1.InvoiceService/ListInvoiceTimeline',
  alsoAsks: [
    'invoicecontrol.organization.v1.AuditService/ListAuditEvents',
    'invoicecontrol.organization.v1.MemberService/NameActors',
  ],
  access: { scope: 'invoices:read' },
  params: z.object({ invoiceId: pathId('invoice') }),
  responses: { 200: { description: 'The timeline of the invoice.', schema: timeline } },
  async handle({ params: { invoiceId } }, { audit, invoices, members }) {
    const [{ entries, isTruncated }, exports] = await together([
      invoices.listInvoiceTimeline({ invoiceId }),
      audit.listAuditEvents({
        pageSize: EXPORTS_MAX,
        pageToken: '',
        action: EXPORTED,
        target: `invoice:${invoiceId}`,
        outcome: 'SUCCEEDED',
      }),
    ]);
    const named = await nameActorsOf(entries, members);
    const all = [...named, ...exports.auditEvents.map((event) => exported(invoiceId, event))].toSorted(
      (left, right) => timeOf(left) - timeOf(right),
    );
    const isCut = isTruncated || exports.nextPageToken !== '' || all.length > ENTRIES_MAX;
    const body = { items: all.slice(-ENTRIES_MAX).map(entry.present), isTruncated: isCut };
    return { status: 200, body: body satisfies z.infer<typeof timeline> };
  },
});

function exported(invoiceId: string, event: AuditEvent): Named<TimelineEntry> {
  const { eventTime: entryTime, actorType, actorId, actorName: name } = event;
  return {
    entryTime,
    kind: 'EXPORTED',
    actorType,
    actorId,
    actorName: name,
    refType: 'invoice',
    refId: invoiceId,
  };
}

function timeOf({ entryTime }: TimelineEntry): number {
  return entryTime?.getTime() ?? 0;
}
