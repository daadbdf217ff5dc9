import type { Collection, Db } from 'mongodb';

/** Usage counter of one meter of one organization in one month (architecture section 5, rule 6; ADRs 0034 and 0132). */
export interface UsageDocument {
  /** Id of the usage counter, in the form `<organization>:<YYYY-MM>:<meter>`. */
  readonly _id: string;
  /** Reserved amount, which includes the units that replicas hold. See {@link usedOf}. */
  readonly used: number;
  /**
   * Number that increases with every change of the usage counter. Replicas of an earlier release use it to detect
   * changes.
   */
  readonly moves: number;
  /**
   * Units of `used` that were reserved in minutes that are not reconciled yet, by the minute. A minute is the number of
   * minutes since 1970.
   */
  readonly minutes?: Readonly<Record<string, number>>;
  /**
   * Units that replicas have reserved in blocks for later requests, by the minutes of `minutes`. A unit that a replica
   * has used stays in this number until the replica reports it. Entries of reconciled minutes have no effect.
   */
  readonly held?: Readonly<Record<string, number>>;
  /**
   * Time until which stored records are included in the usage counter. The time is 1970 before the first count, and
   * absent if only an earlier release has counted.
   */
  readonly countedTo?: Date;
  /**
   * Time of the next check of the usage counter by the reconciliation job. Absent if nothing was reserved since the
   * last check. The index is sparse.
   */
  readonly lookAt?: Date;
  /** Start times of operations that are lowering a stored amount, by operation id. */
  readonly lowering?: Readonly<Record<string, Date>>;
  /**
   * Number that increases at the beginning and at the end of each operation that lowers the amount of a stored record.
   */
  readonly lowerings?: number;
  /** Number of requests, not yet fulfilled, to count all records of the month again. */
  readonly recounts?: number;
  /** Time of the last refused request that requested a check of the usage counter. */
  readonly refusedAt?: Date;
}

/** Usage mark: the meter, organization and time that an amount counts towards. */
export interface UsageMark {
  readonly organizationId: string;
  /** UTC month in which quota units are used, as `YYYY-MM`. */
  readonly month: string;
  readonly meter: string;
  readonly amount: number;
  /** Time from which the usage counts. It is also stored as the creation time of the record that uses the quota. */
  readonly at: Date;
}

/** Organization, month and meter of a usage counter. */
export type CounterKey = Pick<UsageMark, 'organizationId' | 'month' | 'meter'>;

export const MINUTE_MS = 60_000;
/** Value of `countedTo` before the records of a month are counted for the first time. */
export const NEVER_COUNTED = new Date(0);

export function usageCollection(db: Db): Collection<UsageDocument> {
  return db.collection<UsageDocument>('usage');
}

/** Returns the id of the usage counter of an organization for a month and a meter. */
export function idOf({ organizationId, month, meter }: CounterKey): string {
  return `${organizationId}:${month}:${meter}`;
}

/** Returns the organization, month and meter of the usage counter with an id from {@link idOf}. */
export function keyOf(id: string): CounterKey {
  const [organizationId = '', month = '', meter = ''] = id.split(':');
  return { organizationId, month, meter };
}

/** Returns the minute of a time, as the number of minutes since 1970. Usage is counted by minute. */
export function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS);
}

/** Returns the amount that is used, without the units that replicas hold in minutes that are not reconciled yet. */
export function usedOf({ used, minutes = {}, held = {} }: UsageDocument): number {
  return Object.entries(held)
    .filter(([minute]) => minute in minutes)
    .reduce((rest, [, units]) => rest - Math.max(0, units), used);
}
