/**
 * Processes items in batches, one after another, so that other work can run in between. Results are in the order of the
 * items.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (batch: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += size) results.push(await work(items.slice(from, from + size)));
  return results;
}
