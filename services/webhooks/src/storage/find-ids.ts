import type { Collection, Filter } from 'mongodb';

/**
 * Returns the ids of some stored webhooks, events or deliveries, for a command that must handle only a limited number
 * at once.
 */
export async function findIds<D extends { readonly _id: string }>(
  collection: Collection<D>,
  filter: Filter<D>,
  limit: number,
): Promise<string[]> {
  const found = await collection.find(filter, { projection: { _id: 1 }, limit }).toArray();
  return found.map(({ _id }) => _id as string);
}
