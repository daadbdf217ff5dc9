import { parseApiKey } from '@invoicecontrol/api-key';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isActiveKey, matchesKey } from '../domain/api-key.js';
import type { ApiKey, Pepper } from '../domain/api-key.js';
import type { Organization } from '../domain/organization.js';
import { entitlements } from '../domain/plans.js';
import type { Contract, Entitlements } from '../domain/plans.js';
import type { Rights } from '../domain/rights.js';
import { countRefusedKey } from '../telemetry.js';

/** Fields of an organization that every authentication reads. Companies are not included. */
export type OrganizationSummary = Pick<Organization, 'id' | 'keySeriesId' | 'deletion' | keyof Contract>;

/** The caller: its organization, rights and limits. */
export interface Principal extends Rights, Entitlements {
  readonly organizationId: string;
  readonly apiKeyId: string;
  /** Time when the API key of the caller expires. Undefined if it does not expire. */
  readonly keyExpiresTime: Date | undefined;
}

export interface AuthenticationDeps {
  /** Looks up an API key without a tenant, because the key determines the tenant. */
  readonly keys: { findOfAnyOrganization(apiKeyId: string): Promise<ApiKey | undefined> };
  readonly organizations: { findSummary(organizationId: string): Promise<OrganizationSummary | undefined> };
  readonly peppers: readonly [Pepper, ...Pepper[]];
  readonly clock: Clock;
  readonly keyUsage: { record(key: ApiKey, at: Date): void };
}

/**
 * Authenticates an API key and returns its principal (HTTP and security reference, section 8).
 * @throws DomainError unauthenticated, with the same message for every cause
 */
export const authenticateKey =
  ({ keys, organizations, peppers, clock, keyUsage }: AuthenticationDeps) =>
  async (text: string): Promise<Principal> => {
    const parts = parseApiKey(text);
    if (parts === undefined) throw refused('malformed');
    const key = await keys.findOfAnyOrganization(parts.id);
    if (!matchesKey(text, key, peppers) || key === undefined) throw refused('unknown');
    const organization = await organizations.findSummary(key.organizationId);
    const now = clock.now();
    if (organization === undefined || !isActiveKey(key, organization, now)) throw refused('dead');
    keyUsage.record(key, now);
    return {
      organizationId: organization.id,
      apiKeyId: key.id,
      role: key.role,
      scopes: key.scopes,
      keyExpiresTime: key.expiresAt,
      ...entitlements(organization),
    };
  };

function refused(reason: 'malformed' | 'unknown' | 'dead'): DomainError {
  countRefusedKey(reason);
  return new DomainError('unauthenticated', 'The API key is missing or not valid.');
}
