import type { Collection, Document, Filter, WithId } from 'mongodb';
import { pageOf } from '../page.js';
import type { Page, PageRequest } from '../page.js';

/** Fields that a document needs so that it can be listed in pages. */
interface Listed {
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
}

/**
 * Fields by which lists are sorted. An index for a list ends with these fields, after the organization and the fields
 * of the filter.
 */
export const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** Finds one page of the documents of an organization that match the filter, newest first. */
export function findPage<D extends Listed>(
  collection: Collection<D>,
  filter: Filter<D> & { readonly organizationId: string },
  request: PageRequest,
  projection: Document = {},
): Promise<Page<WithId<D>>> {
  return findPageOfAll(collection, filter, request, projection);
}

/** Returns a page of documents of all organizations. Only commands of the operator may use this function. */
export async function findPageOfAll<D extends Listed>(
  collection: Collection<D>,
  filter: Filter<D>,
  { size, after, createdFrom, createdTo }: PageRequest,
  projection: Document = {},
): Promise<Page<WithId<D>>> {
  const last = after && new Date(after.order);
  const createdAt = {
    ...(createdFrom && { $gte: createdFrom }),
    ...(createdTo && { $lt: createdTo }),
    // This condition may use an index, unlike the `$or` condition below. It still matches documents of the previous
    // page that have the same creation time; the `$or` condition excludes them.
    ...(last && { $lte: last }),
  };
  const query = {
    ...filter,
    ...(Object.keys(createdAt).length > 0 && { createdAt }),
    ...(last && { $or: [{ createdAt: { $lt: last } }, { _id: { $lt: after.id } }] }),
  } as Filter<D>;
  const found = await collection.find(query, { projection, sort: NEWEST_FIRST, limit: size + 1 }).toArray();
  return pageOf(found, size, (document) => ({ order: document.createdAt.getTime(), id: `${document._id}` }));
}
