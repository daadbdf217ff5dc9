import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { FindingChange } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_KEY_ID, examples } from '../../http/examples.js';
import { NOTE_LENGTH_MAX, pathId, shownInstant, showInstant, stated, text, uuid } from '../../http/fields.js';
import { listRequest, onlyPage, pageOf, pageQuery } from '../../http/pagination.js';
import { route } from '../../http/route.js';
import type { Reply } from '../../http/route.js';
import { disposition, findingRecord, knownFindingType, presentFinding, severity } from './finding-record.js';

const findingParams = z.object({ findingId: pathId('finding') });

const change = z
  .object({
    at: shownInstant().describe('When it happened.'),
    actor: z
      .object({
        type: z.enum(['USER', 'API_KEY', 'RULE', 'SYSTEM']).describe('What kind of actor it was.'),
        id: z.string().describe('The id of the person, key or routing rule; a word for the system.'),
      })
      .describe('Who did it.'),
    action: z
      .enum(['CREATED', 'REVIEWED', 'ASSIGNED', 'RECOMPUTED'])
      .describe('What was done. RECOMPUTED: an analysis changed the finding.'),
    from: z.string().optional().describe('The disposition or assignee before.'),
    to: z.string().optional().describe('The disposition or assignee after.'),
    note: z.string().optional().describe('What the person wrote.'),
  })
  .meta({ id: 'FindingChange' })
  .register(examples, {
    example: {
      at: EXAMPLE_INSTANT,
      actor: { type: 'API_KEY', id: EXAMPLE_KEY_ID },
      action: 'REVIEWED',
      from: 'OPEN',
      to: 'CONFIRMED',
      note: 'The supplier sends a corrected invoice.',
    },
  });

export const listFindings = route({
  operation: 'listFindings',
  method: 'get',
  path: '/findings',
  summary: 'List findings, newest first',
  rpc: 'invoicecontrol.analysis.v1.FindingService/ListFindings',
  access: { scope: 'findings:read' },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Only findings about bills to this company.'),
    invoice_id: uuid().optional().describe('Only findings about this invoice.'),
    scan_id: uuid().optional().describe('Only findings of this scan.'),
    supplier_id: uuid().optional().describe('Only findings about this supplier.'),
    type: knownFindingType.optional(),
    severity: severity.optional(),
    disposition: disposition.optional(),
    assignee_user_id: uuid().optional().describe('Only findings that are assigned to this member.'),
  }),
  responses: { 200: { description: 'A page of findings.', schema: pageOf(findingRecord) } },
  async handle({ query }, { findings }): Promise<Reply> {
    const list = listRequest('listFindings', query);
    const reply = await findings.listFindings({
      ...list.request,
      companyId: query.company_id?.toLowerCase(),
      invoiceId: query.invoice_id?.toLowerCase(),
      scanId: query.scan_id?.toLowerCase(),
      supplierId: query.supplier_id?.toLowerCase(),
      type: query.type,
      severity: query.severity === undefined ? Severity.UNSPECIFIED : Severity[query.severity],
      disposition: query.disposition,
      assigneeUserId: query.assignee_user_id?.toLowerCase(),
    });
    return { status: 200, body: list.page(reply.findings.map(presentFinding), reply.nextPageToken) };
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
  responses: { 200: { description: 'The finding.', schema: findingRecord } },
  async handle({ params }, { findings }): Promise<Reply> {
    const { finding } = await findings.getFinding({ findingId: params.findingId.toLowerCase() });
    return { status: 200, body: presentFinding(stated(finding)) };
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
    200: { description: 'Everything that happened to the finding.', schema: pageOf(change) },
  },
  async handle({ params }, { findings }): Promise<Reply> {
    const { changes } = await findings.listFindingHistory({ findingId: params.findingId.toLowerCase() });
    return { status: 200, body: onlyPage(changes.map(presentChange)) };
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
      note: text(NOTE_LENGTH_MAX)
        .optional()
        .describe(
          'Why. Required to accept the risk of a finding that blocks payment, or of an account that was confirmed as fraud (only ADMIN may).',
        ),
    })
    .meta({ id: 'Review' })
    .register(examples, {
      example: { disposition: 'CONFIRMED', note: 'The supplier sends a corrected invoice.' },
    }),
  responses: { 200: { description: 'The finding after the review.', schema: findingRecord } },
  refusals: [409],
  async handle({ params, body, principal }, { findings }): Promise<Reply> {
    const { finding } = await findings.reviewFinding({
      findingId: params.findingId.toLowerCase(),
      disposition: body.disposition,
      note: body.note?.trim(),
      isByAdmin: isRoleAtLeast(principal.role, 'ADMIN'),
    });
    return { status: 200, body: presentFinding(stated(finding)) };
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
  responses: { 200: { description: 'The finding after the change.', schema: findingRecord } },
  refusals: [409],
  async handle({ params, body }, { findings }): Promise<Reply> {
    const { finding } = await findings.assignFinding({
      findingId: params.findingId.toLowerCase(),
      assigneeUserId: body.assignee_user_id?.toLowerCase(),
    });
    return { status: 200, body: presentFinding(stated(finding)) };
  },
});

function presentChange(message: FindingChange): z.infer<typeof change> {
  return {
    at: showInstant(message.changeTime),
    actor: { type: change.shape.actor.shape.type.parse(message.actorType), id: message.actorId },
    action: change.shape.action.parse(message.action),
    ...(message.from === undefined ? {} : { from: message.from }),
    ...(message.to === undefined ? {} : { to: message.to }),
    ...(message.note === undefined ? {} : { note: message.note }),
  };
}
