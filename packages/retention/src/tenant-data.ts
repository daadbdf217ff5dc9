import type { Collection, Filter } from 'mongodb';
import { organizationOf } from '@invoicecontrol/runtime/dead-letters';
import type { DeadLetter } from '@invoicecontrol/runtime/dead-letters';
import type { TenantDocuments } from '@invoicecontrol/runtime/operator-service';

/** A kind of data that a service stores about organizations, with a function that removes it. */
export interface TenantData extends TenantDocuments {
  /**
   * Removes at most the given number of documents, except those that must not be removed yet. Documents with
   * unpublished events stay until the events are published.
   * @returns the number of removed documents
   */
  remove(organizationId: string, documentsMax: number): Promise<number>;
  /** Returns the number of documents of the organization, including those that must not be removed yet. */
  count(organizationId: string): Promise<number>;
}

/**
 * Events and audit events that are stored in a MongoDB document until they are published. A purge removes the document
 * only after they were published.
 */
interface Outgoing {
  readonly outboxPending?: true;
}

/** Fields by which a database document of an organization is found. */
interface Identified {
  readonly _id: string;
}

/**
 * Declares documents that have an `organizationId`. Their collection needs an index that begins with this field.
 * @param unless condition under which a document must not be removed; unpublished events always prevent removal
 */
export function ownedDocuments<D extends Identified & { readonly organizationId: string }>(
  collection: Collection<D>,
  unless: readonly (keyof D & string)[] = [],
): TenantData {
  return documents(collection, (organizationId) => ({ organizationId }) as unknown as Filter<D>, unless);
}

/**
 * Declares documents whose id begins with the organization id.
 * @param prefixOf returns the prefix including the separator: `<organization>:`
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

/**
 * Declares the single document whose id is the organization id.
 * @param unless see {@link ownedDocuments}
 */
export function documentOfOrganization<D extends Identified>(
  collection: Collection<D>,
  unless: readonly (keyof D & string)[] = [],
): TenantData {
  return documents(collection, (organizationId) => ({ _id: organizationId }) as unknown as Filter<D>, unless);
}

const LETTERS_PAGE = 500;

/**
 * Declares the dead letters about an organization. There is no index of dead letters by organization, because their
 * total number is small.
 */
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
      // The whole filter is applied again when documents are removed: a document that got an event in the meantime
      // stays until the event is published.
      const { deletedCount } = await collection.deleteMany({ $and: [removable, { _id: { $in: ids } }] } as Filter<D>);
      return deletedCount;
    },
    count: (organizationId) => collection.countDocuments(ofOrganization(organizationId)),
  };
}
