import type { Logger } from './logger.js';
import { repeat } from './repeat.js';
import type { Alarm } from './repeat.js';
import { count, measure, reportGauges } from './telemetry.js';

/**
 * Work that each replica repeats. A failed run is logged, and the next run follows. Each run has a separate trace.
 */
export interface Job {
  readonly name: string;
  /** Delay from the start of the service to the first run, and from the end of a run to the next run. */
  readonly pauseMs: number;
  /** Shortens a pause when this process knows that there is work. Other replicas find the work after their pause. */
  readonly alarm?: Alarm;
  /**
   * Runs the job. When the signal is aborted, the service stops and waits for this run, which must not start new work.
   */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * Starts a job that runs at intervals, and reports the time since its last success in a metric.
 * @param service name of the service in metrics, because services have jobs with the same name
 * @returns a function that stops the job and resolves when a running job has ended
 */
export function startJob({ name, pauseMs, alarm, run }: Job, service: string, logger: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const attributes = { service, job: name };
  let succeededAt = performance.now();
  let runningSince: number | undefined;
  const repeated = repeat(
    pauseMs,
    () => {
      runningSince = performance.now();
      const measured = measure('internal', `job ${name}`, {});
      return measured.during(async () => {
        let failed = true;
        try {
          await run(stopping.signal);
          succeededAt = performance.now();
          failed = false;
        } catch (error) {
          count('job.failures', attributes);
          logger.warn({ error, job: name }, 'a job failed');
        } finally {
          runningSince = undefined;
          measured.end({ failed, attributes: { 'job.name': name } });
        }
      });
    },
    // An error of a job is logged while the job runs, so that the log line has the trace of the run.
    () => {},
    alarm,
  );
  const closeReport = reportGauges(
    {
      'job.time_since_success': {
        unit: 's',
        description: 'Time since the last run that succeeded, or since the start of the process if none has.',
      },
      'job.running_time': { unit: 's', description: 'Duration of the current run so far; 0 between runs.' },
    },
    async () => {
      const now = performance.now();
      const values = {
        'job.time_since_success': (now - succeededAt) / 1_000,
        'job.running_time': runningSince === undefined ? 0 : (now - runningSince) / 1_000,
      };
      return [{ attributes, values }];
    },
  );
  return () => {
    closeReport();
    stopping.abort();
    return repeated.stop();
  };
}
