/**
 * An alarm that starts the next run of repeated work earlier, for example because this process has just stored work to
 * do.
 */
export interface Alarm {
  /**
   * Brings the next run of a background job forward, so that it begins after at most the given number of milliseconds.
   */
  ring(afterMs?: number): void;
  /** Sets the listener of a background job's alarm. Only the repetition of the job calls it. */
  listen(onRing: (afterMs: number) => void): void;
}

export function createAlarm(): Alarm {
  /**
   * Earliest run that was requested before the background job listened to the alarm. The job learns of it when it
   * begins to listen.
   */
  let dueAtMs = Infinity;
  let onRing = (afterMs: number): void => {
    dueAtMs = Math.min(dueAtMs, performance.now() + afterMs);
  };
  return {
    ring: (afterMs = 0) => onRing(afterMs),
    listen(listener) {
      onRing = listener;
      if (dueAtMs !== Infinity) listener(dueAtMs - performance.now());
    },
  };
}

/**
 * Repeats the work of a background job with a pause between runs, one run at a time. A failed run is reported and does
 * not stop the repetition.
 * @param pauseMs time from the end of one run to the start of the next
 * @param alarm starts the next run before the pause is over. If the alarm rings during a run, another run follows.
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
  alarm?: Alarm,
): { stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  /** Time when the next run of the background job begins, as measured by `performance.now()`. */
  let dueAtMs = performance.now() + pauseMs;
  const wait = (): void => {
    if (isStopped) return;
    timer = setTimeout(run, Math.max(0, dueAtMs - performance.now()));
    timer.unref();
  };
  const run = (): void => {
    timer = undefined;
    dueAtMs = Infinity;
    running = work()
      .then(() => {}, onError)
      .finally(() => {
        dueAtMs = Math.min(dueAtMs, performance.now() + pauseMs);
        wait();
      });
  };
  alarm?.listen((afterMs) => {
    const atMs = performance.now() + afterMs;
    if (atMs >= dueAtMs) return;
    dueAtMs = atMs;
    // If no timer is set, the background job is running and will schedule its next run itself.
    if (timer === undefined) return;
    clearTimeout(timer);
    wait();
  });
  wait();
  return {
    /** Resolves when the current run of the background job has ended. */
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
