// Watches values that must not grow in a long chaos run: memory and file descriptors of the processes, and abandoned
// claims.
import { readdir, readFile } from 'node:fs/promises';

/** Memory of one process after a round of the chaos run. */
export interface Sample {
  readonly round: number;
  readonly process: string;
  /** Process id of the measured service. It changes when the service is started again. */
  readonly pid: number;
  readonly residentMb: number;
  readonly descriptors: number;
}

/** Memory growth of one process over the chaos run. */
export interface Growth {
  readonly process: string;
  readonly starts: number;
  readonly residentMb: Course;
  readonly descriptors: Course;
}

/** Medians of the first and the last fifth of the memory samples of a chaos run, and the largest sample. */
interface Course {
  readonly first: number;
  readonly last: number;
  readonly most: number;
}

const KB_PER_MB = 1_024;
const SHARE = 5;

/** Returns a memory sample of a process. Undefined if the process does not run, and on systems other than Linux. */
export async function sampleOf(
  pid: number | undefined,
): Promise<Pick<Sample, 'residentMb' | 'descriptors'> | undefined> {
  if (pid === undefined) return undefined;
  try {
    const [status, descriptors] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readdir(`/proc/${pid}/fd`),
    ]);
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kb === undefined) return undefined;
    return { residentMb: Math.round(Number(kb) / KB_PER_MB), descriptors: descriptors.length };
  } catch {
    return undefined;
  }
}

/** Returns the memory growth with one row for each process, in the order in which the processes first appear. */
export function growthOf(samples: readonly Sample[]): Growth[] {
  return [...new Set(samples.map(({ process }) => process))].map((process) => {
    const own = samples.filter((sample) => sample.process === process);
    return {
      process,
      starts: new Set(own.map(({ pid }) => pid)).size,
      residentMb: courseOf(own.map(({ residentMb }) => residentMb)),
      descriptors: courseOf(own.map(({ descriptors }) => descriptors)),
    };
  });
}

function courseOf(values: readonly number[]): Course {
  const share = Math.ceil(values.length / SHARE);
  return {
    first: medianOf(values.slice(0, share)),
    last: medianOf(values.slice(-share)),
    most: Math.max(...values),
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
