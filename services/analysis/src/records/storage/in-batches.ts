/** Does work for so many items at a time, one batch after the other, so that others get in between; results in the order of the items. */
export async function inBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (batch: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += size) results.push(await work(items.slice(from, from + size)));
  return results;
}
