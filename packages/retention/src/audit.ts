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
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';

/**
 * Collection of the audit events of actions that change nothing. A service with a buffer of audit events includes it in
 * the collections of its outbox.
 */
export const AUDIT_LINES = 'audit_lines';
/** Maximum number of audit events in memory. Further events are dropped and counted. */
const LINES_MAX = 10_000;
const INSERT_LINES_MAX = 500;
/**
 * Retention of published audit events. During this time, the events can be published again if the broker loses its
 * data.
 */
const LINE_AGE_MS_MAX = 30 * 24 * 3_600_000;

/** An action as the audit trail records it. An audited action contains no secret and no request body. */
export interface AuditLine {
  /** Name of the action, such as `finding.reviewed`. */
  readonly action: string;
  /** Resource that the action changed, such as `finding:<id>`. */
  readonly target: string;
  readonly outcome: 'SUCCEEDED' | 'REFUSED';
}

/**
 * Returns the audit event of a change, to be stored in the same write as the change, so that it is neither lost nor
 * duplicated.
 * @param type the event type `audit_recorded` of the service that makes the change
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
  /** Time when the TTL index deletes the audit event. */
  readonly expiresAt: Date;
}

/** Collects the audit events of actions that otherwise store nothing, such as reading a document. */
export interface AuditBuffer {
  /** Adds an audit event without waiting. The audit event is stored with the next flush. The function never throws. */
  record(organizationId: string, context: RequestContext, line: AuditLine): void;
  /**
   * Stores the waiting audit events and passes them to the outbox. A job calls this every second, and the service calls
   * it when it stops.
   */
  flush(): Promise<void>;
}

/**
 * Opens the buffer of audit events. A process that is killed loses the audit events since the last flush. While the
 * database is unavailable, at most {@link LINES_MAX} events wait in memory. Stored events are published by the outbox.
 */
export async function auditBuffer(
  type: EventType<AuditRecorded>,
  { db, outbox, clock, logger }: { db: Db; outbox: Outbox; clock: Clock; logger: Logger },
): Promise<AuditBuffer> {
  const lines = db.collection<LineDocument>(AUDIT_LINES);
  await ensureIndexes(lines, [
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
      count('invoicecontrol.audit.lines_dropped', {}, 1, type.service);
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
        // If the response to an insert of audit entries was lost, the insert is repeated with the same ids.
        await insertMissing(lines, batch);
        waiting.splice(0, batch.length);
        for (const { _id: id, outbox: events } of batch) outbox.nudge(AUDIT_LINES, { id, version: 1, events });
      }
    },
  };
}
