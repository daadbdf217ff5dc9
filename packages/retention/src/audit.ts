import { randomUUID } from 'node:crypto';
import type { AuditRecorded } from '@invoicecontrol/contracts/audit/v1/events';
import type { EventType } from '@invoicecontrol/contracts/events';
import type { Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { count } from '@invoicecontrol/runtime/telemetry';
import { activeCause } from '@invoicecontrol/runtime/trace-context';
import type { Cause } from '@invoicecontrol/runtime/trace-context';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement, Announcing } from '@invoicecontrol/runtime/mongo/event-envelope';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';

/** The collection of the lines that do not belong to a change; a service that uses the buffer opens its outbox with it. */
export const AUDIT_LINES = 'audit_lines';
/** Lines that wait in memory; what does not fit is dropped and counted. */
const LINES_MAX = 10_000;
const INSERT_LINES_MAX = 500;
/** Retention of lines that were published long before; until then they can refill a broker that lost its volume. */
const LINE_AGE_MS_MAX = 30 * 24 * 3_600_000;

/** One act as the audit trail keeps it. Carries no secret and no body. */
export interface AuditLine {
  /** `finding.reviewed` */
  readonly action: string;
  /** `finding:<id>` */
  readonly target: string;
  readonly outcome: 'SUCCEEDED' | 'REFUSED';
}

/**
 * Returns the announcement of the line of a change, for the write of that change: it is stored with the change, never lost and never doubled.
 * @param type `audit_recorded` of the service that writes
 */
export function auditAnnouncement(
  type: EventType<AuditRecorded>,
  { actor, requestId, ip }: RequestContext,
  line: AuditLine,
): Announcement {
  return announce(type, { ...line, actorType: actor.type, actorId: actor.id, requestId, ip });
}

interface LineDocument extends Announcing {
  readonly organizationId: string;
  /** TTL index. */
  readonly expiresAt: Date;
}

/** Buffers lines of acts that write nothing of their own, such as reading. */
export interface AuditBuffer {
  /** Costs the caller nothing: the line is stored with the next flush. Never throws. */
  record(organizationId: string, context: RequestContext, line: AuditLine): void;
  /** Stores what waits and hands it to the outbox; run each second by a job, and once more when the service stops. */
  flush(): Promise<void>;
}

/**
 * A process that is killed loses the lines since the last flush. While the database is unavailable lines wait in memory,
 * {@link LINES_MAX} at most. What is stored reaches the trail by the outbox, like every event.
 */
export async function auditBuffer(
  type: EventType<AuditRecorded>,
  { db, outbox, clock, logger }: { db: Db; outbox: Outbox; clock: Clock; logger: Logger },
): Promise<AuditBuffer> {
  const lines = db.collection<LineDocument>(AUDIT_LINES);
  await lines.createIndexes([
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expiry' },
    { key: { organizationId: 1 }, name: 'of_organization' },
  ]);
  const waiting: { id: string; organizationId: string; at: Date; announcement: Announcement; cause: Cause }[] = [];
  let dropped = 0;

  return {
    record(organizationId, context, line) {
      if (waiting.length < LINES_MAX) {
        const announcement = auditAnnouncement(type, context, line);
        waiting.push({ id: randomUUID(), organizationId, at: clock.now(), announcement, cause: activeCause() });
        return;
      }
      dropped++;
      count('audit.lines_dropped', { service: type.service });
    },
    async flush() {
      if (dropped > 0) logger.error({ dropped }, 'audit lines were dropped: the buffer is full');
      dropped = 0;
      while (waiting.length > 0) {
        const batch = waiting.slice(0, INSERT_LINES_MAX).map(({ id, organizationId, at, announcement, cause }) => {
          const events = envelopes({ id, organizationId, version: 1 }, [announcement], at, cause);
          const expiresAt = new Date(at.getTime() + LINE_AGE_MS_MAX);
          return { _id: id, organizationId, version: 1, outbox: events, outboxPending: true as const, expiresAt };
        });
        // An insert whose response was lost is repeated under the same ids.
        await insertMissing(lines, batch);
        waiting.splice(0, batch.length);
        for (const { _id: id, outbox: events } of batch) outbox.nudge(AUDIT_LINES, { id, version: 1, events });
      }
    },
  };
}
