import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { FindingChange, FindingTotals } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID, exampleOf, examples } from '../../http/description/examples.js';
import { note, pathId, stated, toInstant, uuid } from '../../http/description/fields.js';
import { listRequest, onlyPage, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { disposition, finding, knownFindingType, severity } from './finding-record.js';

const findingParams = z.object({ findingId: pathId('finding') });

const actor = shown.record<FindingChange>()({
  type: shown.word(
    z.enum(['USER', 'API_KEY', 'RULE', 'SYSTEM']).describe('What kind of actor it was.'),
    'actorType',
    'API_KEY',
  ),
  id: shown.text('actorId', EXAMPLE_KEY_ID, 'The id of the person, key or routing rule; a word for the system.'),
});

const change = shown.record<FindingChange>('FindingChange')({
  at: shown.instant('changeTime', EXAMPLE_INSTANT, 'When it happened.'),
  actor: shown.made(actor.schema.describe('Who did it.'), actor.present, exampleOf(actor.schema)),
  action: shown.word(
    z
      .enum(['CREATED', 'REVIEWED', 'ASSIGNED', 'RECOMPUTED'])
      .describe('What was done. RECOMPUTED: an analysis changed the finding.'),
    'action',
    'REVIEWED',
  ),
  from: shown.optional(z.string(), 'from', 'OPEN', 'The disposition or assignee before.'),
  to: shown.optional(z.string(), 'to', 'CONFIRMED', 'The disposition or assignee after.'),
  note: shown.optional(z.string(), 'note', 'The supplier sends a corrected invoice.', 'What the person wrote.'),
});

export const listFindings = route({
  operation: 'listFindings',
  method: 'get',
  path: '/findings',
  summary: 'List findings',
  description:
    'Newest first unless `sort` says otherwise. All filters hold together: `severity` with `min_severity` lists the one severity where it is high enough, and else nothing.',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ListFindings',
  access: { scope: 'findings:read' },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Only findings about bills to this company.'),
    invoice_id: uuid().optional().describe('Only findings about this invoice.'),
    scan_id: uuid().optional().describe('Only findings of this scan.'),
    supplier_id: uuid().optional().describe('Only findings about this supplier.'),
    type: knownFindingType.optional(),
    severity: severity.optional().describe('Only findings of this severity.'),
    min_severity: severity.optional().describe('Only findings of this severity and above. INFO is least.'),
    disposition: disposition.optional(),
    assignee_user_id: uuid().optional().describe('Only findings that are assigned to this member.'),
    sort: z
      .enum(['newest', 'severity', 'amount_at_risk'])
      .optional()
      .describe(
        '`newest`: newest first, the default. `severity`: most severe first, then newest. `amount_at_risk`: the largest first, findings without an amount last.',
      ),
  }),
  responses: { 200: { description: 'A page of findings.', schema: pageOf(finding.schema) } },
  async handle({ query }, { findings }): Promise<Reply> {
    const list = listRequest('listFindings', query);
    const reply = await findings.listFindings({
      ...list.request,
      companyId: query.company_id,
      invoiceId: query.invoice_id,
      scanId: query.scan_id,
      supplierId: query.supplier_id,
      type: query.type,
      severity: query.severity === undefined ? Severity.UNSPECIFIED : Severity[query.severity],
      minSeverity: query.min_severity === undefined ? Severity.UNSPECIFIED : Severity[query.min_severity],
      sort: sorts[query.sort ?? 'newest'],
      disposition: query.disposition,
      assigneeUserId: query.assignee_user_id,
    });
    return { status: 200, body: list.page(reply.findings.map(finding.present), reply.nextPageToken) };
  },
});

const sorts = {
  newest: FindingSort.NEWEST,
  severity: FindingSort.SEVERITY,
  amount_at_risk: FindingSort.AMOUNT_AT_RISK,
} as const;

const figures = {
  count: z.int().min(0).describe('Findings, whatever their disposition.'),
  open: z.int().min(0).describe('Those that wait for a person: OPEN and UNDER_REVIEW.'),
  amountAtRisk: z
    .string()
    .describe(
      'What open findings of MEDIUM and above put at risk; others let an invoice pass. An invoice counts once, with what exceeds its confirmed amount.',
    ),
  amountConfirmed: z
    .string()
    .describe('What CONFIRMED and RESOLVED findings say is wrong to pay. An invoice counts once.'),
  amountConfirmedInScans: z
    .string()
    .describe('The part of it that scans found: bills of the past, to claim back where they were paid.'),
};
const exampleFigures = {
  count: 2,
  open: 1,
  amountAtRisk: '1190.00',
  amountConfirmed: '580.00',
  amountConfirmedInScans: '0.00',
};

