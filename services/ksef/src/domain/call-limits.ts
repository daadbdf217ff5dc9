import type { Operation } from './classify-answer.js';

/** Calls within a second, a minute and an hour. */
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
  | 'OTHER';

/** Limits of KSeF 2.8 (KSeF reference, sections 7 and 19). */
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
  LIMITS: 'OTHER',
};

/** The windows of the limits, shortest first. KSeF lets them slide. */
export const WINDOWS_MS: readonly [number, number, number] = [1_000, 60_000, 3_600_000];
/** Calls that left the shorter windows are kept together, so many at most in each of the longer ones. */
const PARTS_OF_WINDOW = 60;
/** A wait for calls under way, whose end is not known. */
const UNDER_WAY_WAIT_MS = 100;

/**
 * Calls of one group, of all replicas. A call counts until its window has passed since its END: KSeF counted it at some time
 * before. Times are milliseconds of the database's clock.
 */
export interface CallCount {
  /** Oldest first. */
  readonly ended: readonly EndedCalls[];
  readonly underWay: readonly CallsUnderWay[];
}

export interface EndedCalls {
  /** The end of the last of them. */
  readonly atMs: number;
  readonly calls: number;
}

/** Calls in progress of one replica. When it dies, its calls count as ended at `endsAtMs`. */
export interface CallsUnderWay {
  readonly replica: string;
  readonly calls: number;
  /** Time by which they have surely ended. */
  readonly endsAtMs: number;
}

export const NO_CALLS: CallCount = { ended: [], underWay: [] };

export function groupOf(operation: Operation): LimitGroup {
  return GROUPS[operation] ?? 'AUTHENTICATION';
}

/** Notes calls of a replica that ended, and how many it has under way; what has left every window is forgotten. */
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
 * @param limits see {@link limitsInForce}
 * @returns how long to wait before one more call is within the limits; 0: it is
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
    // So many have to leave the window before one more fits; those under way end at a time that is not known.
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

/**
 * The limits to keep within: those that KSeF states, else the published ones. A factor multiplies the published ones, and what
 * KSeF states holds besides.
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

/** At least one call is always possible. */
function multiplied([perSecond, perMinute, perHour]: WindowLimits, factor: number): WindowLimits {
  const most = (calls: number): number => Math.max(1, Math.floor(calls * factor));
  return [most(perSecond), most(perMinute), most(perHour)];
}

/** The older calls are, the coarser their times, rounded up: a list as long as windows have parts, however many calls there are. */
function compacted(
  ended: readonly EndedCalls[],
  nowMs: number,
  [shortMs, middleMs, longMs]: readonly [number, number, number],
): readonly EndedCalls[] {
  // Coarse only where rounding up leads into no shorter window.
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
