import type { Collection } from 'mongodb';
import type { BankLinkStore, LinkRecord, LinkStore, OrderLinkStore } from '../application/counted-records.js';
import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import { batched, inGroups } from '@invoicecontrol/runtime/batched';
import { countWriter, versionWriter, writeGuarded } from './guarded-writes.js';
import { inBatches } from './in-batches.js';

/**
 * A stored link. It is the record of a bank account or purchase order of an organization, and counts the invoices that
 * state the account or order.
 */
export interface LinkDocument<L extends object = object> {
  /**
   * Id of the link record, in the form `<organization>|account|<account key>` or `<organization>|order|<order key>`.
   */
  readonly _id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly link: L;
  /**
   * Newest invoices and history scans that the counts of this link include, so that a repeated call does not count them
   * again.
   */
  readonly countedUnits: readonly string[];
}

type Kind = 'account' | 'order';

/** Maximum number of links (bank accounts and orders) in one lookup for many invoices. */
const LOOKUP_KEYS_MAX = 500;
/** Maximum number of links (bank accounts and orders) in one read for invoices that are decided at the same moment. */
const GROUPED_MAX = 100;

/**
 * Returns the stores of links. Links for bank accounts and for orders are in one collection, so that an invoice reads
 * both with one command and writes both with one. They are only accessed by id, so there is no other index.
 */
export function linkStores(links: Collection<LinkDocument>): { bankLinks: BankLinkStore; orderLinks: OrderLinkStore } {
  const find = batched(
    String,
    async (ids: readonly string[]) => {
      const documents = await links.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(documents.map((document) => [document._id, document]));
    },
    { keysMax: GROUPED_MAX, ...inGroups },
  );
  const write = versionWriter(links);
  const writeCounted = countWriter(links);
  return { bankLinks: storeOf<BankLink>('account'), orderLinks: storeOf<OrderLink>('order') };

  function storeOf<L extends object>(kind: Kind): LinkStore<L> {
    const prefixOf = (organizationId: string): string => `${organizationId}|${kind}|`;
    const toRecord = ({ version, link, countedUnits }: LinkDocument): LinkRecord<L> => ({
      version,
      link: link as L,
      countedUnits,
    });
    const documentOf = (organizationId: string, key: string, record: LinkRecord<L>): LinkDocument => ({
      _id: prefixOf(organizationId) + key,
      organizationId,
      ...record,
    });
    const nextDocument = (organizationId: string, key: string, record: LinkRecord<L>): LinkDocument =>
      documentOf(organizationId, key, { ...record, version: record.version + 1 });
    const keyOf = ({ _id, organizationId }: LinkDocument): string => _id.slice(prefixOf(organizationId).length);
    return {
      async find(organizationId, key) {
        const document = await find(prefixOf(organizationId) + key);
        return document === undefined ? undefined : toRecord(document);
      },
      write: (organizationId, key, record) => write(nextDocument(organizationId, key, record)),
      writeCounted: (organizationId, key, { before, record, unitId }) =>
        writeCounted({
          document: nextDocument(organizationId, key, record),
          before: before && documentOf(organizationId, key, before),
          unitId,
        }),
      async findMany(organizationId, keys) {
        const prefix = prefixOf(organizationId);
        const found = await inBatches(keys, LOOKUP_KEYS_MAX, (some) =>
          links.find({ _id: { $in: some.map((key) => prefix + key) }, organizationId }).toArray(),
        );
        return new Map(found.flat().map((document) => [keyOf(document), toRecord(document)]));
      },
      async writeMany(organizationId, records, unitId) {
        const documents = [...records].map(([key, record]) => nextDocument(organizationId, key, record));
        const missed = await writeGuarded(links, organizationId, documents, unitId);
        return new Set(documents.filter(({ _id }) => missed.has(_id)).map(keyOf));
      },
    };
  }
}
