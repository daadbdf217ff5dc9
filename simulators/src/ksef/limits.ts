import type { Clock } from '../erp/clock.js';
import type { OperationName } from './operations.js';

interface Limit {
  /** Calls of one group are counted together. */
  readonly group: string;
  /** Calls within a second, a minute and an hour. */
  readonly calls: readonly (readonly [seconds: number, calls: number])[];
}

const authentication: Limit = { group: 'auth', calls: [[1, 60]] };
const read: Limit = { group: 'read', calls: windows(10, 120, 1_200) };
/** The limits of KSeF 2.8 (KSeF reference, section 7). */
const limits: Readonly<Record<OperationName, Limit>> = {
  A1: authentication,
  A2: authentication,
  A3: authentication,
  A4: authentication,
  A5: authentication,
  A6: authentication,
  A7: authentication,
  S1: { group: 'S1', calls: windows(10, 30, 120) },
  S2: { group: 'S2', calls: windows(10, 30, 180) },
  S3: { group: 'S3', calls: windows(30, 120, 1_200) },
  S4: { group: 'S4', calls: windows(10, 20, 200) },
  S5: { group: 'S5', calls: windows(20, 60, 240) },
  S6: read,
  S7: read,
  S8: read,
  S9: { group: 'S9', calls: windows(5, 10, 60) },
  S10: { group: 'S10', calls: windows(8, 16, 20) },
};

/** Counts calls in sliding windows. Refused calls do not count, and windows do not survive a restart. */
export class Limits {
  readonly #clock: Clock;
  readonly #windowFactor: number;
  readonly #calls = new Map<string, number[]>();

  /** @param windowFactor multiplies the second, the minute and the hour */
  constructor(clock: Clock, windowFactor = 1) {
    this.#clock = clock;
    this.#windowFactor = windowFactor;
  }

  /**
   * Counts a call unless it is too many.
   * @param caller the NIP of the context; for authentication the address
   * @param factor multiplies the limits; 0: there are none
   * @returns the seconds to wait, or undefined where the call is within the limits
   */
  take(operation: OperationName, caller: string, factor: number): number | undefined {
    if (factor === 0) return undefined;
    const { group, calls } = limits[operation];
    const key = `${group} ${caller}`;
    const now = this.#clock.now().getTime() / 1_000;
    const longest = (calls.at(-1)?.[0] ?? 0) * this.#windowFactor;
    const counted = (this.#calls.get(key) ?? []).filter((at) => at > now - longest);
    this.#calls.set(key, counted);
    for (const [usual, base] of calls) {
      const seconds = usual * this.#windowFactor;
      const most = Math.max(1, Math.floor(base * factor));
      const oldest = counted.filter((at) => at > now - seconds).at(-most);
      if (oldest !== undefined) return Math.max(1, Math.ceil(oldest + seconds - now));
    }
    counted.push(now);
    return undefined;
  }
}

function windows(second: number, minute: number, hour: number): Limit['calls'] {
  return [
    [1, second],
    [60, minute],
    [3_600, hour],
  ];
}
