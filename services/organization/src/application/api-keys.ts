import { isDeepStrictEqual } from 'node:util';
import { events } from '@invoicecontrol/contracts/events';
import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import { changeKey, hasOtherRights, isActiveKey, readExpiry, revokeKey } from '../domain/api-key.js';
import type { ApiKey, Pepper } from '../domain/api-key.js';
import type { Organization } from '../domain/organization.js';
import { readRights, requireGrantable, requireRoleOfMember } from '../domain/rights.js';
import type { Rights } from '../domain/rights.js';
import { readName } from '../domain/text.js';
import type { Change } from './change.js';
import { requireOrganization } from './organizations.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';
import { generateKey } from './secrets.js';
import { ensureTestOrganization, findTestOrganization } from './test-organizations.js';

/** Stores the API keys of all organizations. */
export interface ApiKeys {
  find(organizationId: string, apiKeyId: string): Promise<ApiKey | undefined>;
  /** Finds the API keys of the organization with the given ids, in any order. */
  findMany(organizationId: string, apiKeyIds: readonly string[]): Promise<readonly ApiKey[]>;
  /** Lists the API keys of an organization's key series that are not revoked. */
  list(organizationId: string, seriesId: string, page: PageRequest): Promise<Page<ApiKey>>;
  /**
   * Stores a new API key.
   * @param change undefined if the audit entry is stored with the new organization
   */
  insert(key: ApiKey, change: Change | undefined): Promise<void>;
  /**
   * Stores the changed API key if the key has not changed since its version was read.
   * @throws VersionConflict
   */
  save(changed: ApiKey, change: Change): Promise<ApiKey>;
}

export interface ApiKeyDeps {
  readonly organizations: Organizations;
  readonly rosters: Pick<Rosters, 'findActiveMember' | 'insert'>;
  readonly keys: ApiKeys;
  /** Secret value that is mixed into the hashes of new API keys. */
  readonly pepper: Pepper;
  readonly clock: Clock;
}

export const listApiKeys =
  ({ organizations, keys }: ApiKeyDeps) =>
  async (
    { organizationId, isTest }: { organizationId: string; isTest?: boolean | undefined },
    page: PageRequest,
  ): Promise<Page<ApiKey>> => {
    const organization = await requireOrganization(organizations, organizationId);
    const owner = isTest === true ? await findTestOrganization(organizations, organization) : organization;
    if (owner === undefined) return { items: [], nextPageToken: '' };
    return keys.list(owner.id, owner.keySeriesId, page);
  };

/**
 * Returns the record of an API key of the organization or of its test organization.
 * @throws DomainError not_found if the key is unknown, revoked or belongs to another organization
 */
export const getApiKey =
  ({ organizations, keys }: ApiKeyDeps) =>
  async (organizationId: string, apiKeyId: string): Promise<ApiKey> => {
    const organization = await requireOrganization(organizations, organizationId);
    const key = await keys.find(organizationId, apiKeyId);
    if (key !== undefined) return requireCurrent(key, organization);
    const testOrganization = await findTestOrganization(organizations, organization);
    if (testOrganization === undefined) throw notFound('API key');
    return requireCurrent(await keys.find(testOrganization.id, apiKeyId), testOrganization);
  };

function requireCurrent(key: ApiKey | undefined, { keySeriesId }: Organization): ApiKey {
  if (key === undefined || key.revokedAt !== undefined || key.seriesId !== keySeriesId) throw notFound('API key');
  return key;
}

export interface NewApiKeyInput {
  readonly organizationId: string;
  readonly name: string;
  readonly role: string;
  /** Scopes of the API key. Empty for the default scopes of the role. */
  readonly scopes: readonly string[];
  readonly expiresAt?: Date | undefined;
  /** Active member that a new API key belongs to. */
  readonly userId?: string | undefined;
  /** True for an API key of the test organization. Undefined for a key of the same kind as the caller's. */
  readonly isTest?: boolean | undefined;
}

/**
 * Creates an API key. Only this response contains the complete key.
 * @throws DomainError invalid, also if the member that the key is for has a lower role; forbidden if the grantor does
 *   not have all rights of the key
 */
export const createApiKey =
  (deps: ApiKeyDeps) =>
  async (
    input: NewApiKeyInput,
    { grantor, context }: { grantor: Rights; context: RequestContext },
  ): Promise<{ apiKey: ApiKey; key: string }> => {
    const now = deps.clock.now();
    const rights = readRights(input.role, input.scopes);
    requireGrantable(rights, grantor);
    const name = readName('name', input.name);
    const expiresAt = input.expiresAt === undefined ? undefined : readExpiry(input.expiresAt, now);
    const caller = await requireOrganization(deps.organizations, input.organizationId);
    const organization = await owningOrganization(deps, caller, input, context);
    if (input.userId !== undefined) {
      const member = await deps.rosters.findActiveMember(input.organizationId, input.userId);
      if (member === undefined) throw invalidField('user_id', 'must be the id of an active member.');
      requireRoleOfMember(rights, member.role);
    }
    const isTest = organization.testOf !== undefined;
    const { key, ...secret } = generateKey(isTest ? 'test' : 'live', deps.pepper);
    const own = { ...secret, ...rights, name, createdAt: now, userId: input.userId, isTest: isTest || undefined };
    const apiKey = {
      ...keyRecord(organization, own, context),
      expiresAt,
    };
    await deps.keys.insert(apiKey, {
      context,
      auditedIn: input.organizationId,
      audit: [{ action: 'api_key.created', target: `api_key:${apiKey.id}` }],
    });
    return { apiKey, key };
  };

