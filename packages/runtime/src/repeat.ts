/**
 * Repeats work with a pause between runs, one run at a time. A failed run is reported and does not end the repetition.
 * @param pauseMs between the end of one run and the start of the next
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
    /** Resolves when a run that is under way has ended. */
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
