import type { Collection, Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import { repeat } from '@invoicecontrol/runtime/repeat';
import type { AuditEventDocument } from './audit-events.js';
import type { NotificationDocument } from './notifications.js';

/**
 * An aggregate whose changes are audited and may owe mails. The entries ride in the document, in the very write that
 * they belong to, like the events of the outbox; they are copied to their collections under derived ids and then taken
 * out. Whatever crashes in between, the sweep copies again and the copy is there once.
 */
export interface Audited extends Aggregate {
  /** Audit entries whose copy is not confirmed yet. */
  readonly auditEntries?: readonly AuditEventDocument[];
  /** Mails to queue whose copy is not confirmed yet; always together with audit entries. */
  readonly notifications?: readonly NotificationDocument[];
  /** Set exactly while `auditEntries` holds something; sparse index. */
  readonly auditPending?: true;
}

/** What is read of a document to copy from it. */
type Carrying = Pick<Audited, '_id' | 'version' | 'auditEntries' | 'notifications'>;
const carried = { version: 1, auditEntries: 1, notifications: 1 } as const;

const SWEEP_EACH_MS = 1_000;
const SWEEP_DOCUMENTS_MAX = 256;
/** Younger entries are still in the hands of the process that wrote them. */
const SWEEP_AGE_MS_MIN = 2_000;

/** Brings audit entries and mails from the documents that they were written with to their collections. */
export interface Copies {
  /** Never throws: the change is made, and what could not be copied now the sweep copies later. */
  settle(collectionName: string, document: Carrying): Promise<void>;
  stop(): Promise<void>;
}

export function startCopies(options: {
  readonly db: Db;
  readonly collectionNames: readonly string[];
  readonly auditEvents: Collection<AuditEventDocument>;
  readonly notifications: Collection<NotificationDocument>;
  readonly clock: Clock;
  readonly logger: Logger;
}): Copies {
  const { db, collectionNames, auditEvents, clock, logger } = options;

  const copy = async (
    collectionName: string,
    { _id, version, auditEntries = [], notifications = [] }: Carrying,
  ): Promise<void> => {
    if (auditEntries.length === 0) return;
    await insertMissing(auditEvents, auditEntries);
    await insertMissing(options.notifications, notifications);
    // A newer version may carry newer entries; whoever wrote it, or the next sweep, takes all of them out.
    await db
      .collection<Audited>(collectionName)
      .updateOne({ _id, version }, { $unset: { auditEntries: '', notifications: '', auditPending: '' } });
  };
  const sweep = async (): Promise<void> => {
    const old = clock.now().getTime() - SWEEP_AGE_MS_MIN;
    for (const collectionName of collectionNames) {
      const left = await db
        .collection<Audited>(collectionName)
        .find({ auditPending: true }, { projection: carried, limit: SWEEP_DOCUMENTS_MAX })
        .toArray();
      for (const document of left) {
        const oldest = document.auditEntries?.[0]?.createdAt.getTime() ?? 0;
        if (oldest <= old) await copy(collectionName, document);
      }
    }
  };
  const sweeping = repeat(SWEEP_EACH_MS, sweep, (error) =>
    logger.warn({ error }, 'audit entries and mails could not be copied yet'),
  );
  return {
    async settle(collectionName, document) {
      try {
        await copy(collectionName, document);
      } catch (error) {
        logger.warn({ error, collection: collectionName, id: document._id }, 'an audit entry is left to the sweep');
      }
    },
    stop: () => sweeping.stop(),
  };
}

/** Serves the sweep. */
export async function createAuditedIndexes<D extends Audited>(collection: Collection<D>): Promise<void> {
  await collection.createIndexes([{ key: { auditPending: 1 }, sparse: true, name: 'audit_pending' }]);
}
