import type { Collection, Filter } from 'mongodb';
import { pageOf } from '../domain/page.js';
import type { Page, PageRequest } from '../domain/page.js';

/** What a document needs to be listed. */
interface Listed {
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
}

/** The order that every list is read in; indexes that serve one end in it. */
export const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/**
 * One page of the documents that fit, newest first.
 * @param filter begins with the organization
 */
export async function findPage<D extends Listed>(
  collection: Collection<D>,
  filter: Filter<D> & { organizationId: string },
  { size, after, createdFrom, createdTo }: PageRequest,
): Promise<Page<D>> {
  const conditions: Record<string, unknown>[] = [{ ...filter }];
  if (createdFrom !== undefined) conditions.push({ createdAt: { $gte: createdFrom } });
  if (createdTo !== undefined) conditions.push({ createdAt: { $lt: createdTo } });
  if (after !== undefined) {
    const { createdAt, id } = after;
    // The first condition is what the index can use; the second one drops those of the same instant already shown.
    conditions.push({ createdAt: { $lte: createdAt } });
    conditions.push({ $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: id } }] });
  }
  const query = (conditions.length === 1 ? conditions[0] : { $and: conditions }) as Filter<D>;
  const found = (await collection.find(query, { sort: NEWEST_FIRST, limit: size + 1 }).toArray()) as D[];
  return pageOf(found, size, ({ _id: id, createdAt }) => ({ id, createdAt }));
}
