import type { Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';

const MEASURE_EACH_MS = 60_000;

/**
 * One clock for all replicas: our own plus the offset to the database's, measured each minute. Leases and due times
 * are compared with it, so that a replica with a wrong clock neither steals nor loses work.
 */
export async function databaseClock(db: Db, logger: Logger): Promise<Clock & { stop(): void }> {
  let offsetMs = 0;
  const measure = async (): Promise<void> => {
    const before = Date.now();
    const { localTime } = await db.admin().command({ hello: 1 });
    const after = Date.now();
    if (localTime instanceof Date) offsetMs = localTime.getTime() - (before + after) / 2;
  };
  await measure();
  const timer = setInterval(() => {
    measure().catch((error: unknown) => logger.warn({ error }, 'the database clock could not be read'));
  }, MEASURE_EACH_MS);
  timer.unref();
  return { now: () => new Date(Date.now() + offsetMs), stop: () => clearInterval(timer) };
}
