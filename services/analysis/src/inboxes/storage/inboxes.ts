import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { InboxStore } from '../application/inbox-store.js';

export interface InboxDocument {
  /** Id of the KSeF connection that the inbox belongs to. */
  readonly _id: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly enabled: boolean;
  readonly from: string;
  readonly receivedThrough: Date;
  readonly changedAt: Date;
}

const COMPANY_INDEX = 'of_company';
/** Maximum number of KSeF inboxes of a company, which has one connection for each of the three environments. */
const INBOXES_OF_COMPANY_MAX = 3;

export async function createInboxIndexes(collection: Collection<InboxDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { organizationId: 1, companyId: 1 }, name: COMPANY_INDEX }], {
    named: [COMPANY_INDEX],
  });
}

export function inboxStore(collection: Collection<InboxDocument>): InboxStore {
  return {
    async save({ connectionId, ...inbox }) {
      const { organizationId, changedAt } = inbox;
      try {
        await collection.updateOne(
          { _id: connectionId, organizationId, changedAt: { $lte: changedAt } },
          { $set: inbox },
          { upsert: true },
        );
      } catch (error) {
        // The duplicate key means that a newer event about the KSeF inbox was already stored.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async of(organizationId, companyId) {
      const documents = await collection.find({ organizationId, companyId }).limit(INBOXES_OF_COMPANY_MAX).toArray();
      return documents.map(({ _id: connectionId, ...inbox }) => ({ connectionId, ...inbox }));
    },
    companies(countMax) {
      return (
        collection
          // Only the organization and the company of a KSeF inbox are read, so that the database answers from the index
          // without reading documents.
          .find({}, { projection: { _id: 0, organizationId: 1, companyId: 1 }, hint: COMPANY_INDEX })
          .limit(countMax)
          .toArray()
      );
    },
  };
}
