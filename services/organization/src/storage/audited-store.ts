import { v5 as uuidv5 } from 'uuid';
import type { Collection, UpdateFilter, WithId } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Guard } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Change } from '../application/change.js';
import type { AuditEventDocument } from './audit-events.js';
import type { Audited, AuditRelay } from './audit-relay.js';
import { toQueuedDocument } from './notifications.js';

/** Fields that the audited stores write in addition to the state of a document. */
export type Bookkeeping = Exclude<keyof Audited, '_id' | 'organizationId'>;

export interface AuditedStore<D extends Audited> {
  /** Inserts a database document at version 1. A duplicate key error is passed to the caller. */
  insert(document: Stored<Omit<D, Bookkeeping>>, change: Change | undefined): Promise<void>;
  /**
   * Updates a database document together with the audit entries of the change.
   * @throws VersionConflict if the document no longer has the version that was read
   */
  save(guard: Guard, update: UpdateFilter<D>, change: Change): Promise<WithId<D>>;
}

export function auditedStore<D extends Audited>(
  collection: Collection<D>,
  { outbox, auditRelay, clock }: { outbox: Outbox; auditRelay: AuditRelay; clock: Clock },
): AuditedStore<D> {
  const store = aggregateStore<D>(collection, outbox, clock);
  const { collectionName } = collection;
  return {
    async insert(document, change) {
      const { _id: id, organizationId } = document;
      const auditEntries =
        change === undefined
          ? []
          : toAuditEntries(collectionName, { id, organizationId, version: 0 }, change, clock.now());
      const pending = auditEntries.length === 0 ? {} : { auditEntries, auditPending: true };
      const audited = { ...document, ...pending } as unknown as Parameters<typeof store.insert>[0];
      await store.insert(audited, { events: change?.events ?? [] });
      await auditRelay.relay(collectionName, { _id: id, version: 1, auditEntries });
    },
    async save(guard, update, change) {
      const entries = toAuditEntries(collectionName, guard, change, clock.now());
      const mails = (change.notifications ?? []).map(toQueuedDocument);
      const audited = {
        ...update,
        $set: { ...update.$set, auditPending: true },
        $push: {
          ...update.$push,
          auditEntries: { $each: entries },
          ...(mails.length === 0 ? {} : { notifications: { $each: mails } }),
        },
      } as unknown as Parameters<typeof store.save>[1];
      const saved = await store.save(guard, audited, { events: change.events ?? [] });
      await auditRelay.relay(collectionName, saved);
      return saved;
    },
  };
}

const AUDIT_ID_NAMESPACE = '6c8b8a2e-5a0f-4b57-9c55-3a1f0b7f4d10';

/**
 * Creates the audit entries for a change of an organization. The ids of the entries are derived from the change and
 * stored with it, so that a repeated call creates the same ids. An id includes the name of the collection, because an
 * organization and its list of members have the same id but separate versions. An id also includes the time: after a
 * backup was restored, an entry may exist although its change was lost, and the next change then gets the same version.
 */
function toAuditEntries(
  collectionName: string,
  { id, organizationId, version }: Guard,
  { context, audit, auditedIn }: Change,
  at: Date,
): AuditEventDocument[] {
  return audit.map(({ action, target }, index) =>
    stored<AuditEventDocument>({
      _id: uuidv5(`${collectionName}|${id}|${version + 1}|${at.getTime()}|${index}`, AUDIT_ID_NAMESPACE),
      organizationId: auditedIn ?? organizationId,
      createdAt: at,
      actorType: context.actor.type,
      actorId: context.actor.id,
      action,
      target,
      outcome: 'SUCCEEDED',
      requestId: context.requestId,
      ip: context.ip,
    }),
  );
}
