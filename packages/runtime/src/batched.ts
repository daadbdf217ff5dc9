import { bindToCurrentWork } from './trace-context.js';

/** Default of the maximum number of keys in one database command. */
const KEYS_MAX = 500;
/**
 * Maximum number of database commands in progress. Callers that arrive later share the next command, so a busy database
 * gets fewer and larger commands.
 */
const UNDER_WAY_MAX = 4;
/**
 * Maximum time that a group of database commands waits for the group before it, so that a command that hangs does not
 * delay the following ones for long.
 */
const GROUP_WAIT_MS_MAX = 100;

export interface BatchLimits {
  /** Maximum number of different keys in one database command. */
  readonly keysMax?: number | undefined;
  /** Number of database commands in progress at which later callers wait and share the next command. */
  readonly underWayMax?: number;
  /**
   * Time in milliseconds after which a waiting batch is sent even if the maximum number of commands is in progress. If
   * this time is set, a batch is also sent as soon as it has `keysMax` keys. If the time is absent, a batch always
   * waits until fewer commands are in progress.
   */
  readonly waitMsMax?: number;
}

interface Batch<Asked, T> {
  readonly asked: Map<string, Asked>;
  readonly answers: Promise<ReadonlyMap<string, T | Error>>;
  /** Runs a function in the context of the first caller, to whose trace the batched command belongs. */
  readonly run: () => void;
  timer?: NodeJS.Timeout;
}

/**
 * Combines the concurrent calls for single records into one database command that reads, claims or inserts all of them.
 * Nothing is cached, so each caller sees the state at the time of its call or later. The number of waiting callers
 * needs no limit here, because the number of requests and event handlers in progress is limited.
 * @param command runs once for all records that the callers requested, and returns the results by key. If two requests
 * have the same key, it gets the later request. A result that is an Error rejects only the callers with this key.
 */
export function batched<Asked, T>(
  keyOf: (asked: Asked) => string,
  command: (asked: readonly Asked[]) => Promise<ReadonlyMap<string, T | Error>>,
  { keysMax = KEYS_MAX, underWayMax = UNDER_WAY_MAX, waitMsMax }: BatchLimits = {},
): (one: Asked) => Promise<T | undefined> {
  const waiting: Batch<Asked, T>[] = [];
  let underWay = 0;

  const newBatch = (): Batch<Asked, T> => {
    const asked = new Map<string, Asked>();
    let run: Batch<Asked, T>['run'] = () => {};
    const answers = new Promise<ReadonlyMap<string, T | Error>>((resolve, reject) => {
      run = bindToCurrentWork(() => {
        void command([...asked.values()])
          .then(resolve, reject)
          .finally(() => {
            underWay--;
            start();
          });
      });
    });
    return { asked, answers, run };
  };
  const begin = (batch: Batch<Asked, T>): void => {
    waiting.splice(waiting.indexOf(batch), 1);
    clearTimeout(batch.timer);
    underWay++;
    batch.run();
  };
  const start = (): void => {
    for (let [next] = waiting; next !== undefined && underWay < underWayMax; [next] = waiting) begin(next);
  };
  const joinOrOpen = (): Batch<Asked, T> => {
    const last = waiting.at(-1);
    if (last !== undefined && last.asked.size < keysMax) return last;
    const batch = newBatch();
    waiting.push(batch);
    setImmediate(start);
    if (waitMsMax !== undefined) batch.timer = setTimeout(begin, waitMsMax, batch);
    return batch;
  };
  return async (one) => {
    const batch = joinOrOpen();
    const key = keyOf(one);
    batch.asked.set(key, one);
    if (waitMsMax !== undefined && batch.asked.size === keysMax) begin(batch);
    const answer = (await batch.answers).get(key);
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

/**
 * Collects the items of concurrent calls, such as database writes, into groups (ADR 0127). While the work on one group
 * is in progress, later items are collected for the next group. Without concurrent calls, the work on an item starts
 * after the current turn of the event loop. The work on a group starts when the work on the previous group has ended,
 * when the group has `itemsMax` items, or when its first item has waited for 100 ms. If the work rejects, every item of
 * the group rejects.
 * @param work returns one result for each item, in the order of the items. A result that is an Error rejects that item
 * alone.
 */
export function grouped<T, R>(
  itemsMax: number,
  work: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
): (item: T) => Promise<R> {
  let lastNumber = 0;
  const call = batched<{ readonly key: string; readonly item: T }, R>(
    ({ key }) => key,
    async (asked) => {
      const results = await work(asked.map(({ item }) => item));
      return new Map(asked.map(({ key }, index) => [key, results[index] as R | Error]));
    },
    { keysMax: itemsMax, ...inGroups },
  );
  return (item) => call({ key: String(++lastNumber), item }) as Promise<R>;
}

/**
 * Limits for batched database calls with only one command in progress at a time. Callers that arrive in the meantime
 * share the next command.
 */
export const inGroups = { underWayMax: 1, waitMsMax: GROUP_WAIT_MS_MAX } as const satisfies BatchLimits;

/**
 * Collects items into groups as {@link grouped} does, but divides each group into parts and works on these parts in
 * parallel. If the work on one part rejects, only the items of this part reject.
 * @param partOf name of the part that an item belongs to
 */
export function groupedBy<T extends object, R>(
  partOf: (item: T) => string,
  itemsMax: number,
  work: (part: readonly T[]) => Promise<readonly (R | Error)[]>,
): (item: T) => Promise<R> {
  return grouped(itemsMax, async (items: readonly T[]) => {
    const parts = new Map<string, T[]>();
    for (const item of items) {
      const name = partOf(item);
      const part = parts.get(name);
      if (part === undefined) parts.set(name, [item]);
      else part.push(item);
    }
    const outcomes = new Map<T, R | Error>();
    await Promise.all(
      [...parts.values()].map(async (part) => {
        const results = await orError(work(part));
        for (const [index, item] of part.entries()) {
          outcomes.set(item, results instanceof Error ? results : (results[index] as R | Error));
        }
      }),
    );
    return items.map((item) => outcomes.get(item) as R | Error);
  });
}

/** Resolves to the result of the given promise, or to the error with which it rejects. */
export function orError<T>(promise: Promise<T>): Promise<T | Error> {
  return promise.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}
