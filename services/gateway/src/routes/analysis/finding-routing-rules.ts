import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { RoutingMatch, RoutingRule } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import {
  currencyCode,
  LABEL_LENGTH_MAX,
  nonNegativeAmount,
  pathId,
  shownId,
  stated,
  text,
  uuid,
} from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';
import { knownFamily, knownFindingType, severity } from './finding-record.js';

const LIST_ITEMS_MAX = 100;
const POSITION_MAX = 1_000_000;

const listOf = <S extends z.ZodType>(entry: S) => z.array(entry).max(LIST_ITEMS_MAX).optional();

const match = z
  .strictObject({
    types: listOf(knownFindingType).describe(
      'The finding types that the routing rule matches. If absent, the routing rule matches every finding type.',
    ),
    families: listOf(knownFamily).describe(
      'The families of finding types that the routing rule matches. If absent, the routing rule matches every family.',
    ),
    severities: listOf(severity).describe(
      'The severities that the routing rule matches. If absent, the routing rule matches every severity.',
    ),
    company_ids: listOf(uuid()).describe(
      'The ids of the companies whose invoices the routing rule matches. If absent, the routing rule matches every company.',
    ),
    supplier_ids: listOf(uuid()).describe(
      'The ids of the suppliers whose invoices the routing rule matches. If absent, the routing rule matches every supplier.',
    ),
    min_amount: nonNegativeAmount()
      .optional()
      .describe(
        'The minimum amount of an invoice that the routing rule matches, in `currency`. If absent, the routing rule matches every amount.',
      ),
    currency: currencyCode().optional(),
  })
  .refine((value) => value.min_amount === undefined || value.currency !== undefined, {
    path: ['currency'],
    message: 'Must be sent together with min_amount.',
  })
  .meta({
    id: 'RoutingMatch',
    description:
      'The conditions under which a routing rule matches a finding. A finding must meet all stated conditions.',
    dependentRequired: { min_amount: ['currency'] },
  });

const conditions = shown.record<RoutingMatch>()({
  types: shown.field(
    z
      .array(z.string())
      .describe(
        'The finding types that the routing rule matches. Empty if the routing rule matches every finding type.',
      ),
    ['BANK_ACCOUNT_CHANGED'],
  ),
  families: shown.field(
    z
      .array(z.string())
      .describe(
        'The families of finding types that the routing rule matches. Empty if the routing rule matches every family.',
      ),
    [],
  ),
  severities: shown.made(
    z
      .array(severity)
      .describe('The severities that the routing rule matches. Empty if the routing rule matches every severity.'),
    ({ severities }: RoutingMatch) => severities.map((value) => enumName(Severity, value)),
    ['HIGH', 'CRITICAL'],
  ),
  companyIds: shown.field(
    z
      .array(shownId())
      .describe(
        'The ids of the companies whose invoices the routing rule matches. Empty if the routing rule matches every company.',
      ),
    [],
  ),
  supplierIds: shown.field(
    z
      .array(shownId())
      .describe(
        'The ids of the suppliers whose invoices the routing rule matches. Empty if the routing rule matches every supplier.',
      ),
    [],
  ),
  minAmount: shown.textOrNull(
    '1000.00',
    'The minimum amount of an invoice that the routing rule matches, or null if there is no minimum.',
  ),
  currency: shown.textOrNull(
    'EUR',
    'The currency of the invoices that the routing rule matches, or null if the routing rule matches every currency.',
  ),
});

