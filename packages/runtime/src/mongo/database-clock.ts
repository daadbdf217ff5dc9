import type { Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';

const MEASURE_EACH_MS = 60_000;
/**
 * Delay before the database clock is measured again if all responses of the database were slow. Most services are busy
 * when they start.
 */
const MEASURE_AGAIN_MS = 1_000;
/**
 * Maximum duration of a database response that measures the clock precisely enough. If all responses are slower, the
 * fastest one is used.
 */
const QUICK_MS_MAX = 20;
const SAMPLES_MAX = 3;

/**
 * Creates a clock that is the same in all replicas: the local clock plus its offset to the clock of the database, which
 * is measured every minute. Leases and due times are compared with it, so that a replica with a wrong clock neither
 * takes over nor loses work. The clock is wrong by at most half of the duration of the response from which the offset
 * was measured: by at most 10 ms, once a response has arrived within 20 ms.
 */
export async function databaseClock(db: Db, logger: Logger): Promise<Clock & { stop(): void }> {
  let offsetMs = 0;
  let offByMsMax = Number.POSITIVE_INFINITY;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  /**
   * Compares the local clock with the clock of the database.
   * @returns the delay until the next measurement
   */
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
    // A slow response of the database is ignored if it agrees with an earlier, faster response, which is more precise.
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
