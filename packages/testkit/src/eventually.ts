/** Long enough for a busy machine; a wait ends as soon as its condition holds. */
const TIMEOUT_MS = 60_000;
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 2_000;
/** A pause lasts this share of the time waited so far: a long wait asks rarely, and a short one ends as soon as it can. */
const PAUSE_SHARE = 1 / 8;

/**
 * Waits until the probe returns without throwing, probing again after short, growing pauses; tests wait on conditions with it and never
 * sleep. A probe states its condition as an assertion: `await eventually(async () => expect(await deliveries()).toHaveLength(1))`.
 *
 * @returns what the probe returned
 * @throws the last failure of the probe when `timeoutMs` have passed, so that the report shows what was still wrong
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
