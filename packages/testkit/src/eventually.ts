/** Default timeout of a wait in a test, long enough for a busy machine. A wait ends as soon as its condition holds. */
const TIMEOUT_MS = 60_000;
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 2_000;
/**
 * Length of a pause between two polls as a share of the time that the test has waited so far. After a long wait a test
 * polls rarely, and after a short wait it continues soon.
 */
const PAUSE_SHARE = 1 / 8;

/**
 * Waits until the probe returns without throwing, with short, increasing pauses. Tests use this function to wait for
 * conditions and never sleep for a fixed time. A probe states its condition as an assertion: `await eventually(async ()
 * => expect(await deliveries()).toHaveLength(1))`.
 * @returns the result of the probe
 * @throws the last failure of the probe after `timeoutMs`, so that the test report shows which condition did not hold
 */
export async function eventually<T>(probe: () => T | Promise<T>, { timeoutMs = TIMEOUT_MS } = {}): Promise<T> {
  const start = performance.now();
  for (;;) {
    let pauseMs: number;
    try {
      return await probe();
    } catch (failure) {
      const waitedMs = performance.now() - start;
      pauseMs = Math.min(Math.max(waitedMs * PAUSE_SHARE, PAUSE_MIN_MS), PAUSE_MAX_MS);
      if (waitedMs + pauseMs > timeoutMs) throw failure;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
}
