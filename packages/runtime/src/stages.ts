/** Measured durations of the stages of one request or job. Stages may overlap. */
export interface Stages {
  /** Runs measured work, and adds its duration to the named stage of a request. */
  during<T>(stage: string, work: () => Promise<T>): Promise<T>;
  add(stage: string, ms: number): void;
  /** Returns the duration of each stage of a request in whole milliseconds, in the order in which the stages began. */
  ms(): Readonly<Record<string, number>>;
  /** Returns the whole milliseconds since the measured request or job began. */
  durationMs(): number;
}

/** Starts to measure long work for the log line that shows operators which stage took how long. */
export function stages(): Stages {
  const workBegun = performance.now();
  const spent = new Map<string, number>();
  const add = (stage: string, ms: number): void => void spent.set(stage, (spent.get(stage) ?? 0) + ms);
  return {
    add,
    async during(stage, work) {
      const begun = performance.now();
      add(stage, 0);
      try {
        return await work();
      } finally {
        add(stage, performance.now() - begun);
      }
    },
    ms: () => Object.fromEntries([...spent].map(([stage, ms]) => [stage, Math.round(ms)])),
    durationMs: () => Math.round(performance.now() - workBegun),
  };
}
