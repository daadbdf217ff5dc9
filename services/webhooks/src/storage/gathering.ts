/**
 * Creates a function that a caller awaits before a database read, so that several reads share one query. All waiting
 * callers continue together when the first of them has waited for `waitMs`, or as soon as `callersMax` callers wait.
 */
export function gathering(waitMs: number, callersMax: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(timer);
    const released = waiting;
    waiting = [];
    for (const goOn of released) goOn();
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === callersMax) release();
      else if (waiting.length === 1) timer = setTimeout(release, waitMs);
    });
}
