import type { Operation } from './classify-answer.js';

/** Number of KSeF calls that are allowed within a second, a minute and an hour. */
export type WindowLimits = readonly [perSecond: number, perMinute: number, perHour: number];
export type LimitGroup =
  | 'AUTHENTICATION'
  | 'OPEN'
  | 'SEND'
  | 'CLOSE'
  | 'INVOICE'
  | 'INVOICES'
  | 'READ'
  | 'SESSIONS'
  | 'METADATA'
  | 'EXPORT'
  | 'EXPORT_STATUS'
  | 'DOWNLOAD'
  | 'OTHER';

/** Published limits of KSeF 2.8 (KSeF reference, sections 7 and 19). */
export const PUBLISHED_LIMITS: Readonly<Record<LimitGroup, WindowLimits>> = {
  AUTHENTICATION: [60, Infinity, Infinity],
  OPEN: [10, 30, 120],
  SEND: [10, 30, 180],
  CLOSE: [20, 60, 240],
  INVOICE: [30, 120, 1_200],
  INVOICES: [10, 20, 200],
  READ: [10, 120, 1_200],
  SESSIONS: [5, 10, 60],
  METADATA: [8, 16, 20],
  EXPORT: [8, 16, 20],
  EXPORT_STATUS: [10, 60, 600],
  DOWNLOAD: [8, 16, 64],
  OTHER: [10, 30, 120],
};
const GROUPS: Readonly<Record<string, LimitGroup>> = {
  S1: 'OPEN',
  S2: 'SEND',
  S3: 'INVOICE',
  S4: 'INVOICES',
  S5: 'CLOSE',
  S6: 'READ',
  S7: 'READ',
  S8: 'READ',
  S9: 'SESSIONS',
  S10: 'METADATA',
  R1: 'EXPORT',
  R2: 'EXPORT_STATUS',
  R5: 'DOWNLOAD',
  LIMITS: 'OTHER',
};

/** Lengths of the sliding windows in which KSeF counts calls, in milliseconds, shortest first. */
export const WINDOWS_MS: readonly [number, number, number] = [1_000, 60_000, 3_600_000];
/**
 * Number of parts into which the windows of a minute and of an hour are divided. When the KSeF calls of a part no
 * longer count in a shorter window, they are combined into one entry.
 */
const PARTS_OF_WINDOW = 60;
/**
 * Time to wait before another KSeF call if the wait depends on calls in progress, whose time of completion is unknown.
 */
const UNDER_WAY_WAIT_MS = 100;

/**
 * The calls to KSeF, made by all replicas, that count towards the same KSeF limit. It is not known when KSeF counted a
 * call before the call completed. A call therefore counts until a whole window has passed since its completion. Times
 * are milliseconds of the database clock.
 */
export interface CallCount {
  /** Groups of completed KSeF calls, oldest first. */
  readonly ended: readonly EndedCalls[];
  readonly underWay: readonly CallsUnderWay[];
}

export interface EndedCalls {
  /** Time at which the last KSeF call of the group completed. */
  readonly atMs: number;
  readonly calls: number;
}

/** Calls of one replica to KSeF that are in progress. If the replica dies, they count as completed at `endsAtMs`. */
export interface CallsUnderWay {
  readonly replica: string;
  readonly calls: number;
  /** Time at which the KSeF calls in progress have certainly completed. */
  readonly endsAtMs: number;
}

export const NO_CALLS: CallCount = { ended: [], underWay: [] };

export function groupOf(operation: Operation): LimitGroup {
  return GROUPS[operation] ?? 'AUTHENTICATION';
}

/**
 * Records the completed KSeF calls of a replica and the number of its calls in progress. Calls that have left every
 * window are dropped.
 */
export function counted(
  count: CallCount,
  own: {
    readonly replica: string;
    readonly endedAtMs: readonly number[];
    readonly underWay: Omit<CallsUnderWay, 'replica'>;
  },
  nowMs: number,
  windowsMs: readonly [number, number, number] = WINDOWS_MS,
): CallCount {
  const others = count.underWay.filter(({ replica }) => replica !== own.replica);
  const lost = others.filter(({ endsAtMs }) => endsAtMs <= nowMs);
  const ended = [
    ...count.ended,
    ...lost.map(({ endsAtMs: atMs, calls }) => ({ atMs, calls })),
    ...own.endedAtMs.map((atMs) => ({ atMs, calls: 1 })),
  ];
  return {
    ended: compacted(ended, nowMs, windowsMs),
    underWay: [
      ...others.filter(({ endsAtMs }) => endsAtMs > nowMs),
      ...(own.underWay.calls === 0 ? [] : [{ replica: own.replica, ...own.underWay }]),
    ],
  };
}

