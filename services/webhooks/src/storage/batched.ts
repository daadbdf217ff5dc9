/** Maximum number of keys in one command. */
const KEYS_MAX = 500;
/**
 * Maximum number of commands in progress. Later callers share the next command, so a busy database gets fewer and
 * larger commands.
 */
const UNDER_WAY_MAX = 4;

interface Batch<Asked, T> {
  readonly asked: Map<string, Asked>;
  readonly answers: Promise<ReadonlyMap<string, T>>;
  run(): Promise<void>;
}

/**
 * Serves many concurrent callers of single records with one command (reads, claims or inserts). Nothing is cached, so
 * each caller sees the state at the time of its call or later. The number of callers is limited by slots and handlers,
 * and so is the number of waiting ones.
 * @param command runs for all requested records by key; of two requests with one key it gets the later one
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
