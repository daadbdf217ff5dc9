/**
 * Creates a function that makes database reads wait for each other, so that they share one query. All waiting reads
 * continue together when the first of them has waited for `waitMs`, or as soon as `callersMax` reads wait.
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