export const rule = shown.record<RoutingRule>('RoutingRule')({
  id: shown.id(EXAMPLE_IDS.rule, 'The id of the routing rule.', 'ruleId'),
  name: shown.text('Bank account changes', 'The name of the routing rule.'),
  position: shown.field(
    z.int().describe('The position of the routing rule. The matching rule with the lowest position is applied.'),
    10,
  ),
  enabled: shown.flag(true, 'Whether the routing rule is applied to new findings.'),
  match: shown.part(
    conditions,
    'The conditions under which the routing rule matches a finding. A finding must meet all conditions.',
  ),
  assignTo: shown.id(
    EXAMPLE_IDS.assignee,
    'The id of the member to whom the routing rule assigns the findings that match it.',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the routing rule was created.', 'createdTime'),
});

const fields = {
  name: text(LABEL_LENGTH_MAX).describe('The name of the routing rule.'),
  position: z
    .int()
    .min(0)
    .max(POSITION_MAX)
    .describe('The position of the routing rule. The matching rule with the lowest position is applied.'),
  enabled: z.boolean().describe('Whether the routing rule is applied to new findings.'),
  match,
  assign_to: uuid().describe(
    'The id of the active member to whom matching findings are assigned. GET /v1/members lists the members.',
  ),
};

const ruleParams = z.object({ ruleId: pathId('rule', 'routing rule') });
const rulesQuery = pageQuery.omit({ created_from: true, created_to: true });

export const listRoutingRules = route({
  operation: 'listRoutingRules',
  method: 'get',
  path: '/finding-routing-rules',
  summary: 'List routing rules in order of position',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/ListRoutingRules',
  access: { minimumRole: 'ANALYST', scope: 'findings:read' },
  query: rulesQuery,
  responses: { 200: { description: 'A page of routing rules.', schema: pageOf('routing rules', rule.schema) } },
  async handle({ query }, { routingRules }) {
    const list = listRequest('listRoutingRules', query);
    const reply = await routingRules.listRoutingRules(list.request);
    return { status: 200, body: list.page(reply.rules.map(rule.present), reply.nextPageToken) };
  },
});

export const createRoutingRule = route({
  operation: 'createRoutingRule',
  method: 'post',
  path: '/finding-routing-rules',
  summary: 'Create a routing rule',
  description:
    'Stores a routing rule, which applies to findings that are raised after this request. A repeated request creates a second routing rule.',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/CreateRoutingRule',
  access: { minimumRole: 'ADMIN', scope: 'routing:write' },
  body: z
    .strictObject({ ...fields, enabled: fields.enabled.optional() })
    .meta({ id: 'RoutingRuleCreation' })
    .register(examples, {
      example: {
        name: 'Bank account changes',
        position: 10,
        match: {
          types: ['BANK_ACCOUNT_CHANGED'],
          severities: ['HIGH', 'CRITICAL'],
          min_amount: '1000.00',
          currency: 'EUR',
        },
        assign_to: EXAMPLE_IDS.assignee,
      },
    }),
  responses: { 201: { description: 'The new routing rule.', schema: rule.schema, headers: ['Location'] } },
  refusals: [409],
  async handle({ body }, { routingRules }) {
    const reply = await routingRules.createRoutingRule({
      name: body.name.trim(),
      position: body.position,
      enabled: body.enabled ?? true,
      match: toMatch(body.match),
      assignTo: body.assign_to,
    });
    const created = rule.present(stated(reply.rule));
    return { status: 201, body: created, headers: { Location: `/v1/finding-routing-rules/${created.id}` } };
  },
});

export const getRoutingRule = route({
  operation: 'getRoutingRule',
  method: 'get',
  path: '/finding-routing-rules/:ruleId',
  summary: 'Read a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/GetRoutingRule',
  access: { minimumRole: 'ANALYST', scope: 'findings:read' },
  params: ruleParams,
  responses: { 200: { description: 'The routing rule that was requested.', schema: rule.schema } },
  async handle({ params }, { routingRules }) {
    const reply = await routingRules.getRoutingRule({ ruleId: params.ruleId });
    return { status: 200, body: rule.present(stated(reply.rule)) };
  },
});

export const updateRoutingRule = route({
  operation: 'updateRoutingRule',
  method: 'patch',
  path: '/finding-routing-rules/:ruleId',
  summary: 'Update a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/UpdateRoutingRule',
  access: { minimumRole: 'ADMIN', scope: 'routing:write' },
  params: ruleParams,
  body: z
    .strictObject({
      name: fields.name.optional(),
      position: fields.position.optional(),
      enabled: fields.enabled.optional(),
      match: fields.match.optional(),
      assign_to: fields.assign_to.optional(),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'RoutingRuleChange', minProperties: 1 })
    .register(examples, { example: { enabled: false } }),
  responses: { 200: { description: 'The updated routing rule.', schema: rule.schema } },
  refusals: [409],
  async handle({ params, body }, { routingRules }) {
    const reply = await routingRules.updateRoutingRule({
      ruleId: params.ruleId,
      name: body.name?.trim(),
      position: body.position,
      enabled: body.enabled,
      match: body.match === undefined ? undefined : toMatch(body.match),
      assignTo: body.assign_to,
    });
    return { status: 200, body: rule.present(stated(reply.rule)) };
  },
});

export const deleteRoutingRule = route({
  operation: 'deleteRoutingRule',
  method: 'delete',
  path: '/finding-routing-rules/:ruleId',
  summary: 'Delete a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/DeleteRoutingRule',
  access: { minimumRole: 'ADMIN', scope: 'routing:write' },
  params: ruleParams,
  responses: { 204: { description: 'The routing rule has been deleted. Existing assignments are kept.' } },
  async handle({ params }, { routingRules }) {
    await routingRules.deleteRoutingRule({ ruleId: params.ruleId });
    return { status: 204 };
  },
});

function toMatch(body: z.infer<typeof match>): RoutingMatch {
  return {
    types: body.types ?? [],
    families: body.families ?? [],
    severities: (body.severities ?? []).map((name) => Severity[name]),
    companyIds: body.company_ids ?? [],
    supplierIds: body.supplier_ids ?? [],
    minAmount: body.min_amount,
    currency: body.currency?.toUpperCase(),
  };
}
