import type { Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';

const MEASURE_EACH_MS = 60_000;
/** An answer that took no longer tells the time well enough; of slower ones the quickest of so many counts. */
const QUICK_MS_MAX = 50;
const SAMPLES_MAX = 3;

/**
 * One clock for all replicas: our own plus the offset to the database's, measured each minute. Leases and due times
 * are compared with it, so that a replica with a wrong clock neither steals nor loses work.
 */
export async function databaseClock(db: Db, logger: Logger): Promise<Clock & { stop(): void }> {
  let offsetMs = 0;
  const measure = async (): Promise<void> => {
    let quickestMs = Number.POSITIVE_INFINITY;
    for (let samples = 0; samples < SAMPLES_MAX && quickestMs > QUICK_MS_MAX; samples++) {
      const before = Date.now();
      const { localTime } = await db.admin().command({ hello: 1 });
      const after = Date.now();
      if (!(localTime instanceof Date) || after - before >= quickestMs) continue;
      quickestMs = after - before;
      offsetMs = localTime.getTime() - (before + after) / 2;
    }
  };
  await measure();
  const timer = setInterval(() => {
    measure().catch((error: unknown) => logger.warn({ error }, 'the database clock could not be read'));
  }, MEASURE_EACH_MS);
  timer.unref();
  return { now: () => new Date(Date.now() + offsetMs), stop: () => clearInterval(timer) };
}
