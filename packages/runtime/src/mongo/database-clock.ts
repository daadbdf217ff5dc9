import type { Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';

const MEASURE_EACH_MS = 60_000;
/** Pause after responses that were all slow: most services are busy at their start, and quiet a moment later. */
const MEASURE_AGAIN_MS = 1_000;
/** A response within this time is exact enough; when all are slower, the fastest of several counts. */
const QUICK_MS_MAX = 20;
const SAMPLES_MAX = 3;

/**
 * One clock for all replicas: our own plus the offset to the database's, measured each minute. Leases and due times
 * are compared with it, so that a replica with a wrong clock neither steals nor loses work. It is off by at most half of
 * the duration of the response that it goes by: 10 ms, unless the database has not responded within 20 ms yet.
 */
export async function databaseClock(db: Db, logger: Logger): Promise<Clock & { stop(): void }> {
  let offsetMs = 0;
  let offByMsMax = Number.POSITIVE_INFINITY;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  /** @returns when to measure next */
  const measure = async (): Promise<number> => {
    let quickestMs = Number.POSITIVE_INFINITY;
    let measuredMs = 0;
    for (let samples = 0; samples < SAMPLES_MAX && quickestMs > QUICK_MS_MAX; samples++) {
      const before = Date.now();
      const { localTime } = await db.admin().command({ hello: 1 });
      const after = Date.now();
      if (!(localTime instanceof Date) || after - before >= quickestMs) continue;
      quickestMs = after - before;
      measuredMs = localTime.getTime() - (before + after) / 2;
    }
    // A slow response that agrees with an earlier, faster one is less exact than that one.
    const isAgreeing = Math.abs(measuredMs - offsetMs) <= quickestMs / 2 + offByMsMax;
    if (quickestMs / 2 > offByMsMax && isAgreeing) return MEASURE_EACH_MS;
    offsetMs = measuredMs;
    offByMsMax = quickestMs / 2;
    return quickestMs > QUICK_MS_MAX ? MEASURE_AGAIN_MS : MEASURE_EACH_MS;
  };
  const measureLater = async (): Promise<void> => {
    let pauseMs = MEASURE_EACH_MS;
    try {
      pauseMs = await measure();
    } catch (error) {
      logger.warn({ error }, 'the database clock could not be read');
    }
    measureIn(pauseMs);
  };
  const measureIn = (pauseMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => void measureLater(), pauseMs);
    timer.unref();
  };
  measureIn(await measure());
  return {
    now: () => new Date(Date.now() + offsetMs),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
