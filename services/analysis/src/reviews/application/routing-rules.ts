import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { v7 as uuidV7 } from 'uuid';
import { MATCH_ENTRIES_MAX, readRule, RULES_PER_ORGANIZATION_MAX } from '../domain/routing.js';
import type { RoutingMatchInput, RoutingRule, RoutingRuleInput } from '../domain/routing.js';
import type { SupplierStore } from '../../records/application/counted-records.js';
import type { Members } from './members.js';

/** Stores the routing rules of organizations. */
export interface RoutingRuleStore {
  /** Returns all routing rules of an organization, sorted by position, at most {@link RULES_PER_ORGANIZATION_MAX}. */
  all(organizationId: string): Promise<RoutingRule[]>;
  find(organizationId: string, ruleId: string): Promise<RoutingRule | undefined>;
  insert(organizationId: string, rule: RoutingRule): Promise<void>;
  /** Changes a routing rule. Returns undefined if the rule does not exist. */
  change(
    organizationId: string,
    ruleId: string,
    fields: Partial<Omit<RoutingRule, 'ruleId' | 'createdAt'>>,
  ): Promise<RoutingRule | undefined>;
  /** Deletes a routing rule. Returns false if the rule did not exist. */
  remove(organizationId: string, ruleId: string): Promise<boolean>;
}

interface Deps {
  readonly rules: RoutingRuleStore;
  readonly cachedRules: Cache<readonly RoutingRule[]>;
  readonly suppliers: Pick<SupplierStore, 'existing'>;
  readonly members: Members;
  readonly tenants: Tenants;
  readonly clock: Clock;
}

/** Routing rule fields to change. Fields that are absent are not changed, and `match` is replaced as a whole. */
type RoutingRuleChange = { readonly [K in keyof RoutingRuleInput]?: RoutingRuleInput[K] | undefined };

export interface RoutingRules {
  list(organizationId: string): Promise<readonly RoutingRule[]>;
  /**
   * Returns a routing rule of the organization.
   * @throws DomainError not_found
   */
  get(organizationId: string, ruleId: string): Promise<RoutingRule>;
  /**
   * Creates a routing rule for the findings of the organization.
   * @throws DomainError invalid, also for ids that do not exist in the organization; wrong_state if there are too many
   * rules
   */
  create(organizationId: string, input: RoutingRuleInput, context: RequestContext): Promise<RoutingRule>;
  /**
   * Changes the given fields of a routing rule.
   * @throws DomainError not_found, invalid
   */
  update(
    organizationId: string,
    ruleId: string,
    change: RoutingRuleChange,
    context: RequestContext,
  ): Promise<RoutingRule>;
  /**
   * Deletes a routing rule of the organization.
   * @throws DomainError not_found
   */
  remove(organizationId: string, ruleId: string): Promise<void>;
}

const NO_CONDITION: RoutingMatchInput = { types: [], families: [], severities: [], companyIds: [], supplierIds: [] };

/** Manages the routing rules, which assign new findings to members. */
export function routingRules({ rules, cachedRules, suppliers, members, tenants, clock }: Deps): RoutingRules {
  const get = async (organizationId: string, ruleId: string): Promise<RoutingRule> => {
    const rule = await rules.find(organizationId, ruleId);
    if (rule === undefined) throw notFound('routing rule');
    return rule;
  };
  const read = async (organizationId: string, input: RoutingRuleInput, context: RequestContext) => {
    const [{ companies }, supplierIds] = await Promise.all([
      tenants.factsOf(organizationId, context),
      suppliers.existing(organizationId, input.match.supplierIds.slice(0, MATCH_ENTRIES_MAX)),
    ]);
    return readRule(input, { companyIds: companies.map(({ companyId }) => companyId), supplierIds });
  };
  const requireMember = async (organizationId: string, userId: string, context: RequestContext): Promise<void> => {
    if (await members.isActive(organizationId, userId, context)) return;
    throw invalidField('assign_to', 'must be the id of an active member of this organization.');
  };
  return {
    list: (organizationId) => rules.all(organizationId),
    get,
    async create(organizationId, input, context) {
      const fields = await read(organizationId, input, context);
      await requireMember(organizationId, fields.assignTo, context);
      const rule = { ruleId: uuidV7(), ...fields, createdAt: clock.now() };
      await rules.insert(organizationId, rule);
      // The routing rules are counted after the insert, so that concurrent requests cannot exceed the limit.
      if ((await rules.all(organizationId)).length > RULES_PER_ORGANIZATION_MAX) {
        await rules.remove(organizationId, rule.ruleId);
        throw new DomainError(
          'wrong_state',
          `The limit of ${RULES_PER_ORGANIZATION_MAX} routing rules per organization is reached. Delete a routing rule first.`,
        );
      }
      cachedRules.invalidate(organizationId);
      return rule;
    },
    async update(organizationId, ruleId, change, context) {
      const before = await get(organizationId, ruleId);
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      // An unchanged condition of a routing rule is not validated again: a company or supplier in it may have been
      // deleted since, which is not an error in this change.
      const fields = await read(organizationId, { ...before, match: NO_CONDITION, ...given }, context);
      if (change.assignTo !== undefined) await requireMember(organizationId, change.assignTo, context);
      // Only the fields of the request are written, so that concurrent changes to different fields of a routing rule
      // are both kept.
      const written = Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(given, name)));
      const rule = await rules.change(organizationId, ruleId, written);
      if (rule === undefined) throw notFound('routing rule');
      cachedRules.invalidate(organizationId);
      return rule;
    },
    async remove(organizationId, ruleId) {
      if (!(await rules.remove(organizationId, ruleId))) throw notFound('routing rule');
      cachedRules.invalidate(organizationId);
    },
  };
}
