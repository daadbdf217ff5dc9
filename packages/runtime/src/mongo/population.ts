import type { Collection, Document } from 'mongodb';
import { createCache } from '../cache.js';
import type { Clock } from '../clock.js';

/**
 * Maximum number of documents that one count for a metric reads, so that the count is fast even in a large collection.
 */
export const POPULATION_MAX = 10_000;
/** Time for which a count for a metric is used again, because a count reads documents and its result changes slowly. */
export const POPULATION_COUNTED_EACH_MS = 300_000;

/**
 * Counts documents for metrics, grouped by the values of some fields. The documents are counted again only after {@link
 * POPULATION_COUNTED_EACH_MS}.
 * @param filter documents to count
 * @param fields path of a field, or an expression of an aggregation, for each name in the result
 */
export function populationOf<D extends Document, F extends string>(
  collection: Collection<D>,
  { filter, fields, clock }: { filter: Document; fields: Readonly<Record<F, unknown>>; clock: Clock },
): () => Promise<readonly (Readonly<Record<F, string>> & { readonly count: number })[]> {
  const cache = createCache({
    async load() {
      const groups = await collection
        .aggregate<{ _id: Record<F, string>; count: number }>([
          { $match: filter },
          { $limit: POPULATION_MAX },
          { $group: { _id: fields, count: { $sum: 1 } } },
        ])
        .toArray();
      return groups.map(({ _id, count }) => ({ ..._id, count }));
    },
    freshMs: POPULATION_COUNTED_EACH_MS,
    entriesMax: 1,
    clock,
  });
  return () => cache.get(collection.collectionName);
}
