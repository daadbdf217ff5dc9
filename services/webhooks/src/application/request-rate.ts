const WINDOW_MS = 1_000;

/** Limits how many requests each webhook receives within any second. */
export interface RequestRate {
  /**
   * Returns the delay before the next request to a webhook, or 0.
   * @param begun number of requests to the webhook that have begun but were not sent yet
   */
  waitMs(endpointId: string, begun: number): number;
  /** Records that a request was sent to a webhook. */
  note(endpointId: string): void;
}

/**
 * Creates the limit on how many requests each webhook receives within any second.
 * @param nowMs a clock that never goes back
 */
export function createRequestRate(perSecondMax: number, nowMs: () => number): RequestRate {
  /** Times of the webhook requests in the last second by webhook, oldest first. */
  const leftAtMs = new Map<string, number[]>();
  const forgetIdle = (sinceMs: number): void => {
    for (const [endpointId, times] of leftAtMs) {
      if ((times.at(-1) ?? 0) > sinceMs) return;
      leftAtMs.delete(endpointId);
    }
  };
  return {
    waitMs(endpointId, begun) {
      const now = nowMs();
      const recent = (leftAtMs.get(endpointId) ?? []).filter((at) => at > now - WINDOW_MS);
      const excess = recent.length + begun - perSecondMax;
      if (excess < 0) return 0;
      // The next request to a webhook may be sent once enough of its earlier requests are more than a second old.
      // Requests that were not sent yet count as sent within the last second.
      return (recent[excess] ?? now) + WINDOW_MS - now;
    },
    note(endpointId) {
      const now = nowMs();
      forgetIdle(now - WINDOW_MS);
      const times = (leftAtMs.get(endpointId) ?? []).filter((at) => at > now - WINDOW_MS);
      leftAtMs.delete(endpointId);
      leftAtMs.set(endpointId, [...times, now]);
    },
  };
}
