/**
 * Repeats work with a pause between runs, one run at a time. A failed run is reported and does not stop the repetition.
 * @param pauseMs time from the end of one run to the start of the next
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = work()
        .then(() => {}, onError)
        .finally(later);
    }, pauseMs);
    timer.unref();
  };
  later();
  return {
    /** Resolves when the current run has ended. */
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
