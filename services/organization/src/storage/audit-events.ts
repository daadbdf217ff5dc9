import type { Collection } from 'mongodb';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import type { Actor } from '@invoicecontrol/runtime/request-context';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { AuditEvent, AuditFilter, AuditTrail } from '../application/audit-trail.js';
import type { EndingTrail } from '../application/purge-organizations.js';

export interface AuditEventDocument {
  /**
   * Id of an audit entry, derived from the change, or from the event of another service, so that a repeated call adds
   * no second entry.
   */
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
  readonly actorType: Actor['type'];
  readonly actorId: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly requestId: string;
  readonly ip?: string;
}

/** Filters of the list of audit events, each of which has a database index. */
const filters = ['actorId', 'action', 'target', 'outcome'] as const satisfies readonly (keyof AuditFilter)[];

export async function createAuditEventIndexes(collection: Collection<AuditEventDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    ...filters.map((field) => ({
      key: { organizationId: 1, [field]: 1, ...NEWEST_FIRST },
      name: `newest_of_${field}`,
    })),
  ]);
}

/**
 * Append-only audit trail. No code updates an entry, and entries are only deleted with their whole trail. The entries
 * about changes in the organization service are added by {@link startAuditRelay}.
 */
export function auditTrail(collection: Collection<AuditEventDocument>): AuditTrail & EndingTrail {
  return {
    async add(organizationId, { id: _id, createdAt, actor, action, target, outcome, requestId, ip }) {
      const who = { actorType: actor.type, actorId: actor.id };
      await insertMissing(collection, [
        { _id, organizationId, createdAt, ...who, action, target, outcome, requestId, ip },
      ]);
    },
    async removeSome(organizationId, entriesMax) {
      const found = await collection.find({ organizationId }, { projection: { _id: 1 }, limit: entriesMax }).toArray();
      if (found.length === 0) return 0;
      const { deletedCount } = await collection.deleteMany({
        organizationId,
        _id: { $in: found.map(({ _id }) => _id) },
      });
      return deletedCount;
    },
    async list(organizationId, query) {
      const chosen = filters.flatMap((field) => (query[field] === undefined ? [] : [[field, query[field]] as const]));
      const filter = { ...Object.fromEntries(chosen), organizationId };
      const { items, nextPageToken } = await findPage(collection, filter, query);
      return { items: items.map(fromDocument), nextPageToken };
    },
  };
}

function fromDocument(document: AuditEventDocument): AuditEvent {
  const { _id: id, createdAt, actorType, actorId, action, target, outcome, requestId, ip } = document;
  return { id, createdAt, actor: { type: actorType, id: actorId }, action, target, outcome, requestId, ip };
}
