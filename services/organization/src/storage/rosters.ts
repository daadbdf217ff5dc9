import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import type { Rosters } from '../application/rosters.js';
import type { Invitation, Member, Roster } from '../domain/roster.js';
import type { AuditedStore } from './audited-store.js';
import { createAuditedIndexes } from './audit-relay.js';
import type { Audited } from './audit-relay.js';

/**
 * The people of one organization, stored under the id of the organization. One database document for all members
 * enforces the rules about the last OWNER, unique addresses and the number of members even for concurrent requests. The
 * document is separate from the organization, which most calls read without members.
 */
export interface RosterDocument extends Audited {
  readonly members: readonly MemberDocument[];
}

interface MemberDocument {
  readonly userId: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly role: Member['role'];
  readonly createdAt: Date;
  readonly invitation?: Invitation | undefined;
}

export async function createRosterIndexes(collection: Collection<RosterDocument>): Promise<void> {
  await createAuditedIndexes(collection);
  await ensureIndexes(collection, [{ key: { 'members.invitation.tokenHash': 1 }, sparse: true, name: 'invitation' }]);
}

export function rosterStore(collection: Collection<RosterDocument>, store: AuditedStore<RosterDocument>): Rosters {
  return {
    async find(organizationId) {
      const document = await collection.findOne({ _id: organizationId });
      return document === null ? undefined : fromDocument(document);
    },
    async findActiveMember(organizationId, userId) {
      const document = await collection.findOne(
        { _id: organizationId, members: { $elemMatch: { userId, invitation: { $exists: false } } } },
        { projection: { 'members.$': 1 } },
      );
      return document?.members.map(fromMemberDocument)[0];
    },
    async countMembers(organizationIds) {
      const documents = await collection
        .find(
          { _id: { $in: [...organizationIds] } },
          { projection: { 'members.userId': 1, 'members.invitation.expiresAt': 1 } },
        )
        .toArray();
      return new Map(
        documents.map(({ _id, members }) => [_id, members.filter((member) => member.invitation === undefined).length]),
      );
    },
    async findByInvitation(tokenHash) {
      const document = await collection.findOne({ 'members.invitation.tokenHash': tokenHash });
      return document === null ? undefined : fromDocument(document);
    },
    insert: ({ organizationId, members }) => store.insert({ _id: organizationId, organizationId, members }, undefined),
    async save({ organizationId, version, members }, change) {
      await store.save({ id: organizationId, organizationId, version }, { $set: { members } }, change);
    },
  };
}

function fromDocument({ organizationId, version, members }: RosterDocument): Roster {
  return {
    organizationId,
    version,
    members: members.map(fromMemberDocument),
  };
}

function fromMemberDocument({ userId, email, name, role, createdAt, invitation }: MemberDocument): Member {
  return { userId, email, name, role, createdAt, invitation };
}
