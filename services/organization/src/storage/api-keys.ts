import type { Collection } from 'mongodb';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { ApiKeys } from '../application/api-keys.js';
import type { ApiKey } from '../domain/api-key.js';
import { scopesOfEarlierKey } from '../domain/rights.js';
import { createAuditedIndexes } from './audit-relay.js';
import type { Audited } from './audit-relay.js';
import type { AuditedStore } from './audited-store.js';

/**
 * Stored API key. Each API key is a document of its own, so that one write revokes the key and stores the event
 * `api_keys_revoked`.
 */
export interface ApiKeyDocument extends Audited {
  readonly seriesId: string;
  readonly name: string;
  readonly role: ApiKey['role'];
  readonly scopes: ApiKey['scopes'];
  readonly hash: string;
  readonly pepperId: string;
  readonly userId?: string;
  readonly isTest?: boolean;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
  /**
   * Day of the last use of an API key, which only {@link startKeyUsage} writes. Writing the day does not change the
   * version of the key, because no rule depends on the day.
   */
  readonly lastUsedDay?: string;
  /**
   * Version number of the list of all scopes at the time when the API key was stored. Absent if an earlier release
   * stored the key.
   */
  readonly scopeGeneration?: number;
}

/** First version number of the list of all scopes that includes the scopes for payment runs. */
const SCOPE_GENERATION = 2;

export async function createApiKeyIndexes(collection: Collection<ApiKeyDocument>): Promise<void> {
  await createAuditedIndexes(collection);
  await ensureIndexes(collection, [
    { key: { organizationId: 1, seriesId: 1, ...NEWEST_FIRST }, name: 'series_newest' },
  ]);
}

export function apiKeyStore(
  collection: Collection<ApiKeyDocument>,
  store: AuditedStore<ApiKeyDocument>,
): ApiKeys & { findOfAnyOrganization(apiKeyId: string): Promise<ApiKey | undefined> } {
  return {
    async findOfAnyOrganization(apiKeyId) {
      const document = await collection.findOne({ _id: apiKeyId });
      return document === null ? undefined : fromDocument(document);
    },
    async find(organizationId, apiKeyId) {
      const document = await collection.findOne({ organizationId, _id: apiKeyId });
      return document === null ? undefined : fromDocument(document);
    },
    async findMany(organizationId, apiKeyIds) {
      const documents = await collection.find({ organizationId, _id: { $in: [...apiKeyIds] } }).toArray();
      return documents.map(fromDocument);
    },
    async list(organizationId, seriesId, request) {
      const notRevoked = { organizationId, seriesId, revokedAt: { $exists: false } };
      const { items, nextPageToken } = await findPage(collection, notRevoked, request);
      return { items: items.map(fromDocument), nextPageToken };
    },
    async insert({ id, organizationId, version: _version, lastUsedDay: _lastUsedDay, ...state }, change) {
      const { expiresAt, revokedAt, userId, isTest, ...own } = state;
      const scopeGeneration = SCOPE_GENERATION;
      await store.insert(
        { _id: id, organizationId, ...own, userId, isTest, expiresAt, revokedAt, scopeGeneration },
        change,
      );
    },
    async save({ id, organizationId, version, lastUsedDay: _lastUsedDay, ...state }, change) {
      const saved = await store.save(
        { id, organizationId, version },
        setOrUnset<ApiKeyDocument>({ ...state, scopeGeneration: SCOPE_GENERATION }),
        change,
      );
      return fromDocument(saved);
    },
  };
}

function fromDocument(document: ApiKeyDocument): ApiKey {
  return {
    id: document._id,
    organizationId: document.organizationId,
    version: document.version,
    seriesId: document.seriesId,
    name: document.name,
    role: document.role,
    scopes: document.scopeGeneration === undefined ? scopesOfEarlierKey(document) : document.scopes,
    hash: document.hash,
    pepperId: document.pepperId,
    userId: document.userId,
    isTest: document.isTest,
    createdBy: document.createdBy,
    createdAt: document.createdAt,
    expiresAt: document.expiresAt,
    revokedAt: document.revokedAt,
    lastUsedDay: document.lastUsedDay,
  };
}
