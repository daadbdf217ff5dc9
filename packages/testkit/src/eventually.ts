/** On a busy machine; a condition that comes is not waited for any longer than it takes. */
const TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 5;
const PAUSE_MAX_MS = 250;

/**
 * Waits until the probe answers without throwing, probing again after short, growing pauses; tests wait on conditions with it and never sleep.
 * A probe states its condition as an assertion: `await eventually(async () => expect(await deliveries()).toHaveLength(1))`.
 *
 * @returns what the probe answered
 * @throws the last failure of the probe when `timeoutMs` have passed, so that the report shows what was still wrong
 */
export async function eventually<T>(probe: () => T | Promise<T>, { timeoutMs = TIMEOUT_MS } = {}): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      return await probe();
    } catch (failure) {
      if (performance.now() + pauseMs > deadline) throw failure;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
}
