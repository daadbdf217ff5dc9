import type { Logger } from './logger.js';
import { repeat } from './repeat.js';
import type { Alarm } from './repeat.js';
import { count, polled, record, reportGauges } from './telemetry.js';

/**
 * A background job: work that each replica of a service repeats. A failed run is logged, and the next run follows. Each
 * run has a separate trace.
 */
export interface Job {
  readonly name: string;
  /**
   * Delay from the start of the service to the first run of a background job, and from the end of a run to the next
   * run.
   */
  readonly pauseMs: number;
  /**
   * Shortens a pause of the background job when this process knows that there is work. Other replicas find the work
   * after their pause.
   */
  readonly alarm?: Alarm;
  /**
   * Runs the background job once. When the signal is aborted, the service is stopping and waits for this run, so the
   * run must not start new work.
   */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * Starts a job that runs at intervals, and reports the time since its last success in a metric.
 * @param service scope of the metrics, because services of one process have jobs with the same name
 * @returns a function that stops the job and resolves when a running job has ended
 */
export function startJob({ name, pauseMs, alarm, run }: Job, service: string, logger: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const attributes = { 'job.name': name.replaceAll(/[^a-z]+/g, '_') };
  let succeededAt = Date.now();
  let runningSince: number | undefined;
  const repeated = repeat(
    pauseMs,
    () => {
      const startedAt = performance.now();
      runningSince = startedAt;
      return polled(`job ${name}`, { 'job.name': name }, async () => {
        try {
          await run(stopping.signal);
          succeededAt = Date.now();
        } catch (error) {
          count('invoicecontrol.jobs.failures', attributes, 1, service);
          logger.warn({ error, job: name }, 'a job failed');
          throw error;
        } finally {
          runningSince = undefined;
          record('invoicecontrol.jobs.duration', (performance.now() - startedAt) / 1_000, attributes, service);
        }
      });
    },
    // The error of a job needs no handling here, because it was logged during the run, so that the log line has the
    // trace of the run.
    () => {},
    alarm,
  );
  const closeReport = reportGauges(
    ['invoicecontrol.job.last_success', 'invoicecontrol.job.running_time'],
    async () => {
      const now = performance.now();
      const values = {
        'invoicecontrol.job.last_success': succeededAt / 1_000,
        'invoicecontrol.job.running_time': runningSince === undefined ? 0 : (now - runningSince) / 1_000,
      };
      return [{ attributes, values }];
    },
    service,
  );
  return () => {
    closeReport();
    stopping.abort();
    return repeated.stop();
  };
}
