import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { RoutingMatch, RoutingRule } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { z } from 'zod';
import { amount, CURRENCY_CODE, LABEL_LENGTH_MAX, showInstant, stated, text, uuid } from '../../http/fields.js';
import { page, pageOf, pageQuery, pageRequest } from '../../http/pagination.js';
import { route } from '../../http/route.js';
import type { Reply } from '../../http/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/validate.js';
import { severity } from './finding-record.js';

const LIST_ITEMS_MAX = 100;
const POSITION_MAX = 1_000_000;

const names = (): z.ZodArray<z.ZodString> =>
  z.array(z.string().regex(/^[A-Z][A-Z_]{1,63}$/, 'Must be upper case.')).max(LIST_ITEMS_MAX);
const ids = () => z.array(uuid()).max(LIST_ITEMS_MAX);

const match = z
  .strictObject({
    types: names().optional(),
    families: names().optional(),
    severities: z.array(severity).max(LIST_ITEMS_MAX).optional(),
    company_ids: ids().optional(),
    supplier_ids: ids().optional(),
    min_amount: amount().optional(),
    currency: z.string().regex(CURRENCY_CODE, 'Must be a three-letter ISO 4217 code such as EUR.').optional(),
  })
  .refine((value) => value.min_amount === undefined || value.currency !== undefined, {
    path: ['currency'],
    message: 'Is required with min_amount.',
  })
  .meta({ id: 'RoutingMatch', description: 'All stated conditions must hold; an absent one is no condition.' });

const rule = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    position: z.number().int(),
    enabled: z.boolean(),
    match: z.object({
      types: z.array(z.string()),
      families: z.array(z.string()),
      severities: z.array(severity),
      companyIds: z.array(z.string()),
      supplierIds: z.array(z.string()),
      minAmount: z.string().nullable(),
      currency: z.string().nullable(),
    }),
    assignTo: z.string().meta({ format: 'uuid' }),
    createdAt: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'RoutingRule' });

const fields = {
  name: text(LABEL_LENGTH_MAX),
  position: z.number().int().min(0).max(POSITION_MAX),
  enabled: z.boolean(),
  match,
  assign_to: uuid(),
};

const ruleParams = z.object({ ruleId: uuid() });
const rulesQuery = pageQuery.omit({ created_from: true, created_to: true });

export const listRoutingRules = route({
  operation: 'listRoutingRules',
  method: 'get',
  path: '/finding-routing-rules',
  summary: 'List routing rules in order of position',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/ListRoutingRules',
  access: { minimumRole: 'ANALYST', scope: 'findings:read' },
  query: rulesQuery,
  responses: { 200: { description: 'A page of routing rules.', schema: pageOf(rule) } },
  async handle({ query }, { routingRules }): Promise<Reply> {
    const reply = await routingRules.listRoutingRules({
      ...pageRequest(query),
    });
    return { status: 200, body: page(reply.rules.map(presentRule), reply.nextPageToken) };
  },
});

export const createRoutingRule = route({
  operation: 'createRoutingRule',
  method: 'post',
  path: '/finding-routing-rules',
  summary: 'Create a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/CreateRoutingRule',
  access: { minimumRole: 'ADMIN', scope: 'routing:write' },
  body: z.strictObject({ ...fields, enabled: fields.enabled.optional() }).meta({ id: 'NewRoutingRule' }),
  responses: { 201: { description: 'The new rule.', schema: rule, headers: { Location: 'Where to read it.' } } },
  refusals: [409],
  async handle({ body }, { routingRules }): Promise<Reply> {
    const reply = await routingRules.createRoutingRule({
      name: body.name.trim(),
      position: body.position,
      enabled: body.enabled ?? true,
      match: toMatch(body.match),
      assignTo: body.assign_to.toLowerCase(),
    });
    const created = presentRule(stated(reply.rule));
    return { status: 201, body: created, headers: { Location: `/v1/finding-routing-rules/${created.id}` } };
  },
});

export const getRoutingRule = route({
  operation: 'getRoutingRule',
  method: 'get',
  path: '/finding-routing-rules/:ruleId',
  summary: 'Read a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/GetRoutingRule',
  thing: 'routing rule',
  access: { minimumRole: 'ANALYST', scope: 'findings:read' },
  params: ruleParams,
  responses: { 200: { description: 'The rule.', schema: rule } },
  async handle({ params }, { routingRules }): Promise<Reply> {
    const reply = await routingRules.getRoutingRule({ ruleId: params.ruleId.toLowerCase() });
    return { status: 200, body: presentRule(stated(reply.rule)) };
  },
});

export const updateRoutingRule = route({
  operation: 'updateRoutingRule',
  method: 'patch',
  path: '/finding-routing-rules/:ruleId',
  summary: 'Change a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/UpdateRoutingRule',
  thing: 'routing rule',
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
    .meta({ id: 'RoutingRuleChange', minProperties: 1 }),
  responses: { 200: { description: 'The rule after the change.', schema: rule } },
  refusals: [409],
  async handle({ params, body }, { routingRules }): Promise<Reply> {
    const reply = await routingRules.updateRoutingRule({
      ruleId: params.ruleId.toLowerCase(),
      name: body.name?.trim(),
      position: body.position,
      enabled: body.enabled,
      match: body.match === undefined ? undefined : toMatch(body.match),
      assignTo: body.assign_to?.toLowerCase(),
    });
    return { status: 200, body: presentRule(stated(reply.rule)) };
  },
});

export const deleteRoutingRule = route({
  operation: 'deleteRoutingRule',
  method: 'delete',
  path: '/finding-routing-rules/:ruleId',
  summary: 'Remove a routing rule',
  rpc: 'invoicecontrol.analysis.v1.RoutingRuleService/DeleteRoutingRule',
  thing: 'routing rule',
  access: { minimumRole: 'ADMIN', scope: 'routing:write' },
  params: ruleParams,
  responses: { 204: { description: 'Removed; what it assigned stays assigned.' } },
  async handle({ params }, { routingRules }): Promise<Reply> {
    await routingRules.deleteRoutingRule({ ruleId: params.ruleId.toLowerCase() });
    return { status: 204 };
  },
});

function toMatch(body: z.infer<typeof match>): RoutingMatch {
  return {
    types: body.types ?? [],
    families: body.families ?? [],
    severities: (body.severities ?? []).map((name) => Severity[name]),
    companyIds: (body.company_ids ?? []).map((id) => id.toLowerCase()),
    supplierIds: (body.supplier_ids ?? []).map((id) => id.toLowerCase()),
    minAmount: body.min_amount,
    currency: body.currency?.toUpperCase(),
  };
}

function presentRule(message: RoutingRule): z.infer<typeof rule> {
  const conditions = stated(message.match);
  return {
    id: message.ruleId,
    name: message.name,
    position: message.position,
    enabled: message.enabled,
    match: {
      types: conditions.types,
      families: conditions.families,
      severities: conditions.severities.map((value) => enumName(Severity, value)),
      companyIds: conditions.companyIds,
      supplierIds: conditions.supplierIds,
      minAmount: conditions.minAmount ?? null,
      currency: conditions.currency ?? null,
    },
    assignTo: message.assignTo,
    createdAt: showInstant(message.createdTime),
  };
}
