import type { EventType } from '@invoicecontrol/contracts/events';
import type { UsageReached } from '@invoicecontrol/contracts/usage/v1/events';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { quotaUsed } from './telemetry.js';
import type { OnUsed } from './usage.js';
import { stepOf } from './usage-steps.js';

/**
 * Collection of the notices that were already sent. A service with monthly quotas includes it in the collections of its
 * outbox.
 */
export const USAGE_NOTICES = 'usage_notices';
/** Retention of quota notices in milliseconds, well beyond the end of the month. */
const KEPT_MS = 62 * 24 * 3_600_000;
/** Maximum number of sent quota notices that one process caches. */
const REMEMBERED_MAX = 10_000;

interface NoticeDocument extends Aggregate {
  /** Time when the TTL index deletes the quota notice. */
  readonly expiresAt: Date;
}

export function usageNoticeCollection(db: Db): Collection<NoticeDocument> {
  return db.collection<NoticeDocument>(USAGE_NOTICES);
}

/**
 * Publishes a notice when 80 or 100 percent of a quota are used, once for each month and meter. Every reservation above
 * a threshold tries to publish the notice, so a crash can delay it but cannot lose it.
 */
export async function usageNotices(
  type: EventType<UsageReached>,
  { db, outbox, clock, logger }: { db: Db; outbox: Outbox; clock: Clock; logger: Logger },
): Promise<OnUsed> {
  const collection = usageNoticeCollection(db);
  await ensureIndexes(collection, [
    { key: { organizationId: 1 }, name: 'organization' },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expiry' },
  ]);
  const aggregates = aggregateStore(collection, outbox, clock);
  const told = new Set<string>();
  return ({ organizationId, month: period, meter }, used, limit) => {
    quotaUsed(meter, used, limit);
    const percent = stepOf(used, limit);
    if (limit === undefined || percent === undefined) return;
    const _id = `${organizationId}:${period}:${meter}:${percent}`;
    if (told.has(_id)) return;
    if (told.size >= REMEMBERED_MAX) told.clear();
    told.add(_id);
    const expiresAt = new Date(clock.now().getTime() + KEPT_MS);
    const events = [announce(type, { meter, period, percent, used, limit })];
    aggregates.insert({ _id, organizationId, expiresAt }, { events }).catch((error: unknown) => {
      if (isDuplicateKey(error)) return;
      told.delete(_id);
      logger.warn(
        { error, organizationId, meter },
        'a reached quota could not be announced; the next use announces it',
      );
    });
  };
}
