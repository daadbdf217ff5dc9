import type { Collection } from 'mongodb';
import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { AuditEvent, AuditTrail } from '../application/audit-trail.js';
import type { AuditAction } from '../application/change.js';
import { findPage, NEWEST_FIRST } from './page-query.js';

export interface AuditEventDocument {
  /** Derived from the change; a copy made twice is there once. */
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
  readonly actorType: Actor['type'];
  readonly actorId: string;
  readonly action: AuditAction;
  readonly target: string;
  readonly outcome: 'SUCCEEDED';
  readonly requestId: string;
  readonly ip?: string;
}

export async function createAuditEventIndexes(collection: Collection<AuditEventDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' }]);
}

/** Reads the append-only collection: nothing changes or removes an entry, and {@link startCopies} alone adds some. */
export function auditTrail(collection: Collection<AuditEventDocument>): AuditTrail {
  return {
    async list(organizationId, request) {
      const { items, nextPageToken } = await findPage(collection, { organizationId }, request);
      return { items: items.map(fromDocument), nextPageToken };
    },
  };
}

function fromDocument(document: AuditEventDocument): AuditEvent {
  const { _id: id, createdAt, actorType, actorId, action, target, outcome, requestId, ip } = document;
  return { id, createdAt, actor: { type: actorType, id: actorId }, action, target, outcome, requestId, ip };
}
