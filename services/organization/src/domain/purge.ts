/** Record of a purged organization. Only this record and the audit trail remain of the organization. */
export interface Purge {
  readonly organizationId: string;
  readonly version: number;
  readonly begunAt: Date;
  /** Number of times that the purge of the organization was announced. */
  readonly rounds: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Times after the beginning of a purge at which the purge is announced to the services again. Data that was in transit
 * when the purge began may be stored later: by a request with a cached key within 5 s, by a request or an upload within
 * 5 minutes, by work that another process takes over within an hour, and by an event within the 7 days for which the
 * broker keeps events.
 */
const ROUNDS_AFTER_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  DAY_MS,
  8 * DAY_MS,
] as const;

/** Returns the time of the next announcement of an organization purge. Undefined after the last announcement. */
export function nextRoundAt({ begunAt, rounds }: Pick<Purge, 'begunAt' | 'rounds'>): Date | undefined {
  const afterMs = ROUNDS_AFTER_MS[rounds - 1];
  return afterMs === undefined ? undefined : new Date(begunAt.getTime() + afterMs);
}
