import type { Collection, Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import { createAlarm, repeat } from '@invoicecontrol/runtime/repeat';
import type { AuditEventDocument } from './audit-events.js';
import type { NotificationDocument } from './notifications.js';

/**
 * A database document whose changes are audited and may cause mails. Like outbox events, the audit entries and mails
 * are stored in the document by the write that changes the document. The relay copies them to their collections under
 * derived ids and then removes them from the database document. After a crash the sweep repeats the copy, and the
 * derived ids prevent duplicates.
 */
export interface Audited extends Aggregate {
  /** Audit entries that the audit relay has not moved to the audit trail yet. */
  readonly auditEntries?: readonly AuditEventDocument[];
  /**
   * E-mail notifications that the audit relay has not moved yet. They are always stored together with audit entries.
   */
  readonly notifications?: readonly NotificationDocument[];
  /**
   * Marker of a document with audit entries to move, present while `auditEntries` is not empty. It has a sparse index.
   */
  readonly auditPending?: true;
}

type RelaySource = Pick<Audited, '_id' | 'version' | 'auditEntries' | 'notifications'>;
const relayedFields = { version: 1, auditEntries: 1, notifications: 1 } as const;

/**
 * Interval at which the sweep searches for audit entries that a crash left. Without a crash, each process moves the
 * audit entries of its own writes.
 */
const SWEEP_INTERVAL_MS = 10_000;
const SWEEP_DOCUMENTS_MAX = 256;
/** Minimum age of audit entries that the sweep moves. More recent entries are left to the process that wrote them. */
const SWEEP_AGE_MS_MIN = 2_000;

/** Moves audit entries and notifications from the documents they were written with to their collections. */
export interface AuditRelay {
  /**
   * Moves the audit entries of a database document to the audit trail. The function never throws, because the change is
   * already stored and the sweep repeats a failed copy.
   */
  relay(collectionName: string, document: RelaySource): Promise<void>;
  stop(): Promise<void>;
}

export function startAuditRelay(options: {
  readonly db: Db;
  readonly collectionNames: readonly string[];
  readonly auditEvents: Collection<AuditEventDocument>;
  readonly notifications: Collection<NotificationDocument>;
  readonly onNotification: (dueAt: Date) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}): AuditRelay {
  const { db, collectionNames, auditEvents, clock, logger } = options;

  const copy = async (
    collectionName: string,
    { _id, version, auditEntries = [], notifications = [] }: RelaySource,
  ): Promise<void> => {
    if (auditEntries.length === 0) return;
    await insertMissing(auditEvents, auditEntries);
    await insertMissing(options.notifications, notifications);
    for (const { dueAt } of notifications) if (dueAt !== undefined) options.onNotification(dueAt);
    // The update that removes moved audit entries requires the version that was read. A newer version of the document
    // may contain newer entries, which another call or the next sweep moves.
    await db
      .collection<Audited>(collectionName)
      .updateOne({ _id, version }, { $unset: { auditEntries: '', notifications: '', auditPending: '' } });
  };
  const alarm = createAlarm();
  // An earlier process may have left audit entries that were not relayed.
  alarm.ring(SWEEP_AGE_MS_MIN);
  const sweep = async (): Promise<void> => {
    const old = clock.now().getTime() - SWEEP_AGE_MS_MIN;
    for (const collectionName of collectionNames) {
      const left = await db
        .collection<Audited>(collectionName)
        .find({ auditPending: true }, { projection: relayedFields, limit: SWEEP_DOCUMENTS_MAX })
        .toArray();
      for (const document of left) {
        const oldest = document.auditEntries?.[0]?.createdAt.getTime() ?? 0;
        if (oldest <= old) await copy(collectionName, document);
        else alarm.ring(SWEEP_AGE_MS_MIN);
      }
    }
  };
  const sweeping = repeat(
    SWEEP_INTERVAL_MS,
    sweep,
    (error) => {
      alarm.ring(SWEEP_AGE_MS_MIN);
      logger.warn({ error }, 'the audit relay sweep failed; it runs again');
    },
    alarm,
  );
  return {
    async relay(collectionName, document) {
      try {
        await copy(collectionName, document);
      } catch (error) {
        logger.warn(
          { error, collection: collectionName, id: document._id },
          'audit entries could not be relayed, the sweep retries',
        );
        alarm.ring(SWEEP_AGE_MS_MIN);
      }
    },
    stop: () => sweeping.stop(),
  };
}

/** Creates the index by which the sweep finds audit entries. */
export async function createAuditedIndexes<D extends Audited>(collection: Collection<D>): Promise<void> {
  await ensureIndexes(collection, [{ key: { auditPending: 1 }, sparse: true, name: 'audit_pending' }]);
}
