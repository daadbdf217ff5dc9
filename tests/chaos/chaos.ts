// Performs a chaos run: it puts the system under load, causes one round of faults after the other, and then audits the
// records.
import { setTimeout as delay } from 'node:timers/promises';
import { percentilesOf } from '../bench/percentiles.js';
import { sampleInvoice } from '../e2e/crash/sample-invoices.js';
import { audit, auditUsage, counts } from './audit.js';
import type { Breach, Count } from './audit.js';
import { openBooks } from './books.js';
import type { Books } from './books.js';
import { startLoad } from './clients.js';
import { inflict } from './faults.js';
import { openLedger } from './ledger.js';
import type { InvoiceEntry, Ledger, LedgerBooks } from './ledger.js';
import { growthOf, sampleOf } from './growth.js';
import type { Growth, Sample } from './growth.js';
import { addedTo, backlogOf } from './outages.js';
import type { Backlog, Outage } from './outages.js';
import { describeFault } from './plan.js';
import type { Round } from './plan.js';
import { startChaosSystem } from './system.js';
import type { ChaosSystem } from './system.js';
import { auditWebhooks } from './webhook-audit.js';
import type { WebhookBooks } from './webhook-audit.js';
import { isSteady, startChaosWebhooks } from './webhooks.js';

export interface ChaosOptions {
  readonly seed: number;
  readonly rounds: readonly Round[];
  readonly replicas: number;
  /** Directory for the data and the logs of the chaos run. */
  readonly directory: string;
  /** Time from the end of the load of a chaos run until started work must be finished. */
  readonly graceMs: number;
  /** Time from the end of the load of a chaos run until the usage counters must be correct. */
  readonly usageGraceMs: number;
  readonly tenants: number;
  readonly rowsMax: number;
  /** Number of clients of each organization that post invoices in the chaos run; 2 by default. */
  readonly clients?: number;
  /** Minimum time between the starts of two rounds of a chaos run. By default, rounds follow each other at once. */
  readonly everyMs?: number;
  /** Function that receives a line of text whenever a step of the chaos run begins. */
  readonly step: (line: string) => void;
  /** Function that receives a line of text whenever a step of the chaos run is completed. */
  readonly say: (line: string) => void;
}

/** Times from the end of the last fault of a chaos round to the first successful request, in milliseconds. */
interface Recovery {
  readonly fault: string;
  /** Time until the service that the chaos run killed serves requests again. */
  readonly startedMs: number;
  readonly readMs: number;
  readonly writeMs: number;
}

export interface ChaosReport {
  readonly seed: number;
  readonly replicas: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly counts: Readonly<Record<Count, number>>;
  readonly breaches: readonly Breach[];
  /** Processes that ended although the test did not kill them. */
  readonly ended: readonly string[];
  readonly recoveries: readonly RecoveryRow[];
  readonly sent: Readonly<Record<string, number>>;
  readonly stored: Readonly<Record<string, number>>;
  /** Number of responses that clients got, by HTTP status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Times from the end of the load of a chaos run until no work was left, and until every counter was right. */
  readonly quietAfterMs: number;
  readonly countersRightAfterMs: number;
  /** Outages of the broker, one entry for each round with a `broker-outage`. */
  readonly outages: readonly OutageRow[];
  /** Memory growth of the processes of the services. */
  readonly growth: readonly Growth[];
  /** For each round, the number of expired delivery claims that no process had taken over within a minute. */
  readonly lapsedClaims: readonly number[];
}

export interface OutageRow extends Outage, Backlog {}

interface RecoveryRow {
  readonly fault: string;
  readonly rounds: number;
  /**
   * Time from the end of a fault until the process that the chaos run killed has started again. The other recovery
   * times include this time.
   */
  readonly started: Spread;
  readonly read: Spread;
  readonly write: Spread;
}

