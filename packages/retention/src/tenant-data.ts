import type { Collection, Filter } from 'mongodb';
import { organizationOf } from '@invoicecontrol/runtime/dead-letters';
import type { DeadLetter } from '@invoicecontrol/runtime/dead-letters';
import type { TenantDocuments } from '@invoicecontrol/runtime/operator-service';

/** One kind of data that a service keeps of organizations, with its removal. */
export interface TenantData extends TenantDocuments {
  /**
   * Removes what may be removed now, at most so many documents. Unpublished events stay until they are published.
   * @returns the number of removed documents
   */
  remove(organizationId: string, documentsMax: number): Promise<number>;
  /** Number of documents, including those that may not be removed yet. */
  count(organizationId: string): Promise<number>;
}

/** Events or audit lines in a document that are not relayed yet: the document may be removed after the relay has removed them. */
interface Outgoing {
  readonly outboxPending?: true;
}

/** The members of a document that are needed to find it. */
interface Identified {
  readonly _id: string;
}

/**
 * Documents with an `organizationId`, which an index must lead with.
 * @param unless what a document must not have to be removed; unpublished events always keep it
 */
export function ownedDocuments<D extends Identified & { readonly organizationId: string }>(
  collection: Collection<D>,
  unless: readonly (keyof D & string)[] = [],
): TenantData {
  return documents(collection, (organizationId) => ({ organizationId }) as unknown as Filter<D>, unless);
}

/**
 * Documents whose id begins with the organization.
 * @param prefixOf ends in the separator: `<organization>:`
 */
export function prefixedDocuments<D extends Identified>(
  collection: Collection<D>,
  prefixOf: (organizationId: string) => string,
): TenantData {
  return documents(collection, (organizationId) => {
    const prefix = prefixOf(organizationId);
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    return { _id: { $gte: prefix, $lt: end } } as unknown as Filter<D>;
  });
}

/** The one document whose id is the organization. @param unless see {@link ownedDocuments} */
export function documentOfOrganization<D extends Identified>(
  collection: Collection<D>,
  unless: readonly (keyof D & string)[] = [],
): TenantData {
  return documents(collection, (organizationId) => ({ _id: organizationId }) as unknown as Filter<D>, unless);
}

const LETTERS_PAGE = 500;

/** Dead letters about the organization. They have no index on it, because all organizations together have few. */
export function deadLettersOf(collection: Collection<Omit<DeadLetter, 'id'> & Identified>): TenantData {
  const idsOf = async (organizationId: string, idsMax: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let after = ''; ids.length < idsMax;) {
      const page = await collection.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: LETTERS_PAGE }).toArray();
      for (const { _id, ...letter } of page) {
        if (organizationOf({ id: _id, ...letter }) === organizationId) ids.push(_id);
      }
      if (page.length < LETTERS_PAGE) break;
      after = page.at(-1)?._id ?? '';
    }
    return ids.slice(0, idsMax);
  };
  return {
    name: collection.collectionName,
    async remove(organizationId, documentsMax) {
      const ids = await idsOf(organizationId, documentsMax);
      if (ids.length === 0) return 0;
      return (await collection.deleteMany({ _id: { $in: ids } })).deletedCount;
    },
    count: async (organizationId) => (await idsOf(organizationId, Infinity)).length,
  };
}

function documents<D extends Identified>(
  collection: Collection<D>,
  ofOrganization: (organizationId: string) => Filter<D>,
  unless: readonly (keyof D & string)[] = [],
): TenantData {
  const absent = Object.fromEntries(
    [...unless, 'outboxPending' satisfies keyof Outgoing].map((field) => [field, { $exists: false }]),
  );
  return {
    name: collection.collectionName,
    async remove(organizationId, documentsMax) {
      const removable = { ...ofOrganization(organizationId), ...absent } as Filter<D>;
      const found = await collection.find(removable, { projection: { _id: 1 }, limit: documentsMax }).toArray();
      if (found.length === 0) return 0;
      const ids = found.map(({ _id }) => _id);
      // The whole filter again: a document that has got an event in the meantime stays until that event is published.
      const { deletedCount } = await collection.deleteMany({ $and: [removable, { _id: { $in: ids } }] } as Filter<D>);
      return deletedCount;
    },
    count: (organizationId) => collection.countDocuments(ofOrganization(organizationId)),
  };
}
