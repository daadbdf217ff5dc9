import type { Clock } from './clock.js';
import type { Job } from './job.js';
import type { FindStuckWork } from './stuck-work.js';

/**
 * A job is reported as late only if it has not succeeded for this many of its intervals, and also not within the time
 * that the operator's request states.
 */
const PAUSES_MAX = 3;

/** Watches jobs, and reports those that have not succeeded for too long, with the time of their last success. */
export function watchJobs(
  jobs: readonly Job[],
  service: string,
  clock: Clock,
): { readonly jobs: readonly Job[]; readonly findStuck: FindStuckWork } {
  const watched = jobs.map((job) => ({ job, succeededAt: clock.now(), lastError: undefined as string | undefined }));
  return {
    jobs: watched.map((state) => ({
      ...state.job,
      async run(signal) {
        try {
          await state.job.run(signal);
          state.succeededAt = clock.now();
          state.lastError = undefined;
        } catch (error) {
          state.lastError = error instanceof Error ? error.message : String(error);
          throw error;
        }
      },
    })),
    findStuck: async (before, now) =>
      watched
        .filter(({ job, succeededAt }) => {
          const late = now.getTime() - job.pauseMs * PAUSES_MAX;
          return succeededAt <= before && succeededAt.getTime() <= late;
        })
        .map(({ job, succeededAt, lastError }) => ({
          kind: 'job',
          what: `job "${job.name}" of ${service}`,
          since: succeededAt,
          why: lastError ?? 'a run does not end',
          resolution: `kubectl rollout restart deployment/${service}; docs/runbooks/events-and-jobs-stuck.md`,
        })),
  };
}