/**
 * Returns the organization that a new API key belongs to: the organization of the caller, or its test organization,
 * which is created with its first API key.
 * @throws DomainError forbidden if a test key asks for a live key, invalid for a test key of a member
 */
async function owningOrganization(
  deps: ApiKeyDeps,
  caller: Organization,
  { isTest, userId }: Pick<NewApiKeyInput, 'isTest' | 'userId'>,
  context: RequestContext,
): Promise<Organization> {
  if (caller.testOf !== undefined && isTest === false) {
    throw new DomainError(
      'forbidden',
      'A test key can create only test keys. Create the key with a key that begins with `ick_live_`.',
    );
  }
  if (caller.testOf === undefined && isTest !== true) return caller;
  if (userId !== undefined) {
    throw invalidField('user_id', 'must be absent for a test key, because a test organization has no members.');
  }
  return caller.testOf === undefined ? ensureTestOrganization(deps, caller, context) : caller;
}

/**
 * Stores the first API key of an owner in a key series. The key becomes valid when an organization that names the
 * series is stored.
 */
export async function insertOwnerKey(
  { keys, pepper }: Pick<ApiKeyDeps, 'keys' | 'pepper'>,
  organization: Organization,
  { now, context, userId }: { now: Date; context: RequestContext; userId?: string },
): Promise<{ apiKeyId: string; key: string }> {
  const { key, ...secret } = generateKey('live', pepper);
  const rights = readRights('OWNER', []);
  await keys.insert(
    keyRecord(organization, { ...secret, ...rights, name: 'Owner', createdAt: now, userId }, context),
    undefined,
  );
  return { apiKeyId: secret.id, key };
}

function keyRecord(
  { id: organizationId, keySeriesId }: Organization,
  own: Pick<ApiKey, 'id' | 'hash' | 'pepperId' | 'role' | 'scopes' | 'name' | 'createdAt' | 'userId' | 'isTest'>,
  { actor }: RequestContext,
): ApiKey {
  return {
    ...own,
    organizationId,
    version: 1,
    seriesId: keySeriesId,
    createdBy: `${actor.type}:${actor.id}`,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedDay: undefined,
  };
}

export interface ApiKeyUpdate {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  /** Scopes of the API key. An empty list leaves the scopes unchanged. */
  readonly scopes: readonly string[];
}

/**
 * Renames an API key or lowers its rights. Lowering rights publishes `api_keys_revoked`, so that the gateways remove
 * the old rights from their caches.
 */
export const updateApiKey =
  (deps: ApiKeyDeps) =>
  (update: ApiKeyUpdate, { grantor, context }: { grantor: Rights; context: RequestContext }): Promise<ApiKey> => {
    return retryOnConflict(async () => {
      const before = await getApiKey(deps)(update.organizationId, update.apiKeyId);
      const actingKeyId = context.actor.type === 'API_KEY' ? context.actor.id : undefined;
      const after = changeKey(before, update, { grantor, actingKeyId });
      if (isDeepStrictEqual(after, before)) return before;
      return deps.keys.save(after, {
        context,
        auditedIn: update.organizationId,
        audit: [{ action: 'api_key.updated', target: `api_key:${before.id}` }],
        events: hasOtherRights(after, before) ? [keysRevoked(before)] : [],
      });
    });
  };

/** Revokes an API key in one database write. From then on, every call with the key is refused. */
export const revokeApiKey =
  (deps: ApiKeyDeps) =>
  (
    { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
    context: RequestContext,
  ): Promise<ApiKey> => {
    return retryOnConflict(async () => {
      const acting = await actingKey(deps, organizationId, context);
      const key = await getApiKey(deps)(organizationId, apiKeyId);
      return deps.keys.save(revokeKey(key, acting, deps.clock.now()), {
        context,
        auditedIn: organizationId,
        audit: [{ action: 'api_key.revoked', target: `api_key:${key.id}` }],
        events: [keysRevoked(key)],
      });
    });
  };

/** Returns the API key that requests the change. Undefined if the actor is not a key. */
async function actingKey(
  { organizations, keys, clock }: ApiKeyDeps,
  organizationId: string,
  { actor }: RequestContext,
): Promise<ApiKey | undefined> {
  if (actor.type !== 'API_KEY') return undefined;
  const organization = await requireOrganization(organizations, organizationId);
  const key = await keys.find(organizationId, actor.id);
  // The API key is checked again, because the gateway caches keys for seconds. If two API keys revoke each other, only
  // one of them may succeed.
  if (key === undefined || !isActiveKey(key, organization, clock.now())) {
    throw new DomainError('unauthenticated', 'The API key is missing or not valid.');
  }
  return key;
}

function keysRevoked({ id, version }: ApiKey): Announcement {
  return announce(events.apiKeysRevoked, { version: version + 1, apiKeyIds: [id] });
}
