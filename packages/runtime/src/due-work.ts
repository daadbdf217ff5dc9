import type { Clock } from './clock.js';
import type { Job } from './job.js';
import { createAlarm } from './repeat.js';

/**
 * Interval at which each replica searches for due work of a job. Only work that a crashed process stored waits for this
 * search, because every process knows when its own work becomes due (architecture section 5, rule 3).
 */
const POLL_EACH_MS = 10_000;
/** Minimum time between two runs of a background job. Work that becomes due within this time shares a run. */
const GAP_MS = 200;
/**
 * Stored work is noted in memory only if it becomes due within this number of milliseconds. Work that becomes due later
 * is found by the regular search of its job. The search may be ten seconds late, which does not matter after such a
 * long time.
 */
const NOTED_MS_MAX = 10 * 60_000;

/** Schedule of a background job that does work when it becomes due. */
export interface DueWork {
  /** Settings of the background job: the pause between its runs, and the alarm that brings the next run forward. */
  readonly schedule: Pick<Job, 'pauseMs' | 'alarm'>;
  /** Notes the time when stored work becomes due, so that its background job runs at that time. */
  note(dueAt: Date): void;
}

/**
 * Schedules a background job by the due times of the work that this process stores, so that an idle process rarely
 * searches for work.
 * @param intervals values that replace the interval of the search, and the minimum time between two runs
 */
export function dueWork(
  clock: Clock,
  { pollMs = POLL_EACH_MS, gapMs = GAP_MS }: { readonly pollMs?: number; readonly gapMs?: number } = {},
): DueWork {
  const alarm = createAlarm();
  /**
   * Times at which the background job must run, rounded up to the minimum time between runs, so that much work needs
   * few entries.
   */
  const times = new Set<number>();
  let nextMs = Infinity;
  let timer: NodeJS.Timeout | undefined;
  const ring = (): void => {
    times.delete(nextMs);
    alarm.ring();
    schedule(Math.min(...times));
  };
  const schedule = (atMs: number): void => {
    clearTimeout(timer);
    nextMs = atMs;
    if (atMs === Infinity) return;
    timer = setTimeout(ring, Math.max(0, atMs - clock.now().getTime()));
    timer.unref();
  };
  return {
    schedule: { pauseMs: pollMs, alarm },
    note(dueAt) {
      const now = clock.now().getTime();
      if (dueAt.getTime() > now + NOTED_MS_MAX) return;
      const atMs = Math.ceil(Math.max(dueAt.getTime(), now) / gapMs) * gapMs;
      times.add(atMs);
      if (atMs < nextMs) schedule(atMs);
    },
  };
}
