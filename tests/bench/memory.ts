import type { Watched } from './cell.js';
import { residentBytesOf } from './node-process.js';

/** Resident memory of the benchmarked processes in bytes, by process. */
export type Resident = Readonly<Record<string, number>>;

const SAMPLE_EACH_MS = 50;

export async function residentOf(watched: Watched): Promise<Resident> {
  const entries = Object.entries(watched).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid] as const]));
  return Object.fromEntries(
    await Promise.all(entries.map(async ([name, pid]) => [name, await residentBytesOf(pid)] as const)),
  );
}

/** Returns the maximum memory of each benchmarked process during the work, and the result of the work. */
export async function peakDuring<T>(
  watched: Watched,
  work: () => Promise<T>,
): Promise<{ readonly peak: Resident; readonly result: T }> {
  let peak: Resident = await residentOf(watched);
  const sample = async (): Promise<void> => {
    const now = await residentOf(watched);
    peak = Object.fromEntries(Object.entries(now).map(([name, bytes]) => [name, Math.max(bytes, peak[name] ?? 0)]));
  };
  const result = await sampleDuring(SAMPLE_EACH_MS, sample, work);
  return { peak, result };
}

/**
 * Takes memory samples of a benchmark one after another while the given work runs.
 * @returns the result of the work
 */
export async function sampleDuring<T>(eachMs: number, sample: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    sampling = sampling.then(sample);
    // The promise of the memory samples is awaited after the work of the benchmark. The empty catch avoids an unhandled
    // rejection until then.
    sampling.catch(() => {});
  }, eachMs);
  try {
    const result = await work();
    clearInterval(timer);
    await sampling;
    return result;
  } finally {
    clearInterval(timer);
  }
}
