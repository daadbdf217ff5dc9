import type { Clock } from '../erp/clock.js';
import type { OperationName } from './operations.js';

interface Limit {
  /** Name of the group of KSeF calls that are counted together. */
  readonly group: string;
  /** Maximum numbers of calls to KSeF within a second, a minute and an hour. */
  readonly calls: readonly (readonly [seconds: number, calls: number])[];
}

const authentication: Limit = { group: 'auth', calls: [[1, 60]] };
const read: Limit = { group: 'read', calls: windows(10, 120, 1_200) };
/** Published limits of KSeF 2.8 (KSeF reference, sections 7 and 19). */
const limits: Readonly<Record<OperationName, Limit>> = {
  A1: authentication,
  A2: authentication,
  A3: authentication,
  A4: authentication,
  A5: authentication,
  A6: authentication,
  A7: authentication,
  X1: authentication,
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
  R1: { group: 'R1', calls: windows(8, 16, 20) },
  R2: { group: 'R2', calls: windows(10, 60, 600) },
  // Downloads from pre-signed KSeF addresses are left out, because they have no limits.
  R3: { group: 'R3', calls: [] },
  R5: { group: 'R5', calls: windows(8, 16, 64) },
};

/**
 * Groups of call limits in `GET /rate-limits` of KSeF. Each group has the limits of one simulated call that belongs to
 * it. Groups without a simulated call have the limits of `other`.
 */
const stated = {
  onlineSession: limits.S1,
  onlineSessionClose: limits.S5,
  invoiceSend: limits.S2,
  invoiceStatus: limits.S3,
  sessionInvoiceList: limits.S4,
  sessionMisc: limits.S6,
  sessionList: limits.S9,
  invoiceMetadata: limits.S10,
  invoiceExport: limits.R1,
  invoiceExportStatus: limits.R2,
  invoiceDownload: limits.R5,
};
const other: Limit = { group: 'other', calls: windows(10, 30, 120) };
const notServed = {
  batchSession: other,
  collectiveIdentifier: other,
  other,
};

/** Returns the number of KSeF calls that are allowed in each window, at least one. */
function mostOf({ calls }: Limit, factor: number): readonly (readonly [seconds: number, most: number])[] {
  return calls.map(([seconds, base]) => [seconds, Math.max(1, Math.floor(base * factor))]);
}

/**
 * Returns the current limits of the simulated KSeF as `GET /rate-limits` states them.
 * @param factor limit factor
 */
export function statedLimits(factor: number): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return Object.fromEntries(
    Object.entries({ ...stated, ...notServed }).map(([name, limit]) => {
      const [perSecond, perMinute, perHour] = mostOf(limit, factor).map(([, most]) => most);
      return [name, { perSecond, perMinute, perHour }];
    }),
  ) as Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Limits of interactive and batch KSeF sessions, as `GET /limits/context` states them (KSeF reference, section 7). */
const SESSION_LIMITS = { maxInvoiceSizeInMB: 1, maxInvoiceWithAttachmentSizeInMB: 3, maxInvoices: 10_000 };
export const CONTEXT_LIMITS = { onlineSession: SESSION_LIMITS, batchSession: SESSION_LIMITS };

/**
 * Counts calls to the simulated KSeF in sliding windows. Refused calls are not counted. The counts are lost at a
 * restart.
 */
export class Limits {
  readonly #clock: Clock;
  readonly #windowFactor: number;
  readonly #calls = new Map<string, number[]>();

  /**
   * Creates the counters of KSeF calls for each limit.
   * @param windowFactor factor for the second, the minute and the hour
   */
  constructor(clock: Clock, windowFactor = 1) {
    this.#clock = clock;
    this.#windowFactor = windowFactor;
  }

  /**
   * Counts a KSeF call unless it exceeds a limit.
   * @param caller NIP of the context; the IP address for authentication calls
   * @param factor limit factor; 0 for no limits
   * @returns seconds to wait, or undefined if the call is within the limits
   */
  take(operation: OperationName, caller: string, factor: number): number | undefined {
    if (factor === 0) return undefined;
    const { group, calls } = limits[operation];
    const longest = (calls.at(-1)?.[0] ?? 0) * this.#windowFactor;
    const key = `${group} ${caller}`;
    const now = this.#clock.now().getTime() / 1_000;
    const counted = (this.#calls.get(key) ?? []).filter((at) => at > now - longest);
    this.#calls.set(key, counted);
    for (const [usual, most] of mostOf(limits[operation], factor)) {
      const seconds = usual * this.#windowFactor;
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