/**
 * Computes the waiting time before the next KSeF call.
 * @param limits limits from {@link limitsInForce}
 * @returns milliseconds until one more call is within the limits; 0 if another call can be made now
 */
export function waitForCall(
  { ended, underWay }: CallCount,
  limits: WindowLimits,
  nowMs: number,
  windowsMs: readonly [number, number, number] = WINDOWS_MS,
): number {
  const running = underWay.reduce((sum, { calls }) => sum + calls, 0);
  let waitMs = 0;
  for (const [index, windowMs] of windowsMs.entries()) {
    const most = limits[index] ?? Infinity;
    const within = ended.filter(({ atMs }) => atMs > nowMs - windowMs);
    // Number of counted KSeF calls that must leave the time window before another call is allowed. Calls in progress
    // are included, although it is not known when they will leave the window.
    let surplus = running + within.reduce((sum, { calls }) => sum + calls, 0) - most + 1;
    if (surplus <= 0) continue;
    let leavesMs = 0;
    for (const { atMs, calls } of within) {
      surplus -= calls;
      leavesMs = atMs + windowMs - nowMs;
      if (surplus <= 0) break;
    }
    waitMs = Math.max(waitMs, surplus > 0 ? Math.min(windowMs, UNDER_WAY_WAIT_MS) : leavesMs);
  }
  return waitMs;
}

/** Returns the share of the call limits of KSeF that is used, in the time window with the largest share. */
export function usedShare(
  { ended, underWay }: CallCount,
  limits: WindowLimits,
  nowMs: number,
  windowsMs: readonly [number, number, number] = WINDOWS_MS,
): number {
  const running = underWay.reduce((sum, { calls }) => sum + calls, 0);
  const shares = windowsMs.map((windowMs, index) => {
    const within = ended.filter(({ atMs }) => atMs > nowMs - windowMs);
    return (running + within.reduce((sum, { calls }) => sum + calls, 0)) / (limits[index] ?? Infinity);
  });
  return Math.max(...shares);
}

/**
 * Returns the limits that calls to KSeF must respect. Without a factor, these are the limits that KSeF states, or the
 * published limits if KSeF states none. With a factor, these are the published limits times the factor, but never more
 * than the limits that KSeF states.
 */
export function limitsInForce(
  group: LimitGroup,
  { stated, factor }: { readonly stated: WindowLimits | undefined; readonly factor: number | undefined },
): WindowLimits {
  if (stated !== undefined && factor === undefined) return stated;
  const own = multiplied(PUBLISHED_LIMITS[group], factor ?? 1);
  if (stated === undefined) return own;
  return [Math.min(own[0], stated[0]), Math.min(own[1], stated[1]), Math.min(own[2], stated[2])];
}

/** Multiplies the call limits of KSeF by a factor. At least one call is always possible. */
function multiplied([perSecond, perMinute, perHour]: WindowLimits, factor: number): WindowLimits {
  const most = (calls: number): number => Math.max(1, Math.floor(calls * factor));
  return [most(perSecond), most(perMinute), most(perHour)];
}

/**
 * Combines completed KSeF calls that are no longer recent, and rounds their times up. The list then has at most as many
 * entries as the time windows have parts.
 */
function compacted(
  ended: readonly EndedCalls[],
  nowMs: number,
  [shortMs, middleMs, longMs]: readonly [number, number, number],
): readonly EndedCalls[] {
  // The time of a KSeF call is rounded up only if the rounded time does not fall into a shorter window that the call
  // has already left.
  const middlePartMs = middleMs / PARTS_OF_WINDOW;
  const longPartMs = longMs / PARTS_OF_WINDOW;
  const partOf = (ageMs: number): number => {
    if (ageMs >= middleMs + longPartMs) return longPartMs;
    return ageMs >= shortMs + middlePartMs ? middlePartMs : 0;
  };
  const calls = new Map<number, number>();
  for (const { atMs, calls: number } of ended) {
    if (nowMs - atMs >= longMs) continue;
    const partMs = partOf(nowMs - atMs);
    const roundedMs = partMs === 0 ? atMs : Math.ceil(atMs / partMs) * partMs;
    calls.set(roundedMs, (calls.get(roundedMs) ?? 0) + number);
  }
  return [...calls].map(([atMs, number]) => ({ atMs, calls: number })).sort((one, other) => one.atMs - other.atMs);
}
