interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins all calls within one turn of the event loop into one piece of work, so that they need one command instead of
 * several. If the work fails, every call fails.
 * @param work returns results in the order of the items
 */
export function joined<T, R>(
  itemsMax: number,
  work: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  const begin = (): void => {
    const asked = waiting;
    waiting = [];
    work(asked.map(({ item }) => item)).then(
      (results) => asked.forEach(({ resolve }, index) => resolve(results[index] as R)),
      (error: unknown) => asked.forEach(({ reject }) => reject(error)),
    );
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === itemsMax) begin();
      else if (waiting.length === 1) setImmediate(() => waiting.length > 0 && begin());
    });
}