const findingSummaryReport = z
  .object({
    baseCurrency: z.string().describe('The base currency of the organization, of all amounts.'),
    total: z.object(figures).describe('All findings.'),
    withoutAmount: z
      .int()
      .min(0)
      .describe('Findings that add to no amount: none is known, or it is in an earlier base currency.'),
    byType: z
      .array(z.object({ type: z.string().describe('The finding type.'), ...figures }))
      .describe('Types that were raised, the largest amount at risk first.'),
    bySeverity: z
      .array(z.object({ severity, ...figures }))
      .describe('Every severity from `min_severity` on, most severe first.'),
    byDisposition: z.array(z.object({ disposition, ...figures })).describe('Every disposition.'),
    byMonth: z
      .array(z.object({ month: z.string().describe('The month of creation in UTC, `2026-03`.'), ...figures }))
      .describe('Months in which findings were raised, oldest first.'),
  })
  .meta({ id: 'FindingsSummary' })
  .register(examples, {
    example: {
      baseCurrency: 'EUR',
      total: exampleFigures,
      withoutAmount: 0,
      byType: [
        {
          type: 'DUPLICATE_INVOICE',
          count: 1,
          open: 1,
          amountAtRisk: '1190.00',
          amountConfirmed: '0.00',
          amountConfirmedInScans: '0.00',
        },
        {
          type: 'TAX_ARITHMETIC_MISMATCH',
          count: 1,
          open: 0,
          amountAtRisk: '0.00',
          amountConfirmed: '580.00',
          amountConfirmedInScans: '0.00',
        },
      ],
      bySeverity: [
        {
          severity: 'CRITICAL',
          count: 1,
          open: 1,
          amountAtRisk: '1190.00',
          amountConfirmed: '0.00',
          amountConfirmedInScans: '0.00',
        },
        {
          severity: 'HIGH',
          count: 1,
          open: 0,
          amountAtRisk: '0.00',
          amountConfirmed: '580.00',
          amountConfirmedInScans: '0.00',
        },
      ],
      byDisposition: [
        {
          disposition: 'OPEN',
          count: 1,
          open: 1,
          amountAtRisk: '1190.00',
          amountConfirmed: '0.00',
          amountConfirmedInScans: '0.00',
        },
        {
          disposition: 'CONFIRMED',
          count: 1,
          open: 0,
          amountAtRisk: '0.00',
          amountConfirmed: '580.00',
          amountConfirmedInScans: '0.00',
        },
      ],
      byMonth: [{ month: '2026-03', ...exampleFigures }],
    },
  });

export const summarizeFindings = route({
  operation: 'summarizeFindings',
  method: 'get',
  path: '/findings/summary',
  summary: 'Count findings and add up their amounts',
  description:
    'Of all findings, notices too, or of those of one company, time or severity. Refused where more than 50,000 findings match: ask for a shorter time then. Each row of figures stands for itself: an invoice with findings of two types counts in both rows, and once in the total.',
  rpc: 'invoicecontrol.analysis.v1.FindingService/SummarizeFindings',
  access: { scope: 'findings:read' },
  timeoutMs: 10_000,
  query: pageQuery.pick({ created_from: true, created_to: true }).extend({
    company_id: uuid().optional().describe('Only findings about bills to this company.'),
    min_severity: severity
      .optional()
      .describe('Only findings of this severity and above. MEDIUM leaves out what lets an invoice pass.'),
  }),
  responses: { 200: { description: 'The figures.', schema: findingSummaryReport } },
  async handle({ query }, { findings }): Promise<Reply> {
    const reply = await findings.summarizeFindings({
      companyId: query.company_id,
      createdFromTime: query.created_from === undefined ? undefined : toInstant(query.created_from),
      createdToTime: query.created_to === undefined ? undefined : toInstant(query.created_to),
      minSeverity: query.min_severity === undefined ? Severity.UNSPECIFIED : Severity[query.min_severity],
    });
    const body: z.infer<typeof findingSummaryReport> = {
      baseCurrency: reply.baseCurrency,
      total: presentFigures(stated(reply.total)),
      withoutAmount: reply.withoutAmount,
      byType: reply.byType.map((totals) => ({ type: totals.key, ...presentFigures(totals) })),
      bySeverity: reply.bySeverity.map((totals) => ({
        severity: severity.parse(totals.key),
        ...presentFigures(totals),
      })),
      byDisposition: reply.byDisposition.map((totals) => ({
        disposition: disposition.parse(totals.key),
        ...presentFigures(totals),
      })),
      byMonth: reply.byMonth.map((totals) => ({ month: totals.key, ...presentFigures(totals) })),
    };
    return { status: 200, body };
  },
});

