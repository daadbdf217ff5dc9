import { cpus } from 'node:os';

/**
 * Starts to measure the load of the processors.
 * @returns a function that returns the used share of processor time since the start, from 0 to 1
 */
export function watchProcessors(): () => number {
  const before = timesOf();
  return () => {
    const now = timesOf();
    const all = now.all - before.all;
    return all === 0 ? 0 : (all - (now.idle - before.idle)) / all;
  };
}

function timesOf(): { idle: number; all: number } {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, all };
}
