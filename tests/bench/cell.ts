import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf } from './node-process.js';
import type { Load, LoadOrder, LoadProcess } from './load-process.js';

/** Benchmarked processes whose CPU time is measured, by the name of their column. */
export type Watched = Readonly<Record<string, number | undefined>>;

/** Result of one benchmark measurement: what the callers saw, and the CPU time of each process. */
export interface Measured extends Load {
  /** CPU time per benchmarked request in milliseconds, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

const SETTLE_LOOK_EACH_MS = 100;
const SETTLE_MS_MAX = 5_000;
/** CPU time per sample below which a benchmarked process counts as idle. The timers of an idle process use less. */
const IDLE_CPU_MS_MAX = 20;

export async function measure(load: LoadProcess, order: LoadOrder, watched: Watched): Promise<Measured> {
  const before = await cpuOf(watched);
  const seen = await load.run(order);
  const after = await settledCpuOf(watched);
  const cpuMs = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / seen.posted]),
  );
  return { ...seen, cpuMs };
}

/**
 * Returns the CPU milliseconds of each process once all processes are idle, because they keep working after the last
 * response.
 */
export async function settledCpuOf(watched: Watched): Promise<Record<string, number>> {
  const total = (cpuMs: Readonly<Record<string, number>>): number => sum(Object.values(cpuMs));
  const deadline = Date.now() + SETTLE_MS_MAX;
  let last = await cpuOf(watched);
  for (;;) {
    await delay(SETTLE_LOOK_EACH_MS);
    const now = await cpuOf(watched);
    if (total(now) - total(last) <= IDLE_CPU_MS_MAX || Date.now() > deadline) return now;
    last = now;
  }
}

async function cpuOf(watched: Watched): Promise<Record<string, number>> {
  const entries = Object.entries(watched).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid] as const]));
  return Object.fromEntries(await Promise.all(entries.map(async ([name, pid]) => [name, await cpuMsOf(pid)] as const)));
}

/** Returns the median of each benchmark figure over the rounds. The numbers of refused requests are added up. */
export function medianOf(rounds: readonly Measured[]): Measured {
  const of = (figure: (round: Measured) => number): number => median(rounds.map(figure));
  const refused: Record<string, number> = {};
  for (const round of rounds) {
    for (const [status, count] of Object.entries(round.refused)) refused[status] = (refused[status] ?? 0) + count;
  }
  const names = Object.keys(rounds[0]?.cpuMs ?? {});
  return {
    posted: sum(rounds.map(({ posted }) => posted)),
    answered: sum(rounds.map(({ answered }) => answered)),
    refused,
    requestsPerSecond: of(({ requestsPerSecond }) => requestsPerSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p95Ms: of(({ p95Ms }) => p95Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpuMs: Object.fromEntries(names.map((name) => [name, of(({ cpuMs }) => cpuMs[name] ?? Number.NaN)])),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
