import { recordsById } from '@invoicecontrol/retention/archive-pages';
import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { aggregateStore, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { Collection } from 'mongodb';
import type { ViewLists } from '../application/views.js';
import type { SavedView } from '../domain/views.js';
import { createAuditedIndexes } from './audit-relay.js';
import type { Audited } from './audit-relay.js';
import type { AuditedStore } from './audited-store.js';

/**
 * The saved views of one member, or those that an organization shares. One database document for all of them enforces
 * their maximum number and the single default even for concurrent requests.
 */
export interface ViewListDocument extends Audited {
  /** Member that the saved views belong to. Absent for the views that the organization shares. */
  readonly userId?: string;
  readonly views: readonly SavedView[];
}

export async function createViewIndexes(collection: Collection<ViewListDocument>): Promise<void> {
  await createAuditedIndexes(collection);
  await ensureIndexes(collection, [{ key: { organizationId: 1, _id: 1 }, name: 'organization' }]);
}

export function viewStore(
  collection: Collection<ViewListDocument>,
  audited: AuditedStore<ViewListDocument>,
  { outbox, clock }: { outbox: Outbox; clock: Clock },
): ViewLists {
  const unaudited = aggregateStore<ViewListDocument>(collection, outbox, clock);
  return {
    async find(organizationId, userId) {
      const document = await collection.findOne({ _id: idOf(organizationId, userId), organizationId });
      const { version, views } = document ?? { version: 0, views: [] };
      return { organizationId, userId, version, views };
    },
    async save({ organizationId, userId, version, views }, change) {
      const id = idOf(organizationId, userId);
      if (version === 0) {
        const document = { _id: id, organizationId, views, ...(userId === undefined ? {} : { userId }) };
        await orConflict(audited.insert(document, change));
        return;
      }
      const guard = { id, organizationId, version };
      if (change === undefined) await unaudited.commit(guard, { $set: { views } });
      else await audited.save(guard, { $set: { views } }, change);
    },
    async remove(organizationId, userId) {
      await collection.deleteOne({ _id: idOf(organizationId, userId), organizationId });
    },
  };
}

/**
 * Returns a function that reads the saved views for the data export of an organization: one record for each member, and
 * one for the shared views.
 */
export function archivedViews(collection: Collection<ViewListDocument>): ReadArchivePage {
  return (request) =>
    recordsById(collection, ({ userId = null, views }) => ({
      ownerUserId: userId,
      views: views.filter(({ createdAt }) => createdAt < request.createdBefore),
    }))(request);
}

function idOf(organizationId: string, userId: string | undefined): string {
  return userId === undefined ? organizationId : `${organizationId}:${userId}`;
}

/** Waits for an insert. If a concurrent request has inserted the same document, the caller must read it. */
async function orConflict(insert: Promise<void>): Promise<void> {
  try {
    await insert;
  } catch (error) {
    if (isDuplicateKey(error)) throw new VersionConflict();
    throw error;
  }
}
