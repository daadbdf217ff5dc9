/** Batches under way at once, of one piece of work. */
const AT_ONCE_MAX = 4;

/** Does work for so many items at a time, a few batches at once; results in the order of the items. */
export async function inBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (batch: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < batches.length; index = next++) {
      results[index] = await work(batches[index] ?? []);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE_MAX, batches.length) }, worker));
  return results;
}
