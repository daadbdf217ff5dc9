/** Keys that one query asks for. */
const KEYS_MAX = 500;

/**
 * Reads (or claims) single records for many concurrent callers with one query: whoever asks while a query is being prepared shares it.
 * Nothing is kept, so that each caller sees what was stored when it asked, or later.
 * @param query answers for all that were asked for, by their keys
 */
export function batchedRead<Asked, T>(
  keyOf: (asked: Asked) => string,
  query: (asked: readonly Asked[]) => Promise<ReadonlyMap<string, T>>,
) {
  let asked = new Map<string, Asked>();
  let batch: Promise<ReadonlyMap<string, T>> | undefined;

  const nextBatch = (): Promise<ReadonlyMap<string, T>> => {
    const own = new Map<string, Asked>();
    asked = own;
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (asked === own) batch = undefined;
        query([...own.values()]).then(resolve, reject);
      });
    });
  };
  return async (one: Asked): Promise<T | undefined> => {
    const key = keyOf(one);
    if (batch === undefined || asked.size >= KEYS_MAX) batch = nextBatch();
    asked.set(key, one);
    return (await batch).get(key);
  };
}
