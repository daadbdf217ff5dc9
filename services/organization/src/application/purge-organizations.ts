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

/** Maximum number of organizations whose purge one call begins. */
const PURGED_MAX = 1_000;
/** Maximum number of organization purges that one run of the purge job announces again. */
const ROUNDS_MAX = 200;
/** Maximum number of audit entries of purged organizations that one command removes. */
const AUDIT_BATCH = 1_000;
/** Maximum number of audit trails that one run of the purge job removes. */
const TRAILS_MAX = 200;

export interface Expired {
  readonly organizationId: string;
  readonly version: number;
}

/** Store of organizations that are due for a purge or have been purged. */
export interface PurgeStore {
  /** Returns deleted organizations whose retention has ended, the oldest first. */
  listExpired(now: Date, countMax: number): Promise<readonly Expired[]>;
  /**
   * Removes all fields of a deleted organization except ids and dates.
   * @throws VersionConflict if the organization was restored, or if another process has begun its purge
   */
  begin(expired: Expired, times: { begunAt: Date; nextAt: Date | undefined }, change: Change): Promise<void>;
  listDueRounds(now: Date, countMax: number): Promise<readonly Purge[]>;
  /**
   * Stores that the purge of an organization was announced again.
   * @throws VersionConflict if another process announced it
   */
  announceAgain(purge: Purge, nextAt: Date | undefined, announced: Pick<Change, 'events'>): Promise<void>;
  isPurged(organizationId: string): Promise<boolean>;
  listBegunBefore(before: Date, countMax: number): Promise<readonly Purge[]>;
  /** Removes the last record of a purged organization, so that nothing of it remains. */
  remove(purge: Purge): Promise<void>;
}

/** Access to the audit trails of purged organizations. */
export interface EndingTrail {
  /**
   * Removes some entries of the audit trail of a purged organization.
   * @returns the number of removed entries
   */
  removeSome(organizationId: string, entriesMax: number): Promise<number>;
}

interface Deps {
  readonly purges: PurgeStore;
  readonly clock: Clock;
}

/**
 * Begins the purge of each deleted organization whose retention has ended, by one write for each organization. If the
 * organization was restored first, the purge does not begin. The event that is stored in the same write makes every
 * service remove the data of the organization.
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

/** Announces purges of organizations again, to remove data that was still in transit when they began. */
export const repeatPurges =
  ({ purges, clock }: Deps) =>
  async (): Promise<void> => {
    for (const purge of await purges.listDueRounds(clock.now(), ROUNDS_MAX)) {
      const nextAt = nextRoundAt({ ...purge, rounds: purge.rounds + 1 });
      const announced = { events: [announce(events.organizationPurged, { version: purge.version + 1 })] };
      await unlessChanged(() => purges.announceAgain(purge, nextAt, announced));
    }
  };

/**
 * Removes the audit trails of organizations whose purge began long enough ago, and then the last record of each
 * organization.
 */
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

/** Decides which of the replicas performs the daily purge of organizations. The time of the last purge is stored. */
export interface DailyTurn {
  /** Claims the daily purge of organizations. Returns false if another replica has claimed it. */
  take(now: Date): Promise<boolean>;
  /** Makes the daily purge of organizations due at the given time, which is earlier than usual after a failure. */
  moveTo(dueAt: Date): Promise<void>;
}

/** Performs the daily purge of organizations in the replica that claims it first. */
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
