import { randomUUID } from 'node:crypto';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import {
  counted,
  groupOf,
  limitsInForce,
  NO_CALLS,
  usedShare,
  waitForCall,
  WINDOWS_MS,
} from '../domain/call-limits.js';
import type { CallCount, LimitGroup, WindowLimits } from '../domain/call-limits.js';
import type { Operation } from '../domain/classify-answer.js';
import { limitUsed } from '../telemetry.js';

/**
 * The recorded calls to KSeF of all replicas that KSeF counts together: those for one taxpayer, or those from one IP
 * address.
 */
export interface CallScope {
  readonly counts: Readonly<Partial<Record<LimitGroup, CallCount>>>;
  readonly blocks: readonly Block[];
  /** Time when the current call limits were last read from KSeF, or 0 if they were never read. */
  readonly limitsReadAtMs: number;
  readonly limits: StatedLimits;
}

export interface Block {
  readonly operation: Operation | 'EVERY';
  readonly untilMs: number;
}

/** Call limits that KSeF states for a taxpayer. If a limit is missing, the published value applies. */
export interface StatedLimits {
  readonly calls?: Readonly<Partial<Record<LimitGroup, WindowLimits>>>;
  readonly invoiceBytesMax?: number;
  readonly invoicesOfSessionMax?: number;
}

export interface StoredScope {
  /** Version of the stored record of counted KSeF calls, which every change increases. It is 0 if nothing is stored. */
  readonly version: number;
  readonly scope: CallScope;
}

/** Store of the counts of KSeF calls, which all replicas use. */
export interface CallScopeStore {
  find(id: string): Promise<StoredScope | undefined>;
  /**
   * Stores the record of counted KSeF calls that follows `version`. Returns false if another replica has already stored
   * a record after that version.
   */
  replace(id: string, next: StoredScope & { readonly expiresAt: Date }): Promise<boolean>;
}

export interface LimitSubject {
  readonly environment: string;
  /** NIP of the taxpayer for whom KSeF is called. Empty for calls without a taxpayer. */
  readonly contextNip: string;
  readonly operation: Operation;
}

/** A call to KSeF that is in progress and counts towards the call limits. */
export interface CountedCall {
  end(): void;
}

export interface CallLimitsDeps {
  readonly store: CallScopeStore;
  /** Factor applied to the published call limits of KSeF. If undefined, the limits that KSeF states apply. */
  readonly factor: number | undefined;
  /** Time limit of one call to KSeF in milliseconds. */
  readonly requestMs: number;
  /** Database clock for counting KSeF calls, which is the same for all replicas to within a few milliseconds. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly windowsMs?: readonly [number, number, number];
}

/** Maximum difference between the clocks of two replicas that count calls to KSeF. */
const CLOCK_MARGIN_MS = 50;
/** Maximum delay in milliseconds before the completion of a KSeF call is stored. The next call stores it earlier. */
const ENDS_STORED_MS_MAX = 250;
/**
 * Maximum number of times that another replica may prevent this one from storing a counted KSeF call. After that, calls
 * are postponed.
 */
const CONFLICTS_MAX = 20;
const CONFLICT_WAIT_MS = 100;
/**
 * Maximum number of KSeF contexts (taxpayers) whose call counts are in memory. The counts that were not used for the
 * longest time are removed from memory.
 */
const SCOPES_MAX = 20_000;
/** Interval at which the current call limits of a taxpayer are read from KSeF again. */
const READ_EACH_MS = 3_600_000;
/** Time after which the record of counted KSeF calls is removed if no call was made. */
const SCOPE_KEPT_MS = 24 * 3_600_000;
const EMPTY: CallScope = { counts: {}, blocks: [], limitsReadAtMs: 0, limits: {} };

/**
 * Keeps the calls of all replicas within the limits of KSeF. KSeF counts the calls for one taxpayer in sliding windows,
 * and authentication calls by IP address (ADR 0098).
 */
export class CallLimits {
  readonly #deps: CallLimitsDeps;
  readonly #replica = randomUUID();
  readonly #ledgers = new Map<string, ScopeLedger>();

