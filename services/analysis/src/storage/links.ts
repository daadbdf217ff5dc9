import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { LinkRecord, LinkStore } from '../application/counted-records.js';
import { writeGuarded } from './guarded-writes.js';
import { inBatches } from './in-batches.js';

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

/** Links of one lookup for many invoices. */
const LOOKUP_KEYS_MAX = 500;

/** Accounts and orders are read and written by their id alone; no index beside it. */
export function linkStore<L extends object>(collection: Collection<LinkDocument<L>>): LinkStore<L> {
  const idOf = (organizationId: string, key: string): string => `${organizationId}|${key}`;
  // The driver's generic filter type cannot see through L; the shapes are those of LinkDocument.
  const links = collection as unknown as Collection<LinkDocument<object>>;
  const toRecord = ({ version, link, countedUnits }: LinkDocument<object>): LinkRecord<L> => ({
    version,
    link: link as L,
    countedUnits,
  });
  return {
    async find(organizationId, key) {
      const document = await links.findOne({ _id: idOf(organizationId, key), organizationId });
      return document === null ? undefined : toRecord(document);
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
    async findMany(organizationId, keys) {
      const found = await inBatches(keys, LOOKUP_KEYS_MAX, (some) =>
        links.find({ _id: { $in: some.map((key) => idOf(organizationId, key)) }, organizationId }).toArray(),
      );
      return new Map(found.flat().map((document) => [keyOf(document), toRecord(document)]));
    },
    async writeMany(organizationId, records, unitId) {
      const documents = [...records].map(([key, { version, link, countedUnits }]) => ({
        _id: idOf(organizationId, key),
        organizationId,
        version: version + 1,
        link,
        countedUnits,
      }));
      const missed = await writeGuarded(links, organizationId, documents, unitId);
      return new Set(documents.filter(({ _id }) => missed.has(_id)).map(keyOf));
    },
  };
}

/** The key within its organization. */
function keyOf({ _id, organizationId }: Pick<LinkDocument<object>, '_id' | 'organizationId'>): string {
  return _id.slice(organizationId.length + 1);
}
