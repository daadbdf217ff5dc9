import { createHash } from 'node:crypto';
import { v5 as uuidV5 } from 'uuid';

const HOUR_SECONDS = 3_600;

/**
 * Returns the offset in each sync interval at which an ERP connection is due. It depends on the id, so that connections
 * are due at different times.
 */
function offsetSeconds(connectionId: string, intervalSeconds: number): number {
  const digest = createHash('sha256').update(connectionId).digest();
  return digest.readUInt32BE(0) % intervalSeconds;
}

/** Returns the next time after `now` at which an ERP connection is due. */
export function nextSlot(connectionId: string, now: Date, intervalSeconds: number): Date {
  const offset = offsetSeconds(connectionId, intervalSeconds);
  const seconds = Math.floor(now.getTime() / 1_000);
  const slots = Math.floor((seconds - offset) / intervalSeconds) + 1;
  return new Date((slots * intervalSeconds + offset) * 1_000);
}

/**
 * Returns the id of the import run that is due at a given time. Each due time has exactly one run, regardless of which
 * replica starts it. Whole hours are written `YYYYMMDDHH`, and other times with all digits.
 */
export function scheduledRunId(connectionId: string, dueAt: Date, intervalSeconds: number): string {
  const digits = dueAt.toISOString().replaceAll(/\D/g, '');
  const isHourly = intervalSeconds % HOUR_SECONDS === 0;
  const isSlot = nextSlot(connectionId, new Date(dueAt.getTime() - 1), intervalSeconds).getTime() === dueAt.getTime();
  return uuidV5(isHourly && isSlot ? digits.slice(0, 10) : digits, connectionId);
}

/** Returns the id of the ERP import run that continues an abandoned run. Each run is continued once. */
export function retryRunId(connectionId: string, abandonedRunId: string): string {
  return uuidV5(`retry of ${abandonedRunId}`, connectionId);
}
