import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { HighAmountStore } from '../application/high-amounts.js';

/** The stored amount that counts as high in an organization during one period, in its base currency. */
export interface HighAmountDocument {
  /** Id of the amount that counts as high, in the form `<organization>|EUR`. */
  readonly _id: string;
  readonly organizationId: string;
  /** Beginning of the period in which a stored amount counts as high in the organization. */
  readonly period: Date;
  /** Amount that few invoices of the organization exceed. Null if the organization had too few invoices. */
  readonly amount: DecimalAmount | null;
}

export async function createHighAmountIndexes(collection: Collection<HighAmountDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1 }, name: 'of_organization' }]);
}

export function highAmountStore(collection: Collection<HighAmountDocument>): HighAmountStore {
  return {
    async find({ organizationId, baseCurrency, period }) {
      const document = await collection.findOne({ _id: `${organizationId}|${baseCurrency}`, organizationId });
      // An amount of a later period is returned as well, because that period may already have begun by the clock of
      // another replica.
      return document === null || document.period < period ? undefined : document;
    },
    async insert({ organizationId, baseCurrency, period }, amount) {
      try {
        await collection.updateOne(
          { _id: `${organizationId}|${baseCurrency}`, organizationId, period: { $lt: period } },
          { $set: { period, amount } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // A duplicate key means that another replica has stored the high amount of this period or of a later one.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
