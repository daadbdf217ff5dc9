import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { nextRoundAt } from '../domain/purge.js';
import type { Purge } from '../domain/purge.js';
import { countPurge } from '../telemetry.js';
import type { Change } from './change.js';

/** Organizations whose purge one call begins. */
const PURGED_MAX = 1_000;
/** Rounds that one run of the job announces. */
const ROUNDS_MAX = 200;
/** Audit entries that one command removes. */
const AUDIT_BATCH = 1_000;
/** Trails that one run of the job ends. */
const TRAILS_MAX = 200;

/** An organization that may be purged. */
export interface Expired {
  readonly organizationId: string;
  readonly version: number;
}

/** The store of what is left of purged organizations. */
export interface PurgeStore {
  /** Deleted ones whose retention ended, the oldest first. */
  listExpired(now: Date, countMax: number): Promise<readonly Expired[]>;
  /**
   * Takes everything away from the organization but ids and dates.
   * @throws VersionConflict when it was restored, or another process began its purge
   */
  begin(expired: Expired, times: { begunAt: Date; nextAt: Date | undefined }, change: Change): Promise<void>;
  listDueRounds(now: Date, countMax: number): Promise<readonly Purge[]>;
  /** @throws VersionConflict when another process announced it */
  announceAgain(purge: Purge, nextAt: Date | undefined, announced: Pick<Change, 'events'>): Promise<void>;
  isPurged(organizationId: string): Promise<boolean>;
  listBegunBefore(before: Date, countMax: number): Promise<readonly Purge[]>;
  /** Takes away the last trace. */
  remove(purge: Purge): Promise<void>;
}

/** The part of the audit trail that ends with it. */
export interface EndingTrail {
  /** @returns how many entries were removed */
  removeSome(organizationId: string, entriesMax: number): Promise<number>;
}

interface Deps {
  readonly purges: PurgeStore;
  readonly clock: Clock;
}

/**
 * Begins the purge of each deleted organization whose retention is over, with one guarded write each: a restore that
 * committed first wins. The event of that write makes every service remove what it keeps.
 */
export const purgeOrganizations =
  ({ purges, clock }: Deps) =>
  async (context: RequestContext): Promise<{ organizationIds: readonly string[]; hasMore: boolean }> => {
    const begunAt = clock.now();
    const expired = await purges.listExpired(begunAt, PURGED_MAX + 1);
    const organizationIds: string[] = [];
    for (const one of expired.slice(0, PURGED_MAX)) {
      const { organizationId, version } = one;
      const begun = await unlessChanged(() =>
        purges.begin(
          one,
          { begunAt, nextAt: nextRoundAt({ begunAt, rounds: 1 }) },
          {
            context,
            audit: [{ action: 'organization.purged', target: `organization:${organizationId}` }],
            events: [announce(events.organizationPurged, { version: version + 1 })],
          },
        ),
      );
      if (!begun) continue;
      countPurge();
      organizationIds.push(organizationId);
    }
    return { organizationIds, hasMore: expired.length > PURGED_MAX };
  };

/** Announces purges again, for what was on its way when they began. */
export const repeatPurges =
  ({ purges, clock }: Deps) =>
  async (): Promise<void> => {
    for (const purge of await purges.listDueRounds(clock.now(), ROUNDS_MAX)) {
      const nextAt = nextRoundAt({ ...purge, rounds: purge.rounds + 1 });
      const announced = { events: [announce(events.organizationPurged, { version: purge.version + 1 })] };
      await unlessChanged(() => purges.announceAgain(purge, nextAt, announced));
    }
  };

/** Removes the audit trails of organizations whose purge began long enough ago, and with them the last trace of each. */
export const endTrails =
  ({
    purges,
    trail,
    auditRetentionMs,
    clock,
    logger,
  }: Deps & { trail: EndingTrail; auditRetentionMs: number; logger: Logger }) =>
  async (signal: AbortSignal): Promise<void> => {
    const before = new Date(clock.now().getTime() - auditRetentionMs);
    for (const purge of await purges.listBegunBefore(before, TRAILS_MAX)) {
      for (let removed = AUDIT_BATCH; removed === AUDIT_BATCH;) {
        if (signal.aborted) return;
        removed = await trail.removeSome(purge.organizationId, AUDIT_BATCH);
      }
      await purges.remove(purge);
      logger.info({ organizationId: purge.organizationId }, 'the audit trail of a purged organization was removed');
    }
  };

/** The turn of work that one of the replicas does once a day: stores when it was last done. */
export interface DailyTurn {
  /** Takes the turn of the day if nobody has. */
  take(now: Date): Promise<boolean>;
  /** Lets the next turn come earlier, after a failure. */
  moveTo(dueAt: Date): Promise<void>;
}

/** Does the daily work in the replica that comes first. */
export const dailyPurge = (deps: Parameters<typeof endTrails>[0] & { turn: DailyTurn }) => {
  const purge = purgeOrganizations(deps);
  const end = endTrails(deps);
  return async (signal: AbortSignal): Promise<void> => {
    if (!(await deps.turn.take(deps.clock.now()))) return;
    for (let hasMore = true; hasMore && !signal.aborted;) {
      ({ hasMore } = await purge(systemContext('purge')));
    }
    await end(signal);
  };
};

async function unlessChanged(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof VersionConflict) return false;
    throw error;
  }
}
