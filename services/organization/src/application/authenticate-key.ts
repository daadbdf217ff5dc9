import { parseApiKey } from '@invoicecontrol/api-key';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isActiveKey, matchesKey } from '../domain/api-key.js';
import type { ApiKey, Pepper } from '../domain/api-key.js';
import type { Organization } from '../domain/organization.js';
import { entitlements } from '../domain/plans.js';
import type { Contract, Entitlements } from '../domain/plans.js';
import { rightsOfMemberKey } from '../domain/rights.js';
import type { Rights } from '../domain/rights.js';
import { countRefusedKey } from '../telemetry.js';
import type { Rosters } from './rosters.js';

/** Fields of an organization that every authentication of an API key reads. Companies are not included. */
export type OrganizationSummary = Pick<Organization, 'id' | 'keySeriesId' | 'deletion' | 'testOf' | keyof Contract>;

/** The authenticated caller of a request: its organization, rights and limits. */
export interface Principal extends Rights, Entitlements {
  readonly organizationId: string;
  readonly apiKeyId: string;
  /** Person to whom the API key belongs, in the form in which `personOf` returns it. */
  readonly person: string;
  /** Time when the API key of the caller expires. Undefined if it does not expire. */
  readonly keyExpiresTime: Date | undefined;
  /** True if the organization of the caller is a test organization. */
  readonly isTest: boolean;
}

export interface AuthenticationDeps {
  /** Looks up an API key without a tenant, because the key shows which organization it belongs to. */
  readonly keys: { findOfAnyOrganization(apiKeyId: string): Promise<ApiKey | undefined> };
  readonly organizations: { findSummary(organizationId: string): Promise<OrganizationSummary | undefined> };
  readonly rosters: Pick<Rosters, 'findActiveMember'>;
  readonly peppers: readonly [Pepper, ...Pepper[]];
  readonly clock: Clock;
  readonly keyUsage: { record(key: ApiKey, at: Date): void };
}

/**
 * Authenticates an API key and returns its principal (HTTP and security reference, section 8).
 * @throws DomainError unauthenticated, with the same message for every cause
 */
export const authenticateKey =
  (deps: AuthenticationDeps) =>
  async (text: string): Promise<Principal> => {
    const parts = parseApiKey(text);
    if (parts === undefined) throw refused('malformed');
    const key = await deps.keys.findOfAnyOrganization(parts.id);
    if (!matchesKey(text, key, deps.peppers) || key === undefined) throw refused('unknown');
    return principalOf(key, deps, () => refused('dead'));
  };

/**
 * Returns the principal of an API key that the caller has proved to hold.
 * @throws the given refusal if the key is no longer valid, its member was removed or its organization was deleted
 */
export async function principalOf(
  key: ApiKey,
  { keys, organizations, rosters, clock, keyUsage }: Omit<AuthenticationDeps, 'peppers'>,
  refusal: () => DomainError,
): Promise<Principal> {
  const [organization, member, person] = await Promise.all([
    organizations.findSummary(key.organizationId),
    key.userId === undefined ? undefined : rosters.findActiveMember(key.organizationId, key.userId),
    personBehind(key, keys),
  ]);
  const now = clock.now();
  if (organization === undefined || !isActiveKey(key, organization, now)) throw refusal();
  if (key.userId !== undefined && member === undefined) throw refusal();
  if (organization.testOf !== undefined) {
    // The test organization is deleted some time after its organization, but its API keys are refused at once.
    const parent = await organizations.findSummary(organization.testOf);
    if (parent === undefined || parent.deletion !== undefined) throw refusal();
  }
  keyUsage.record(key, now);
  return {
    organizationId: organization.id,
    apiKeyId: key.id,
    person,
    ...(member === undefined ? rightsOf(key) : rightsOfMemberKey(rightsOf(key), member.role)),
    keyExpiresTime: key.expiresAt,
    isTest: organization.testOf !== undefined,
    ...entitlements(organization),
  };
}

function rightsOf({ role, scopes }: ApiKey): Rights {
  return { role, scopes };
}

/**
 * Maximum number of steps in the search for the person behind an API key. Each step leads from a key to the key that
 * created it.
 */
const CREATORS_MAX = 16;

/**
 * Returns the person behind an API key: its member, or the person behind the key that created it, or the operator who
 * created it. Even if the creating key was revoked, the person stays the same. A test key that a key of the
 * organization created counts as a separate person, because nothing of the organization appears in its test
 * organization.
 */
async function personBehind(key: ApiKey, keys: AuthenticationDeps['keys']): Promise<string> {
  let { id, userId, createdBy } = key;
  for (let step = 0; step < CREATORS_MAX && userId === undefined; step++) {
    const [, creatorId] = /^API_KEY:(.*)$/.exec(createdBy) ?? [];
    const creator = creatorId === undefined ? undefined : await keys.findOfAnyOrganization(creatorId);
    if (creator === undefined) break;
    if (creator.organizationId !== key.organizationId) return `API_KEY:${id}`;
    ({ id, userId, createdBy } = creator);
  }
  return userId === undefined ? createdBy : `USER:${userId}`;
}

function refused(reason: 'malformed' | 'unknown' | 'dead'): DomainError {
  countRefusedKey(reason);
  return new DomainError('unauthenticated', 'The API key is missing or not valid.');
}
