/** Limits the calls to one company in an ERP for all runs and tests in this process. */
export interface CompanyLimit {
  /** Calls the ERP as soon as fewer calls to the company are in progress than its limit allows. */
  during<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T>;
  /** Delays further calls to a company in an ERP, because the ERP requested a pause. */
  pause(ms: number): void;
  /** Returns the remaining delay of calls to a company in an ERP in milliseconds, or 0. */
  pauseMs(): number;
}

/** Number of companies in memory above which companies without calls to their ERP and without a delay are removed. */
const IDLE_MAX = 10_000;

interface State {
  active: number;
  readonly waiting: (() => void)[];
  pausedUntil: number;
}

export function companyLimits(now: () => number = () => performance.now()): {
  of(company: string, concurrency: number): CompanyLimit;
} {
  const states = new Map<string, State>();
  const forgetIdle = (): void => {
    for (const [company, { active, waiting, pausedUntil }] of states) {
      if (states.size <= IDLE_MAX) return;
      if (active === 0 && waiting.length === 0 && pausedUntil <= now()) states.delete(company);
    }
  };
  return {
    of(company, concurrency) {
      let state = states.get(company);
      if (state === undefined) {
        state = { active: 0, waiting: [], pausedUntil: 0 };
        states.set(company, state);
        forgetIdle();
      }
      const own = state;
      return {
        async during(signal, call) {
          signal.throwIfAborted();
          while (own.active >= concurrency) await turn(own, signal);
          own.active++;
          try {
            return await call();
          } finally {
            own.active--;
            own.waiting.shift()?.();
          }
        },
        pause(ms) {
          own.pausedUntil = Math.max(own.pausedUntil, now() + ms);
        },
        pauseMs: () => Math.max(0, Math.ceil(own.pausedUntil - now())),
      };
    },
  };
}

/**
 * Resolves when another call to the same company in an ERP has completed. Rejects when the signal of the caller is
 * aborted.
 */
function turn({ waiting }: State, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(go), 1);
      reject(signal.reason as Error);
    };
    waiting.push(go);
    signal.addEventListener('abort', leave, { once: true });
  });
}
