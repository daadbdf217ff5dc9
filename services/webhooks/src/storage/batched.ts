/** Maximum number of keys in one command. */
const KEYS_MAX = 500;
/**
 * Maximum number of commands in progress. Later callers share the next one: the busier the database is, the fewer and the larger the
 * commands are, and the sooner others have their turn.
 */
const UNDER_WAY_MAX = 4;

interface Batch<Asked, T> {
  readonly asked: Map<string, Asked>;
  readonly answers: Promise<ReadonlyMap<string, T>>;
  run(): Promise<void>;
}

/**
 * Serves many concurrent callers of single records with one command: reads, claims, inserts. Nothing is kept, so that each caller sees what
 * was stored when it asked, or later. Callers are as many as there are slots and handlers, so what waits here is bounded by them.
 * @param command answers for all that were asked for, by their keys; of two with one key it gets the later one
 */
export function batched<Asked, T>(
  keyOf: (asked: Asked) => string,
  command: (asked: readonly Asked[]) => Promise<ReadonlyMap<string, T>>,
  keysMax = KEYS_MAX,
): (one: Asked) => Promise<T | undefined> {
  const waiting: Batch<Asked, T>[] = [];
  let underWay = 0;

  const newBatch = (): Batch<Asked, T> => {
    const asked = new Map<string, Asked>();
    let run: Batch<Asked, T>['run'] = async () => {};
    const answers = new Promise<ReadonlyMap<string, T>>((resolve, reject) => {
      run = () => command([...asked.values()]).then(resolve, reject);
    });
    return { asked, answers, run };
  };
  const start = (): void => {
    while (underWay < UNDER_WAY_MAX) {
      const batch = waiting.shift();
      if (batch === undefined) return;
      underWay++;
      void batch.run().finally(() => {
        underWay--;
        start();
      });
    }
  };
  const joinOrOpen = (): Batch<Asked, T> => {
    const last = waiting.at(-1);
    if (last !== undefined && last.asked.size < keysMax) return last;
    const batch = newBatch();
    waiting.push(batch);
    setImmediate(start);
    return batch;
  };
  return async (one) => {
    const { asked, answers } = joinOrOpen();
    const key = keyOf(one);
    asked.set(key, one);
    return (await answers).get(key);
  };
}
