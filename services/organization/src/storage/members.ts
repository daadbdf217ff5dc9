import type { Collection } from 'mongodb';
import { DomainError } from '@invoicecontrol/errors';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { Members } from '../application/members.js';
import type { Member } from '../domain/member.js';
import { createAuditedIndexes } from './audit-copies.js';
import type { Audited } from './audit-copies.js';
import type { AuditedStore } from './audited-store.js';

export interface MemberDocument extends Audited {
  readonly email: string;
  /** The address in lower case: people type it either way. */
  readonly emailKey: string;
  readonly name?: string;
  readonly role: Member['role'];
  readonly status: Member['status'];
  readonly createdAt: Date;
}

export async function createMemberIndexes(collection: Collection<MemberDocument>): Promise<void> {
  await createAuditedIndexes(collection);
  await collection.createIndexes([{ key: { organizationId: 1, emailKey: 1 }, unique: true, name: 'email' }]);
}

export function memberStore(store: AuditedStore<MemberDocument>): Members {
  return {
    async insert({ userId, name, ...member }, change) {
      const document = {
        _id: userId,
        ...member,
        ...(name === undefined ? {} : { name }),
        emailKey: member.email.toLowerCase(),
      };
      try {
        await store.insert(document, change);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        throw new DomainError('already_exists', 'A member of the organization has this e-mail address.', {
          cause: error,
        });
      }
    },
  };
}
