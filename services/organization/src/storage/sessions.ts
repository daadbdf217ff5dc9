import type { Collection } from 'mongodb';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Sessions } from '../application/sessions.js';
import { SESSION_IDLE_MS } from '../domain/session.js';
import type { Session } from '../domain/session.js';
import { createAuditedIndexes } from './audit-relay.js';
import type { Audited } from './audit-relay.js';
import type { AuditedStore } from './audited-store.js';

/** Stored session of the app. MongoDB removes it a day after its absolute end. */
export interface SessionDocument extends Audited {
  readonly apiKeyId: string;
  readonly userId?: string;
  /** HMAC of the session token. A session of the app is looked up by this value. */
  readonly hash: string;
  readonly createdAt: Date;
  /**
   * Time of the last use of a session of the app. Writing it does not change the version of the session, because no
   * rule that changes the session depends on it.
   */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly endedAt?: Date;
}

/**
 * Time for which an ended session of the app is kept, so that the relay can move its audit entries before the session
 * is removed.
 */
const KEPT_SECONDS = 24 * 3_600;
/** Maximum number of sessions of the app that one sign-in ends. An API key has more only after concurrent sign-ins. */
const EXCESS_MAX = 100;

export async function createSessionIndexes(collection: Collection<SessionDocument>): Promise<void> {
  await createAuditedIndexes(collection);
  await ensureIndexes(collection, [
    { key: { hash: 1 }, unique: true, name: 'hash' },
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { organizationId: 1, apiKeyId: 1, lastSeenAt: -1 }, name: 'key_recent' },
    { key: { expiresAt: 1 }, expireAfterSeconds: KEPT_SECONDS, name: 'expiry' },
  ]);
}

export function sessionStore(
  collection: Collection<SessionDocument>,
  store: AuditedStore<SessionDocument>,
): Sessions & {
  findByHashOfAnyOrganization(hashes: readonly string[]): Promise<Session | undefined>;
  see(session: Session, at: Date): Promise<void>;
} {
  const open = (now: Date) => ({
    endedAt: { $exists: false },
    expiresAt: { $gt: now },
    lastSeenAt: { $gt: new Date(now.getTime() - SESSION_IDLE_MS) },
  });
  return {
    async findByHashOfAnyOrganization(hashes) {
      const document = await collection.findOne({ hash: { $in: [...hashes] } });
      return document === null ? undefined : fromDocument(document);
    },
    async see({ id, organizationId }, at) {
      await collection.updateOne({ _id: id, organizationId }, { $max: { lastSeenAt: at } });
    },
    async find(organizationId, sessionId) {
      const document = await collection.findOne({ _id: sessionId, organizationId });
      return document === null ? undefined : fromDocument(document);
    },
    async list(organizationId, now, request) {
      const { items, nextPageToken } = await findPage(collection, { organizationId, ...open(now) }, request);
      return { items: items.map(fromDocument), nextPageToken };
    },
    async listLeastRecent(organizationId, apiKeyId, now, after) {
      const excess = await collection
        .find({ organizationId, apiKeyId, ...open(now) })
        .sort({ lastSeenAt: -1, _id: -1 })
        .skip(after)
        .limit(EXCESS_MAX)
        .toArray();
      return excess.map(fromDocument);
    },
    async insert({ id, version: _version, ...state }, change) {
      await store.insert({ _id: id, ...state }, change);
    },
    async end({ id, organizationId, version }, endedAt, change) {
      await store.save({ id, organizationId, version }, { $set: { endedAt } }, change);
    },
  };
}

function fromDocument({ _id: id, ...document }: SessionDocument): Session {
  const { organizationId, version, apiKeyId, userId, hash, createdAt, lastSeenAt, expiresAt, endedAt } = document;
  return { id, organizationId, version, apiKeyId, userId, hash, createdAt, lastSeenAt, expiresAt, endedAt };
}
