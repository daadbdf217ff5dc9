import type { Collection, Db } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import type { AuditEventDocument, AuditLog } from './audit-events.js';

/**
 * An aggregate whose changes are audited. The audit entries ride in the document, in the very write that they tell of,
 * like the events of the outbox; they are copied to `audit_events` under derived ids and then taken out. Whatever
 * crashes in between, the sweep copies again and the copy is there once.
 */
export interface Audited extends Aggregate {
  /** Entries whose copy is not confirmed yet. */
  readonly auditEntries?: readonly AuditEventDocument[];
  /** Set exactly while `auditEntries` holds something; sparse index. */
  readonly auditPending?: true;
}

const SWEEP_EACH_MS = 1_000;
const SWEEP_DOCUMENTS_MAX = 256;
/** Younger entries are still in the hands of the process that wrote them. */
const SWEEP_AGE_MS_MIN = 2_000;

/** Brings audit entries from the documents that they were written with to the audit trail. */
export interface AuditCopies {
  /** Never throws: the change is made, and what could not be copied now the sweep copies later. */
  settle(collectionName: string, document: Pick<Audited, '_id' | 'version' | 'auditEntries'>): Promise<void>;
  stop(): Promise<void>;
}

export function startAuditCopies(options: {
  readonly db: Db;
  readonly collectionNames: readonly string[];
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly logger: Logger;
}): AuditCopies {
  const { db, collectionNames, auditLog, clock, logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let isStopped = false;

  const copy = async (
    collectionName: string,
    { _id, version, auditEntries = [] }: Pick<Audited, '_id' | 'version' | 'auditEntries'>,
  ): Promise<void> => {
    if (auditEntries.length === 0) return;
    await auditLog.append(auditEntries);
    // A newer version may carry newer entries; whoever wrote it, or the next sweep, takes all of them out.
    await db
      .collection<Audited>(collectionName)
      .updateOne({ _id, version }, { $unset: { auditEntries: '', auditPending: '' } });
  };
  const sweep = async (): Promise<void> => {
    const old = clock.now().getTime() - SWEEP_AGE_MS_MIN;
    for (const collectionName of collectionNames) {
      const left = await db
        .collection<Audited>(collectionName)
        .find({ auditPending: true }, { projection: { version: 1, auditEntries: 1 }, limit: SWEEP_DOCUMENTS_MAX })
        .toArray();
      for (const document of left) {
        const oldest = document.auditEntries?.[0]?.createdAt.getTime() ?? 0;
        if (oldest <= old) await copy(collectionName, document);
      }
    }
  };
  const later = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error: unknown) => logger.warn({ error }, 'audit entries could not be copied yet'))
        .finally(later);
    }, SWEEP_EACH_MS);
    timer.unref();
  };
  later();
  return {
    async settle(collectionName, document) {
      try {
        await copy(collectionName, document);
      } catch (error) {
        logger.warn({ error, collection: collectionName, id: document._id }, 'an audit entry is left to the sweep');
      }
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}

/** Serves the sweep. */
export async function createAuditedIndexes<D extends Audited>(collection: Collection<D>): Promise<void> {
  await collection.createIndexes([{ key: { auditPending: 1 }, sparse: true, name: 'audit_pending' }]);
}
