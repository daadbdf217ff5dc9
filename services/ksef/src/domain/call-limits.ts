import type { Operation } from './classify-answer.js';

/** Calls within a second, a minute and an hour. */
export type WindowLimits = readonly [perSecond: number, perMinute: number, perHour: number];
export type LimitGroup =
  'AUTHENTICATION' | 'OPEN' | 'SEND' | 'CLOSE' | 'INVOICE' | 'INVOICES' | 'READ' | 'SESSIONS' | 'METADATA';

/** Of KSeF 2.8 (KSeF reference, section 7). */
const LIMITS: Readonly<Record<LimitGroup, WindowLimits>> = {
  AUTHENTICATION: [60, Infinity, Infinity],
  OPEN: [10, 30, 120],
  SEND: [10, 30, 180],
  CLOSE: [20, 60, 240],
  INVOICE: [30, 120, 1_200],
  INVOICES: [10, 20, 200],
  READ: [10, 120, 1_200],
  SESSIONS: [5, 10, 60],
  METADATA: [8, 16, 20],
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
  LIMITS: 'READ',
};
const WINDOWS_MS = [1_000, 60_000, 3_600_000] as const;
const LONGEST_MS = 3_600_000;
/** Counted contexts and groups; the one counted longest ago makes room. */
const KEYS_MAX = 20_000;

export interface LimitSubject {
  readonly environment: string;
  readonly contextNip: string;
  readonly operation: Operation;
}

/** A call that is under way. */
export interface CountedCall {
  end(): void;
}

/**
 * Keeps the calls of this process within the limits of KSeF, which counts those of one context in sliding windows, and those of
 * authentication by address. A call counts until its window has passed since its END: KSeF counted it at some time before.
 */
export class CallLimits {
  readonly #factor: number;
  readonly #nowMs: () => number;
  /** The end of each call; Infinity while it is under way. */
  readonly #calls = new Map<string, { endedAtMs: number }[]>();
  readonly #blocked = new Map<string, number>();
  readonly #readAtMs = new Map<string, number>();
  readonly #own = new Map<string, Readonly<Partial<Record<LimitGroup, WindowLimits>>>>();

  constructor({ factor, nowMs }: { readonly factor: number; readonly nowMs: () => number }) {
    this.#factor = factor;
    this.#nowMs = nowMs;
  }

  /** @returns the call, or how long to wait before asking again */
  take(subject: LimitSubject): CountedCall | { readonly waitMs: number } {
    const now = this.#nowMs();
    const blockedMs = (this.#blocked.get(operationKey(subject)) ?? 0) - now;
    if (blockedMs > 0) return { waitMs: blockedMs };
    const group = GROUPS[subject.operation] ?? 'AUTHENTICATION';
    const key = groupKey(subject, group);
    const counted = (this.#calls.get(key) ?? []).filter(({ endedAtMs }) => endedAtMs > now - LONGEST_MS);
    const limits = this.#own.get(contextKey(subject))?.[group] ?? LIMITS[group];
    let waitMs = 0;
    for (const [index, windowMs] of WINDOWS_MS.entries()) {
      const most = Math.max(1, Math.floor((limits[index] ?? Infinity) * this.#factor));
      const within = counted.filter(({ endedAtMs }) => endedAtMs > now - windowMs).map(({ endedAtMs }) => endedAtMs);
      if (within.length < most) continue;
      // So many have to leave the window before one more fits; those under way end at a time that is not known.
      const leaving = within.sort((one, other) => one - other)[within.length - most] ?? now;
      waitMs = Math.max(waitMs, Number.isFinite(leaving) ? leaving + windowMs - now : Math.min(windowMs, 100));
    }
    if (waitMs > 0) {
      store(this.#calls, key, counted);
      return { waitMs };
    }
    const call = { endedAtMs: Infinity };
    store(this.#calls, key, [...counted, call]);
    return {
      end: () => {
        call.endedAtMs = Math.min(call.endedAtMs, this.#nowMs());
      },
    };
  }

  /** KSeF asked to wait: the operation is not called for the whole context. */
  block(subject: LimitSubject, ms: number): void {
    const until = this.#nowMs() + ms;
    const known = this.#blocked.get(operationKey(subject)) ?? 0;
    store(this.#blocked, operationKey(subject), Math.max(known, until));
  }

  /** Whether the limits in force for a context are to be read; once an hour, whatever comes of it. */
  isDue(subject: Omit<LimitSubject, 'operation'>): boolean {
    const now = this.#nowMs();
    if (now - (this.#readAtMs.get(contextKey(subject)) ?? -Infinity) < LONGEST_MS) return false;
    store(this.#readAtMs, contextKey(subject), now);
    return true;
  }

  /** The limits in force for a context, as KSeF states them; a group that is left out keeps the published ones. */
  replace(subject: Omit<LimitSubject, 'operation'>, limits: Readonly<Partial<Record<LimitGroup, WindowLimits>>>): void {
    store(this.#own, contextKey(subject), limits);
  }
}

function store<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= KEYS_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function contextKey({ environment, contextNip }: Omit<LimitSubject, 'operation'>): string {
  return `${environment} ${contextNip}`;
}

function groupKey(subject: LimitSubject, group: LimitGroup): string {
  return group === 'AUTHENTICATION' ? `${subject.environment} ${group}` : `${contextKey(subject)} ${group}`;
}

function operationKey(subject: LimitSubject): string {
  return `${contextKey(subject)} ${subject.operation}`;
}
