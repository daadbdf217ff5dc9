import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { LinkRecord, LinkStore } from '../application/counted-records.js';

/** What is known of one account or one order of an organization. */
export interface LinkDocument<L extends object> {
  /** `<organization>|<account or order key>`. */
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly link: L;
  /** The last invoices and scans counted, so that a repeat changes nothing. */
  readonly countedUnits: readonly string[];
}

/** Accounts and orders are read and written by their id alone; no index beside it. */
export function linkStore<L extends object>(collection: Collection<LinkDocument<L>>): LinkStore<L> {
  const idOf = (organizationId: string, key: string): string => `${organizationId}|${key}`;
  // The driver's generic filter type cannot see through L; the shapes are those of LinkDocument.
  const links = collection as unknown as Collection<LinkDocument<object>>;
  return {
    async find(organizationId, key) {
      const document = await links.findOne({ _id: idOf(organizationId, key), organizationId });
      if (document === null) return undefined;
      const { version, link, countedUnits } = document;
      return { version, link: link as L, countedUnits } satisfies LinkRecord<L>;
    },
    async write(organizationId, key, { version, link, countedUnits }) {
      const _id = idOf(organizationId, key);
      const next = { organizationId, version: version + 1, link, countedUnits };
      if (version > 0) {
        const { matchedCount } = await links.replaceOne({ _id, organizationId, version }, next);
        return matchedCount === 1;
      }
      try {
        await links.insertOne({ _id, ...next });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