  constructor(deps: CallLimitsDeps) {
    this.#deps = deps;
  }

  /**
   * Requests permission to make a call to KSeF.
   * @returns the call, or the time to wait before the next request
   */
  async take(subject: LimitSubject): Promise<CountedCall | { readonly waitMs: number }> {
    const group = groupOf(subject.operation);
    const context = this.#ledgerOf(subject);
    if (group !== 'AUTHENTICATION') return context.take(group, subject.operation);
    // A login to KSeF also waits while KSeF has paused the calls for its taxpayer. The additional read is acceptable,
    // because logins are rare: a login remains valid for days.
    const blockedMs = await context.blockedMs(subject.operation);
    if (blockedMs > 0) return { waitMs: blockedMs };
    return this.#ledger(`${subject.environment}:address`).take(group, subject.operation);
  }

  /**
   * Records that KSeF asked for a pause in the calls of an operation for a taxpayer. Until the pause is over, the
   * operation is not called for this taxpayer. If the operation is `EVERY`, no operation is called.
   */
  async block(subject: Omit<LimitSubject, 'operation'>, operation: Block['operation'], ms: number): Promise<void> {
    const untilMs = this.#deps.clock.now().getTime() + ms;
    await this.#ledgerOf(subject).change((scope) => ({
      ...scope,
      blocks: [
        ...scope.blocks.filter((known) => known.operation !== operation || known.untilMs > untilMs),
        { operation, untilMs },
      ],
    }));
  }

  /**
   * Checks whether the current call limits of KSeF for a NIP are due to be read. The limits are read once an hour, even
   * if reading them failed.
   */
  async isDue(subject: Omit<LimitSubject, 'operation'>): Promise<boolean> {
    const ledger = this.#ledgerOf(subject);
    const { limitsReadAtMs } = await ledger.read();
    const nowMs = this.#deps.clock.now().getTime();
    if (nowMs - limitsReadAtMs < READ_EACH_MS) return false;
    await ledger.change((scope) => ({ ...scope, limitsReadAtMs: nowMs }));
    return true;
  }

  /** Returns the limits that KSeF has stated for the calls of a context (a taxpayer). */
  async statedFor(subject: Omit<LimitSubject, 'operation'>): Promise<StatedLimits> {
    return (await this.#ledgerOf(subject).read()).limits;
  }

  /** Stores the call limits that KSeF states for a context (a taxpayer). */
  async state(subject: Omit<LimitSubject, 'operation'>, limits: StatedLimits): Promise<void> {
    await this.#ledgerOf(subject).change((scope) => ({ ...scope, limits: { ...scope.limits, ...limits } }));
  }

  /** Stores the completed calls to KSeF that are not stored yet. */
  async close(): Promise<void> {
    await Promise.all([...this.#ledgers.values()].map((ledger) => ledger.close()));
  }

  #ledgerOf({ environment, contextNip }: Omit<LimitSubject, 'operation'>): ScopeLedger {
    return this.#ledger(`${environment}:${contextNip}`);
  }

  #ledger(id: string): ScopeLedger {
    const ledger = this.#ledgers.get(id) ?? new ScopeLedger(id, this.#replica, this.#deps);
    this.#ledgers.delete(id);
    this.#ledgers.set(id, ledger);
    if (this.#ledgers.size > SCOPES_MAX) {
      const idle = [...this.#ledgers].find(([, one]) => one !== ledger && one.isIdle);
      if (idle !== undefined) this.#ledgers.delete(idle[0]);
    }
    return ledger;
  }
}

interface WantedCall {
  readonly group: LimitGroup;
  readonly operation: Operation;
  answer(taken: CountedCall | { readonly waitMs: number }): void;
  fail(error: unknown): void;
}

interface RunningCall {
  readonly endsAtMs: number;
}

interface EndedCall {
  readonly group: LimitGroup;
  readonly atMs: number;
}

type Change = (scope: CallScope) => CallScope;

/** Changes to the record of counted KSeF calls that are stored together in one write. */
interface Batch {
  readonly wanted: readonly WantedCall[];
  /** Completed KSeF calls to store. More calls are added until the write begins. */
  readonly ended: EndedCall[];
  readonly changes: readonly Change[];
}

/**
 * Counts the KSeF calls that one replica makes for one taxpayer, or from one IP address. Concurrent changes are stored
 * together, with one write at a time.
 */
class ScopeLedger {
  readonly #id: string;
  readonly #replica: string;
  readonly #deps: CallLimitsDeps;
  readonly #running = new Map<LimitGroup, Set<RunningCall>>();
  #known: StoredScope | undefined;
  #wanted: WantedCall[] = [];
  #ended: EndedCall[] = [];
  #changes: Change[] = [];
  #storing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, replica: string, deps: CallLimitsDeps) {
    this.#id = id;
    this.#replica = replica;
    this.#deps = deps;
  }

  get isIdle(): boolean {
    const isQuiet = this.#storing === undefined && this.#ended.length === 0 && this.#changes.length === 0;
    return isQuiet && [...this.#running.values()].every(({ size }) => size === 0);
  }

  take(group: LimitGroup, operation: Operation): Promise<CountedCall | { readonly waitMs: number }> {
    return new Promise((answer, fail) => {
      this.#wanted.push({ group, operation, answer, fail });
      void this.#store();
    });
  }

  /**
   * Applies a change to the stored record of counted KSeF calls, and repeats the change whenever another replica stores
   * first. If the database fails, the change is kept for later.
   */
  async change(change: Change): Promise<void> {
    this.#changes.push(change);
    await this.#store();
  }

  /** Returns the record of counted KSeF calls as this replica last stored it, or reads the record from the store. */
  async read(): Promise<CallScope> {
    this.#known ??= await this.#find();
    return this.#known.scope;
  }

  async blockedMs(operation: Operation): Promise<number> {
    this.#known = await this.#find();
    const scope = this.#changes.reduce((changed, change) => change(changed), this.#known.scope);
    return blockedMs(scope, operation, this.#deps.clock.now().getTime());
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#ended.length > 0 || this.#changes.length > 0) await this.#store();
  }

  async #find(): Promise<StoredScope> {
    return (await this.#deps.store.find(this.#id)) ?? { version: 0, scope: EMPTY };
  }

  /** Resolves when the current changes to the KSeF call counts have been stored or storing them has failed. */
  #store(): Promise<void> {
    this.#storing ??= this.#storeAll();
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    do {
      const batch = { wanted: this.#wanted, ended: this.#ended, changes: this.#changes };
      [this.#wanted, this.#ended, this.#changes] = [[], [], []];
      clearTimeout(this.#timer);
      this.#timer = undefined;
      const isStored = await this.#storeOnce(batch);
      if (isStored) continue;
      // If storing completed KSeF calls failed, they are stored with the next call or after a pause, so that no call is
      // lost.
      this.#ended.unshift(...batch.ended);
      this.#changes.unshift(...batch.changes);
      this.#storeLater();
      break;
    } while (this.#wanted.length > 0 || this.#changes.length > 0);
    // No other code runs between the check of the loop and this assignment. Calls that are requested later therefore
    // start another write, and no KSeF call count is left unstored.
    this.#storing = undefined;
    if (this.#wanted.length > 0) void this.#store();
  }

  /**
   * Makes one attempt to store a batch of counted KSeF calls.
   * @returns false if the database failed, or if another replica stored the record first in every try
   */
  async #storeOnce(batch: Batch): Promise<boolean> {
    try {
      for (let tries = 1; tries <= CONFLICTS_MAX; tries++) {
        if (await this.#replace(batch)) return true;
      }
      for (const { answer } of batch.wanted) answer({ waitMs: CONFLICT_WAIT_MS });
    } catch (error) {
      for (const { fail } of batch.wanted) fail(error);
      this.#deps.logger.warn({ error }, 'KSeF calls could not be counted; the count is retried later');
    }
    return false;
  }

  async #replace(batch: Batch): Promise<boolean> {
    const { store, clock, requestMs } = this.#deps;
    const { version, scope } = (this.#known ??= await this.#find());
    // KSeF calls that have completed in the meantime are stored together with this change.
    batch.ended.push(...this.#ended.splice(0));
    const nowMs = clock.now().getTime();
    const endsAtMs = nowMs + requestMs + CLOCK_MARGIN_MS;
    const { next, waits } = this.#decide(scope, batch, { nowMs, endsAtMs });
    const lastBlockMs = Math.max(nowMs, ...next.blocks.map(({ untilMs }) => untilMs));
    const expiresAt = new Date(lastBlockMs + SCOPE_KEPT_MS);
    const isFirst = await store.replace(this.#id, { version, scope: next, expiresAt });
    this.#known = isFirst ? { version: version + 1, scope: next } : undefined;
    if (!isFirst) return false;
    for (const [index, { group, answer }] of batch.wanted.entries()) {
      const waitMs = waits[index] ?? 0;
      answer(waitMs > 0 ? { waitMs } : this.#begin(group, endsAtMs));
    }
    return true;
  }

  /** Computes the call counts to store and the wait for each requested call to KSeF. */
  #decide(
    scope: CallScope,
    { wanted, ended, changes }: Batch,
    { nowMs, endsAtMs }: { readonly nowMs: number; readonly endsAtMs: number },
  ): { readonly next: CallScope; readonly waits: readonly number[] } {
    const { factor, windowsMs = WINDOWS_MS } = this.#deps;
    const changed = changes.reduce((before, change) => change(before), scope);
    const counts: Partial<Record<LimitGroup, CallCount>> = { ...changed.counts };
    const note = (group: LimitGroup, endedAtMs: readonly number[], begun: number): CallCount => {
      const running = [...(this.#running.get(group) ?? [])];
      const underWay = {
        calls: running.length + begun,
        endsAtMs: Math.max(...running.map((call) => call.endsAtMs), begun > 0 ? endsAtMs : 0),
      };
      const next = counted(
        counts[group] ?? NO_CALLS,
        { replica: this.#replica, endedAtMs, underWay },
        nowMs,
        windowsMs,
      );
      counts[group] = next;
      return next;
    };
    const begun = new Map<LimitGroup, number>();
    for (const group of new Set([...ended, ...wanted].map((one) => one.group))) {
      note(
        group,
        ended.filter((one) => one.group === group).map(({ atMs }) => atMs),
        0,
      );
    }
    const waits = wanted.map(({ group, operation }) => {
      const waitMs = blockedMs(changed, operation, nowMs);
      if (waitMs > 0) return waitMs;
      const limits = limitsInForce(group, { stated: changed.limits.calls?.[group], factor });
      const limitedMs = waitForCall(counts[group] ?? NO_CALLS, limits, nowMs, windowsMs);
      if (limitedMs > 0) return limitedMs;
      begun.set(group, (begun.get(group) ?? 0) + 1);
      limitUsed(group, usedShare(note(group, [], begun.get(group) ?? 0), limits, nowMs, windowsMs));
      return 0;
    });
    const next = { ...changed, counts, blocks: changed.blocks.filter(({ untilMs }) => untilMs > nowMs) };
    return { next, waits };
  }

  #begin(group: LimitGroup, endsAtMs: number): CountedCall {
    const call = { endsAtMs };
    const running = this.#running.get(group) ?? new Set();
    this.#running.set(group, running.add(call));
    return {
      end: () => {
        if (!running.delete(call)) return;
        this.#ended.push({ group, atMs: this.#deps.clock.now().getTime() + CLOCK_MARGIN_MS });
        this.#storeLater();
      },
    };
  }

  #storeLater(): void {
    this.#timer ??= setTimeout(() => void this.#store(), ENDS_STORED_MS_MAX);
    this.#timer.unref();
  }
}

function blockedMs({ blocks }: CallScope, wanted: Operation, nowMs: number): number {
  const applying = blocks.filter(({ operation }) => operation === 'EVERY' || operation === wanted);
  return Math.max(0, ...applying.map(({ untilMs }) => untilMs - nowMs));
}
