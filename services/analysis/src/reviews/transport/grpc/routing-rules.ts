import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { RoutingRuleServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import type {
  RoutingMatch as WireMatch,
  RoutingRule as WireRule,
} from '@invoicecontrol/contracts/analysis/v1/routing_rule_service';
import { ascendingPageOf, readPageRequest } from '@invoicecontrol/runtime/page';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { RoutingRules } from '../../application/routing-rules.js';
import type { RoutingMatchInput, RoutingRule } from '../../domain/routing.js';

/** Implements the gRPC service invoicecontrol.analysis.v1.RoutingRuleService. */
export function routingRuleService(rules: RoutingRules): Binding {
  return bind(RoutingRuleServiceDefinition, {
    async listRoutingRules({ organizationId, ...page }) {
      const request = readPageRequest(page);
      const all = await rules.list(organizationId);
      const { items, nextPageToken } = ascendingPageOf(all, request, ({ position, ruleId }) => {
        return { order: position, id: ruleId };
      });
      return { rules: items.map(encodeRule), nextPageToken };
    },
    async getRoutingRule({ organizationId, ruleId }) {
      return { rule: encodeRule(await rules.get(organizationId, ruleId)) };
    },
    async createRoutingRule({ organizationId, match, ...fields }, context) {
      const input = { ...fields, match: decodeMatch(match ?? anyMatch) };
      return { rule: encodeRule(await rules.create(organizationId, input, context)) };
    },
    async updateRoutingRule({ organizationId, ruleId, match, ...fields }, context) {
      const change = { ...fields, match: match && decodeMatch(match) };
      return { rule: encodeRule(await rules.update(organizationId, ruleId, change, context)) };
    },
    async deleteRoutingRule({ organizationId, ruleId }) {
      await rules.remove(organizationId, ruleId);
      return {};
    },
  });
}

const anyMatch: WireMatch = {
  types: [],
  families: [],
  severities: [],
  companyIds: [],
  supplierIds: [],
  minAmount: undefined,
  currency: undefined,
};

/** Decodes the conditions of a routing rule. An unknown severity number is refused like an unknown name. */
function decodeMatch({ severities, ...match }: WireMatch): RoutingMatchInput {
  return { ...match, severities: severities.map((value) => optionalEnumName(Severity, value) ?? 'UNSPECIFIED') };
}

function encodeRule({ ruleId, name, position, enabled, match, assignTo, createdAt }: RoutingRule): WireRule {
  return {
    ruleId,
    name,
    position,
    enabled,
    match: {
      types: [...match.types],
      families: [...match.families],
      severities: match.severities.map((severity) => Severity[severity]),
      companyIds: [...match.companyIds],
      supplierIds: [...match.supplierIds],
      minAmount: match.minAmount,
      currency: match.currency,
    },
    assignTo,
    createdTime: createdAt,
  };
}
