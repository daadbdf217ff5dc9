import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FindingSort } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import type { FindingChange, FindingTotals } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { catalogue, families } from '@invoicecontrol/engine/explanation/catalogue';
import { invalidField } from '@invoicecontrol/errors';
import { z } from 'zod';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID, exampleOf, examples } from '../../http/description/examples.js';
import {
  dateOrDateTime,
  nonNegativeAmount,
  note,
  pathId,
  searchedText,
  severalOf,
  stated,
  toInstant,
  uuid,
  valuesOf,
} from '../../http/description/fields.js';
import { listRequest, onlyPage, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { CACHE_CONTROL, conditional, knownEtag, knownStates } from '../../http/response/etag.js';
import { CSV_PAGE, csvResponse, listReply } from '../../http/response/list-reply.js';
import type { Columns } from '../../http/response/list-reply.js';
import { actorName, nameActorsOf } from '../organization/actor.js';
import type { Named } from '../organization/actor.js';
import { disposition, finding, listedFinding, severity } from './finding-record.js';

const findingParams = z.object({ findingId: pathId('finding') });

/** A change to a finding with the name of its actor. */
type NamedChange = Named<FindingChange>;

const actor = shown.record<NamedChange>()({
  type: shown.word(
    z
      .enum(['USER', 'API_KEY', 'RULE', 'SYSTEM'])
      .describe('The kind of actor that made the change: USER, API_KEY, RULE (a routing rule) or SYSTEM.'),
    'API_KEY',
    'actorType',
  ),
  id: shown.text(
    EXAMPLE_KEY_ID,
    'The id of the user, API key or routing rule that made the change, or a fixed identifier for the system.',
    'actorId',
  ),
  name: actorName,
});

const change = shown.record<NamedChange>('FindingChange')({
  at: shown.instant(EXAMPLE_INSTANT, 'The time when the finding was changed.', 'changeTime'),
  actor: shown.made(
    actor.schema.describe('The actor that made the change to the finding.'),
    actor.present,
    exampleOf(actor.schema),
  ),
  action: shown.word(
    z
      .enum(['CREATED', 'REVIEWED', 'ASSIGNED', 'RECOMPUTED'])
      .describe(
        'The action that changed the finding: CREATED, REVIEWED, ASSIGNED or RECOMPUTED (an analysis changed the finding).',
      ),
    'REVIEWED',
  ),
  from: shown.optional(z.string(), 'OPEN', 'The disposition or assignee of the finding before the change.'),
  to: shown.optional(z.string(), 'CONFIRMED', 'The disposition or assignee of the finding after the change.'),
  note: shown.optional(
    z.string(),
    'The supplier sends a corrected invoice.',
    'The note that the reviewer wrote about the finding.',
  ),
});

const ASSIGNEE = /^(?:me|none|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;

const assignee = z
  .string()
  .refine((value) => ASSIGNEE.test(value), 'Must be the id of a member, or `me`, or `none`.')
  .meta({
    pattern: ASSIGNEE.source,
    description:
      'Return only findings that are assigned to the member with this id, to the member that sends the request (`me`), or to nobody (`none`).',
  });

/** Prefix of the person behind an API key if the key belongs to a member. The id of the member follows. */
const MEMBER = 'USER:';

/**
 * Returns the id of the member to whom the listed findings must be assigned. The filter `me` stands for the member
 * behind the API key.
 */
function assigneeOf(filter: string | undefined, { person }: Principal): string | undefined {
  if (filter === undefined || filter === 'none') return undefined;
  if (filter !== 'me') return filter.toLowerCase();
  if (person.startsWith(MEMBER)) return person.slice(MEMBER.length);
  throw invalidField('assignee_user_id', 'must be the id of a member, because the API key belongs to no member.');
}

export const listFindings = route({
  operation: 'listFindings',
  method: 'get',
  path: '/findings',
  summary: 'List findings',
  description:
    'Returns findings newest first unless `sort` states another order. A finding must match all filters, and one of the values of each filter: `severity` together with `min_severity` returns the findings of that severity if it is at least the minimum, and nothing otherwise.' +
    `\n\n${CSV_PAGE}`,
  rpc: 'invoicecontrol.analysis.v1.FindingService/ListFindings',
  access: { scope: 'findings:read' },
  query: pageQuery.extend({
    company_id: uuid()
      .optional()
      .describe('Return only findings about invoices that were billed to the company with this id.'),
    invoice_id: uuid().optional().describe('Return only findings about the invoice with this id.'),
    scan_id: uuid().optional().describe('Return only findings that were raised by the history scan with this id.'),
    supplier_id: uuid().optional().describe('Return only findings about the supplier with this id.'),
    type: severalOf(Object.keys(catalogue), 'GET /v1/finding-types lists all finding types.')
      .optional()
      .describe('Return only findings of one of these types, separated by commas.'),
    family: severalOf(Object.keys(families), `Each must be one of ${Object.keys(families).join(', ')}.`)
      .optional()
      .describe('Return only findings of one of these families, separated by commas.'),
    severity: severalOf(severity.options, `Each must be one of ${severity.options.join(', ')}.`)
      .optional()
      .describe('Return only findings of one of these severities, separated by commas.'),
    min_severity: severity
      .optional()
      .describe('Return only findings of this severity or higher. INFO is the lowest severity.'),
    disposition: severalOf(disposition.options, `Each must be one of ${disposition.options.join(', ')}.`)
      .optional()
      .describe('Return only findings with one of these dispositions, separated by commas.'),
    assignee_user_id: assignee.optional(),
    min_amount_at_risk: nonNegativeAmount()
      .optional()
      .describe(
        'Return only findings whose amount at risk is known and at least this amount, in the currency of each finding. Amounts are compared in hundredths.',
      ),
    updated_from: dateOrDateTime()
      .optional()
      .describe(
        'Return only findings that were raised or changed at or after this time. A date means the beginning of that day in UTC. To get every change, send a time one minute before the latest `updatedAt` that you have seen.',
      ),
    q: searchedText()
      .optional()
      .describe(
        'Return only findings about invoices whose number begins with this string, or about suppliers that have this tax id or a name that begins with this string. Punctuation, spaces, case and accents are ignored. At most 100 suppliers may match.',
      ),
    view: z
      .enum(['full', 'summary'])
      .optional()
      .describe('The fields of the findings: `full` (all fields, the default) or `summary` (without the evidence).'),
    sort: z
      .enum(['newest', 'severity', 'amount_at_risk'])
      .optional()
      .describe(
        'The order of the findings: `newest` (newest first, the default), `severity` (most severe first, then newest) or `amount_at_risk` (largest amount first, findings without an amount last).',
      ),
  }),
  responses: {
    200: {
      description: 'A page of findings.',
      schema: pageOf('findings', listedFinding.schema),
      ...csvResponse,
    },
  },
  async handle({ query, headers, rawQuery, isHead, principal }, { findings }) {
    const list = listRequest('listFindings', query);
    const reply = await findings.listFindings({
      ...list.request,
      companyId: query.company_id,
      invoiceId: query.invoice_id,
      scanId: query.scan_id,
      supplierId: query.supplier_id,
      severity: Severity.UNSPECIFIED,
      types: valuesOf(query.type),
      families: valuesOf(query.family),
      severities: valuesOf<keyof typeof Severity>(query.severity).map((name) => Severity[name]),
      minSeverity: query.min_severity === undefined ? Severity.UNSPECIFIED : Severity[query.min_severity],
      sort: sorts[query.sort ?? 'newest'],
      dispositions: valuesOf(query.disposition),
      assigneeUserId: assigneeOf(query.assignee_user_id, principal),
      isUnassigned: query.assignee_user_id === 'none',
      minAmountAtRisk: query.min_amount_at_risk,
      updatedFromTime: query.updated_from === undefined ? undefined : toInstant(query.updated_from),
      isWithoutEvidence: query.view === 'summary',
      query: query.q?.trim(),
    });
    const page = list.page(reply.findings.map(listedFinding.present), reply.nextPageToken);
    return listReply('/findings', page, findingColumns, { headers, rawQuery, isHead });
  },
});

const findingColumns: Columns<ReturnType<typeof listedFinding.present>> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  severity: (item) => item.severity,
  disposition: (item) => item.disposition,
  confidence: ({ confidence }) => confidence,
  amount_at_risk: ({ amountAtRisk }) => amountAtRisk,
  amount_at_risk_currency: ({ amountAtRiskCurrency }) => amountAtRiskCurrency,
  supplier_name: ({ supplierName }) => supplierName,
  invoice_number: ({ invoiceNumber }) => invoiceNumber,
  summary: ({ summary }) => summary,
  recommended_action: ({ recommendedAction }) => recommendedAction,
  invoice_id: ({ invoiceId }) => invoiceId,
  supplier_id: ({ supplierId }) => supplierId,
  company_id: ({ companyId }) => companyId,
  scan_id: ({ scanId }) => scanId,
  assignee_user_id: ({ assigneeUserId }) => assigneeUserId,
  created_at: ({ createdAt }) => createdAt,
};

const sorts = {
  newest: FindingSort.NEWEST,
  severity: FindingSort.SEVERITY,
  amount_at_risk: FindingSort.AMOUNT_AT_RISK,
} as const;

const figures = {
  count: z.int().min(0).describe('The number of findings, regardless of their disposition.'),
  open: z
    .int()
    .min(0)
    .describe('The number of findings that are waiting for a review, with the disposition OPEN or UNDER_REVIEW.'),
  amountAtRisk: z
    .string()
    .describe(
      'The amount at risk from open findings of severity MEDIUM or higher; findings of lower severity do not stop a payment. Each invoice counts once, with the part that exceeds its confirmed amount.',
    ),
  amountConfirmed: z
    .string()
    .describe(
      'The amount that, according to CONFIRMED and RESOLVED findings, must not be paid. Each invoice counts once.',
    ),
  amountConfirmedInScans: z
    .string()
    .describe(
      'The part of the confirmed amount that was found by scans of historical invoices. Amounts that were already paid can be reclaimed.',
    ),
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
    baseCurrency: z.string().describe('The base currency of the organization, in which all amounts are stated.'),
    total: z.object(figures).describe('The counts and amounts for all findings together.'),
    withoutAmount: z
      .int()
      .min(0)
      .describe(
        'The number of findings that are not included in any amount of the summary, because their amount is unknown or in an earlier base currency.',
      ),
    byType: z
      .array(
        z.object({ type: z.string().describe('The finding type to which the counts and amounts apply.'), ...figures }),
      )
      .describe('The counts and amounts for each finding type that was raised, largest amount at risk first.'),
    bySeverity: z
      .array(z.object({ severity, ...figures }))
      .describe('The counts and amounts for each severity, from the most severe down to `min_severity`.'),
    byDisposition: z
      .array(z.object({ disposition, ...figures }))
      .describe('The counts and amounts for each disposition.'),
    byMonth: z
      .array(
        z.object({
          month: z.string().describe('The month in which the findings were raised (UTC), such as `2026-03`.'),
          ...figures,
        }),
      )
      .describe('The counts and amounts for each month in which findings were raised, oldest first.'),
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

/** Maximum number of ETags in a request that are compared with the state of the findings. */
const KNOWN_STATES_MAX = 8;

export const summarizeFindings = route({
  operation: 'summarizeFindings',
  method: 'get',
  path: '/findings/summary',
  summary: 'Count findings and add up their amounts',
  description:
    'Counts all findings, including findings of severity INFO, or only the findings of one company, period or severity. A request with filters is refused if more than 50,000 findings match; request a shorter period in that case. A request without filters has no limit, but is refused with 503 while many new or changed findings are being counted; repeat the request after a few seconds in that case. Each row is computed separately: an invoice with findings of two types counts in the rows of both types, but only once in the total. A request with the ETag of an earlier response as If-None-Match costs little while no finding has changed, so that an application can poll.',
  rpc: 'invoicecontrol.analysis.v1.FindingService/SummarizeFindings',
  access: { scope: 'findings:read' },
  timeoutMs: 10_000,
  query: pageQuery.pick({ created_from: true, created_to: true }).extend({
    company_id: uuid()
      .optional()
      .describe('Count only findings about invoices that were billed to the company with this id.'),
    min_severity: severity
      .optional()
      .describe(
        'Count only findings of this severity or higher. MEDIUM excludes the findings that do not stop a payment.',
      ),
  }),
  isConditional: true,
  responses: {
    200: {
      description: 'The counts and amounts of the findings that match the filters.',
      schema: findingSummaryReport,
    },
    304: {
      description: 'The findings have not changed since the response whose ETag is sent as If-None-Match.',
    },
  },
  async handle({ query, ifNoneMatch }, { findings }) {
    const reply = await findings.summarizeFindings({
      companyId: query.company_id,
      createdFromTime: query.created_from === undefined ? undefined : toInstant(query.created_from),
      createdToTime: query.created_to === undefined ? undefined : toInstant(query.created_to),
      minSeverity: query.min_severity === undefined ? Severity.UNSPECIFIED : Severity[query.min_severity],
      knownStates: knownStates(ifNoneMatch).slice(0, KNOWN_STATES_MAX),
    });
    const etag = `"${reply.state}"`;
    const headers = { ETag: knownEtag(etag, ifNoneMatch) ?? etag, 'Cache-Control': CACHE_CONTROL };
    if (reply.isKnown) return { status: 304, headers };
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
    // If the service returned no state of the findings, the ETag is a digest of the summary itself.
    return reply.state === '' ? conditional('summary', body, ifNoneMatch) : { status: 200, body, headers };
  },
});

export const getFinding = route({
  operation: 'getFinding',
  method: 'get',
  path: '/findings/:findingId',
  summary: 'Read a finding',
  rpc: 'invoicecontrol.analysis.v1.FindingService/GetFinding',
  access: { scope: 'findings:read' },
  params: findingParams,
  responses: { 200: { description: 'The finding that was requested.', schema: finding.schema } },
  async handle({ params }, { findings }) {
    const reply = await findings.getFinding({ findingId: params.findingId });
    return { status: 200, body: finding.present(stated(reply.finding)) };
  },
});

export const listFindingHistory = route({
  operation: 'listFindingHistory',
  method: 'get',
  path: '/findings/:findingId/history',
  summary: 'List the changes to a finding, oldest first',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ListFindingHistory',
  alsoAsks: ['invoicecontrol.organization.v1.MemberService/NameActors'],
  access: { scope: 'findings:read' },
  params: findingParams,
  responses: {
    200: {
      description: 'All changes to the finding, oldest first.',
      schema: pageOf('changes to the finding', change.schema),
    },
  },
  async handle({ params }, { findings, members }) {
    const { changes } = await findings.listFindingHistory({ findingId: params.findingId });
    const named = await nameActorsOf(changes, members);
    return { status: 200, body: onlyPage(named.map(change.present)) };
  },
});

/** Fields of a request that reviews one finding or several findings. */
export const reviewFields = {
  // A review cannot set the disposition SUPERSEDED, because only the system sets it. A refusal lists only the
  // dispositions that people may set.
  disposition: disposition.exclude(['SUPERSEDED']).describe('The new disposition of the finding.'),
  note: note()
    .optional()
    .describe(
      'The reason for the review. Required to accept the risk of a finding that blocks payment. Accepting the risk of an account that was confirmed as fraudulent requires the role ADMIN or higher.',
    ),
  expected_disposition: disposition
    .optional()
    .describe(
      'The disposition that the reviewer saw. If another reviewer has changed the disposition since, the review is refused with 409. A finding that already has the requested disposition is accepted.',
    ),
};

/** Field of a request that assigns one finding or several findings to a member. */
export const assignmentFields = {
  assignee_user_id: uuid()
    .nullable()
    .describe('The id of the member to assign the finding to, or null to remove the assignment.'),
};

export const reviewFinding = route({
  operation: 'reviewFinding',
  method: 'post',
  path: '/findings/:findingId/review',
  summary: 'Record a disposition on a finding',
  description:
    'Records the disposition and the note in the history of the finding, and decides the invoice again. The same disposition without a new note changes nothing, so the request can be retried. The request is refused with 409 if the finding was superseded.',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ReviewFinding',
  access: { scope: 'findings:review' },
  timeoutMs: 10_000,
  params: findingParams,
  body: z
    .strictObject(reviewFields)
    .meta({ id: 'Review' })
    .register(examples, {
      example: { disposition: 'CONFIRMED', note: 'The supplier sends a corrected invoice.' },
    }),
  responses: { 200: { description: 'The reviewed finding.', schema: finding.schema } },
  refusals: [409],
  async handle({ params, body }, { findings }) {
    const reply = await findings.reviewFinding({
      findingId: params.findingId,
      disposition: body.disposition,
      note: body.note?.trim(),
      expectedDisposition: body.expected_disposition,
    });
    return { status: 200, body: finding.present(stated(reply.finding)) };
  },
});

export const assignFinding = route({
  operation: 'assignFinding',
  method: 'patch',
  path: '/findings/:findingId/assignment',
  summary: 'Assign a finding to a member, or remove its assignment',
  rpc: 'invoicecontrol.analysis.v1.FindingService/AssignFinding',
  access: { minimumRole: 'ANALYST', scope: 'findings:assign' },
  timeoutMs: 10_000,
  params: findingParams,
  resourceName: 'finding or member',
  body: z
    .strictObject(assignmentFields)
    .meta({ id: 'Assignment' })
    .register(examples, { example: { assignee_user_id: EXAMPLE_IDS.assignee } }),
  responses: { 200: { description: 'The finding with its new assignment.', schema: finding.schema } },
  refusals: [409],
  async handle({ params, body }, { findings }) {
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