export const getFinding = route({
  operation: 'getFinding',
  method: 'get',
  path: '/findings/:findingId',
  summary: 'Read a finding',
  rpc: 'invoicecontrol.analysis.v1.FindingService/GetFinding',
  resourceName: 'finding',
  access: { scope: 'findings:read' },
  params: findingParams,
  responses: { 200: { description: 'The finding.', schema: finding.schema } },
  async handle({ params }, { findings }): Promise<Reply> {
    const reply = await findings.getFinding({ findingId: params.findingId });
    return { status: 200, body: finding.present(stated(reply.finding)) };
  },
});

export const listFindingHistory = route({
  operation: 'listFindingHistory',
  method: 'get',
  path: '/findings/:findingId/history',
  summary: 'Read what happened to a finding, oldest first',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ListFindingHistory',
  resourceName: 'finding',
  access: { scope: 'findings:read' },
  params: findingParams,
  responses: {
    200: { description: 'Everything that happened to the finding.', schema: pageOf(change.schema) },
  },
  async handle({ params }, { findings }): Promise<Reply> {
    const { changes } = await findings.listFindingHistory({ findingId: params.findingId });
    return { status: 200, body: onlyPage(changes.map(change.present)) };
  },
});

export const reviewFinding = route({
  operation: 'reviewFinding',
  method: 'post',
  path: '/findings/:findingId/review',
  summary: 'Record a disposition on a finding',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ReviewFinding',
  resourceName: 'finding',
  access: { scope: 'findings:review' },
  timeoutMs: 10_000,
  params: findingParams,
  body: z
    .strictObject({
      // Only the system sets SUPERSEDED; the refusal lists what people may set.
      disposition: disposition.exclude(['SUPERSEDED']).describe('What you make of the finding.'),
      note: note()
        .optional()
        .describe(
          'Why. Required to accept the risk of a finding that blocks payment, or of an account that was confirmed as fraud (only ADMIN may).',
        ),
    })
    .meta({ id: 'Review' })
    .register(examples, {
      example: { disposition: 'CONFIRMED', note: 'The supplier sends a corrected invoice.' },
    }),
  responses: { 200: { description: 'The finding after the review.', schema: finding.schema } },
  refusals: [409],
  async handle({ params, body, principal }, { findings }): Promise<Reply> {
    const reply = await findings.reviewFinding({
      findingId: params.findingId,
      disposition: body.disposition,
      note: body.note?.trim(),
      isByAdmin: isRoleAtLeast(principal.role, 'ADMIN'),
    });
    return { status: 200, body: finding.present(stated(reply.finding)) };
  },
});

export const assignFinding = route({
  operation: 'assignFinding',
  method: 'patch',
  path: '/findings/:findingId/assignment',
  summary: 'Assign a finding to a member, or to nobody',
  rpc: 'invoicecontrol.analysis.v1.FindingService/AssignFinding',
  access: { minimumRole: 'ANALYST', scope: 'findings:assign' },
  timeoutMs: 10_000,
  params: findingParams,
  resourceName: 'finding or member',
  body: z
    .strictObject({ assignee_user_id: uuid().nullable().describe('The member who looks after it. Null: nobody.') })
    .meta({ id: 'Assignment' })
    .register(examples, { example: { assignee_user_id: EXAMPLE_IDS.assignee } }),
  responses: { 200: { description: 'The finding after the change.', schema: finding.schema } },
  refusals: [409],
  async handle({ params, body }, { findings }): Promise<Reply> {
    const reply = await findings.assignFinding({
      findingId: params.findingId,
      assigneeUserId: body.assignee_user_id ?? undefined,
    });
    return { status: 200, body: finding.present(stated(reply.finding)) };
  },
});

function presentFigures(totals: FindingTotals): typeof exampleFigures {
  const { count, open, amountAtRisk, amountConfirmed, amountConfirmedInScans } = totals;
  return { count, open, amountAtRisk, amountConfirmed, amountConfirmedInScans };
}
