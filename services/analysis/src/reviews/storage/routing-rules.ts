import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { RoutingRuleStore } from '../application/routing-rules.js';
import { compareRules, RULES_PER_ORGANIZATION_MAX } from '../domain/routing.js';
import type { RoutingRule } from '../domain/routing.js';

export interface RoutingRuleDocument extends Omit<RoutingRule, 'ruleId'> {
  readonly _id: string;
  readonly organizationId: string;
}

/**
 * Maximum number of routing rules by which concurrent requests may exceed the limit before the surplus rules are
 * removed.
 */
const SURPLUS_MAX = 100;

export async function createRoutingRuleIndexes(collection: Collection<RoutingRuleDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1, position: 1, _id: 1 }, name: 'position' }]);
}

export function routingRuleStore(collection: Collection<RoutingRuleDocument>): RoutingRuleStore {
  return {
    async all(organizationId) {
      const documents = await collection
        .find({ organizationId })
        .sort({ position: 1, _id: 1 })
        .limit(RULES_PER_ORGANIZATION_MAX + SURPLUS_MAX)
        .toArray();
      return documents.map(toRule).sort(compareRules);
    },
    async find(organizationId, ruleId) {
      const document = await collection.findOne({ _id: ruleId, organizationId });
      return document === null ? undefined : toRule(document);
    },
    async insert(organizationId, { ruleId, ...rule }) {
      await collection.insertOne({ _id: ruleId, organizationId, ...rule });
    },
    async change(organizationId, ruleId, fields) {
      if (Object.keys(fields).length === 0) return this.find(organizationId, ruleId);
      const document = await collection.findOneAndUpdate(
        { _id: ruleId, organizationId },
        { $set: fields },
        { returnDocument: 'after' },
      );
      return document === null ? undefined : toRule(document);
    },
    async remove(organizationId, ruleId) {
      const { deletedCount } = await collection.deleteOne({ _id: ruleId, organizationId });
      return deletedCount === 1;
    },
  };
}

function toRule({ _id: ruleId, organizationId, ...rule }: RoutingRuleDocument): RoutingRule {
  return { ruleId, ...rule };
}
