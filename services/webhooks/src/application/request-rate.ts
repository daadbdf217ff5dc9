const WINDOW_MS = 1_000;

/** Knows when each endpoint may have its next request, so that it gets no more than so many in any second. */
export interface RequestRate {
  /**
   * Returns the time that the next request must wait; 0 when it may begin.
   * @param begun requests that have begun and not left yet
   */
  waitMs(endpointId: string, begun: number): number;
  /** A request leaves. */
  note(endpointId: string): void;
}

/** @param nowMs a clock that never goes back */
export function createRequestRate(perSecondMax: number, nowMs: () => number): RequestRate {
  /** When the requests of the last second left, the endpoint with the earliest last one first. */
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
      // Time when enough have left the window that one more has room; those that have not left yet stay in it.
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