interface Spread {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** The report of a chaos run, with the records that its audit compares. */
export interface ChaosResult {
  readonly report: ChaosReport;
  readonly books: Books;
  readonly ledger: LedgerBooks;
  readonly webhooks: WebhookBooks;
}

const load = { pauseMs: 300, scanPauseMs: 3_000 } as const;
const CLIENTS = 2;
/**
 * Number of responses that must arrive between two rounds of a chaos run. Without them, the second round would
 * interrupt no work.
 */
const ANSWERS_BETWEEN = 10;
const REACHED_MS_MAX = 180_000;
const PROBE_PAUSE_MS = 50;
const POLL_EACH_MS = 1_000;
/**
 * Maximum time between two completed deliveries while some are pending, because a process may be paused or a lease may
 * have to expire.
 */
const PROGRESS_MS_MAX = 120_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const {
    seed,
    rounds,
    replicas,
    directory,
    graceMs,
    usageGraceMs,
    clients = CLIENTS,
    everyMs = 0,
    step,
    say,
  } = options;
  const beganAtMs = performance.now();
  const system = await startChaosSystem({ directory, replicas });
  const closing: (() => unknown)[] = [() => system.stop()];
  try {
    const names = Array.from({ length: options.tenants }, (_, number) => `Organization ${number + 1}`);
    const tenants = await Promise.all(names.map((name) => system.newTenant(name)));
    const probing = await system.newTenant('Probe');
    const ledger = openLedger(system.baseUrl);
    closing.push(() => ledger.close());
    const probe = probeOf(ledger, probing);
    await probe.untilWritten();
    const reader = await openBooks(system);
    closing.push(() => reader.close());
    const receivers = await startChaosWebhooks({
      seed,
      tenants,
      baseUrl: system.baseUrl,
      mongodbUrl: system.mongodbUrl,
    });
    closing.push(() => receivers.stop());
    const running = startLoad(ledger, { seed, tenants, rowsMax: options.rowsMax, clients, ...load });
    closing.push(() => running.stop());

    const recoveries: Recovery[] = [];
    const unrecovered: Breach[] = [];
    const outages: Outage[] = [];
    const samples: Sample[] = [];
    const lapsed: number[] = [];
    let nextAtMs = performance.now();
    for (const round of rounds) {
      await answersOf(ledger, ANSWERS_BETWEEN);
      await delay(Math.max(0, nextAtMs - performance.now()));
      nextAtMs = performance.now() + everyMs;
      step(`round ${round.number} of ${rounds.length}: ${round.faults.map(describeFault).join(' and ')}`);
      const before = { beganAtMs: Date.now(), statuses: new Map(ledger.statuses) };
      const lifted = await Promise.all(round.faults.map((fault) => inflict(system, fault)));
      const liftedAtMs = Math.max(...lifted.map(({ atMs }) => atMs));
      if (round.faults.some(({ kind }) => kind === 'broker-outage')) {
        const answers = addedTo(ledger.statuses, before.statuses);
        await Promise.all(lifted.map(({ restored }) => restored));
        outages.push({ beganAtMs: before.beganAtMs, returnedAtMs: Date.now(), answers });
      }
      const [readAtMs, writtenAtMs, startedAtMs] = await Promise.all([
        probe.untilRead(),
        probe.untilWritten(),
        Promise.all(lifted.map(({ restored }) => restored)).then(() => performance.now()),
      ]);
      const recovery: Recovery = {
        fault: round.faults.length > 1 ? 'two faults' : (round.faults[0]?.kind ?? ''),
        startedMs: startedAtMs - liftedAtMs,
        readMs: readAtMs - liftedAtMs,
        writeMs: writtenAtMs - liftedAtMs,
      };
      recoveries.push(recovery);
      if (!Number.isFinite(recovery.readMs + recovery.writeMs)) {
        unrecovered.push({ count: 'stuck', sentence: `round ${round.number} was not recovered from` });
      }
      say(`  read after ${inSeconds(recovery.readMs)}, written after ${inSeconds(recovery.writeMs)}`);
      samples.push(...(await samplesOf(system, round.number)));
      lapsed.push(await receivers.lapsedClaims());
    }
    step('the load ends');
    const endedAtMs = performance.now();
    running.stop();
    const closer = setTimeout(() => ledger.close(), graceMs);
    await running.finished();
    clearTimeout(closer);
    step('waiting until no work is left');
    receivers.heal();
    let pendingBefore = Number.POSITIVE_INFINITY;
    let untilMs = endedAtMs + graceMs;
    const unfinished = async () => {
      const pending = await receivers.pending();
      // On a busy machine, sending deliveries may take longer than the grace period, so the time limit is extended
      // while the number of pending deliveries falls. The number is compared with that of the last poll and not with
      // the number at the start, because the deliveries of an outage are added only after the outage.
      if (pending < pendingBefore) untilMs = Math.max(untilMs, performance.now() + PROGRESS_MS_MAX);
      pendingBefore = pending;
      return [...(await reader.unfinished()), ...(pending === 0 ? [] : [`${pending} deliveries are PENDING`])];
    };
    const left = await untilNone(unfinished, () => untilMs);
    const quietAfterMs = left.length === 0 ? performance.now() - endedAtMs : Number.POSITIVE_INFINITY;
    step('waiting until the counters of usage are right');
    const off = await untilNone(
      async () => auditUsage(await reader.counters()),
      () => endedAtMs + usageGraceMs,
    );
    const countersRightAfterMs = off.length === 0 ? performance.now() - endedAtMs : Number.POSITIVE_INFINITY;
    await untilNone(unfinished, () => untilMs);
    step('auditing');
    const books = await reader.read();
    const webhooks = await receivers.read(books.events);
    const breaches = [...unrecovered, ...audit(books, ledger.books), ...auditWebhooks(webhooks)];
    const report: ChaosReport = {
      seed,
      replicas,
      rounds: rounds.length,
      durationMs: performance.now() - beganAtMs,
      counts: countsOf(breaches),
      breaches,
      ended: system.ended,
      recoveries: rowsOf(recoveries),
      sent: sentOf(ledger.books),
      stored: {
        invoices: books.invoices.length,
        findings: books.findings.length,
        scans: books.scans.length,
        'audit lines': books.auditLines.length,
        mails: books.notifications.length,
        events: books.events.length,
        deliveries: webhooks.deliveries.length,
        'requests at receivers': webhooks.arrivals.length,
      },
      answers: Object.fromEntries([...ledger.statuses].toSorted(([left], [right]) => left.localeCompare(right))),
      quietAfterMs,
      countersRightAfterMs,
      outages: outages.map((outage) => ({ ...outage, ...backlogOf(webhooks, outage, isSteady) })),
      growth: growthOf(samples),
      lapsedClaims: lapsed,
    };
    return { report, books, ledger: ledger.books, webhooks };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function samplesOf(system: ChaosSystem, round: number): Promise<Sample[]> {
  const found = await Promise.all(
    system.services.map(async (process) => {
      const { pid } = system.node(process);
      const sample = await sampleOf(pid);
      return pid === undefined || sample === undefined ? [] : [{ round, process, pid, ...sample }];
    }),
  );
  return found.flat();
}

/**
 * Calls the API as a separate client of the chaos run, whose requests do not wait for the requests of other clients.
 * Times are on the clock of `performance.now()`.
 */
function probeOf(ledger: Ledger, tenant: Parameters<Ledger['read']>[0]) {
  const until = async (succeeds: () => Promise<boolean>): Promise<number> => {
    const givenUpAtMs = performance.now() + REACHED_MS_MAX;
    while (performance.now() < givenUpAtMs) {
      if (await succeeds()) return performance.now();
      await delay(PROBE_PAUSE_MS);
    }
    return Number.POSITIVE_INFINITY;
  };
  let written = 0;
  return {
    untilRead: () =>
      until(() =>
        ledger.read(tenant).then(
          () => true,
          () => false,
        ),
      ),
    untilWritten: () =>
      until(async () => {
        const number = `PROBE-${(written += 1)}`;
        const entry: InvoiceEntry = {
          organizationId: tenant.organizationId,
          idempotencyKey: undefined,
          sentAs: number,
          outcome: 'UNKNOWN',
          isRetried: false,
          answers: [],
        };
        const body = sampleInvoice({ supplier: 0, number, amount: 100 + written, sentAs: number });
        return (await ledger.postInvoice(tenant, entry, body)) === 'ACKNOWLEDGED';
      }),
  };
}

/**
 * Waits until the clients of the chaos run have got the given number of further acknowledged invoices, for at most the
 * maximum recovery time.
 */
async function answersOf({ books }: Ledger, more: number): Promise<void> {
  const acknowledged = (): number => books.invoices.filter(({ outcome }) => outcome === 'ACKNOWLEDGED').length;
  const wanted = acknowledged() + more;
  const givenUpAtMs = performance.now() + REACHED_MS_MAX;
  while (acknowledged() < wanted && performance.now() < givenUpAtMs) await delay(PROBE_PAUSE_MS);
}

/** Polls a list of unfinished work until nothing is left or the time limit is reached. @returns the last result */
async function untilNone<T>(ask: () => Promise<readonly T[]>, untilMs: () => number): Promise<readonly T[]> {
  for (;;) {
    const found = await ask();
    if (found.length === 0 || performance.now() > untilMs()) return found;
    await delay(POLL_EACH_MS);
  }
}

function countsOf(breaches: readonly Breach[]): Record<Count, number> {
  const of = (count: Count): number => breaches.filter((breach) => breach.count === count).length;
  return Object.fromEntries(counts.map((count) => [count, of(count)])) as Record<Count, number>;
}

function rowsOf(recoveries: readonly Recovery[]): RecoveryRow[] {
  const faults = [...new Set(recoveries.map(({ fault }) => fault))].toSorted();
  return [...faults, 'all'].map((fault) => {
    const own = recoveries.filter((recovery) => fault === 'all' || recovery.fault === fault);
    return {
      fault,
      rounds: own.length,
      started: spreadOf(own.map(({ startedMs }) => startedMs)),
      read: spreadOf(own.map(({ readMs }) => readMs)),
      write: spreadOf(own.map(({ writeMs }) => writeMs)),
    };
  });
}

function spreadOf(durationsMs: readonly number[]): Spread {
  const { p50Ms: medianMs, p95Ms } = percentilesOf(durationsMs);
  return { medianMs, p95Ms, maxMs: Math.max(...durationsMs) };
}

function sentOf({ invoices, scans, reviews, assignments }: LedgerBooks): Record<string, number> {
  const answers = (entries: LedgerBooks['invoices'] | LedgerBooks['scans']): number =>
    entries.reduce((sum, entry) => sum + entry.answers.length, 0);
  return {
    invoices: invoices.length,
    'of them as documents': invoices.filter(({ upload }) => upload !== undefined).length,
    'acknowledgements of invoices': answers(invoices),
    scans: scans.length,
    rows: scans.reduce((sum, { rows }) => sum + rows.length, 0),
    'acknowledgements of scans': answers(scans),
    reviews: reviews.length,
    assignments: assignments.length,
  };
}

export function inSeconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : 'never';
}
