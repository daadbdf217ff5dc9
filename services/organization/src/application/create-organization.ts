import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import type { Pepper } from '../domain/api-key.js';
import { readBaseCurrency } from '../domain/organization.js';
import type { Organization } from '../domain/organization.js';
import { readPlan } from '../domain/plans.js';
import { readEmail, readName } from '../domain/text.js';
import { insertOwnerKey } from './api-keys.js';
import type { ApiKeys } from './api-keys.js';
import { newMember } from './members.js';
import type { Organizations } from './organizations.js';
import type { Rosters } from './rosters.js';

export interface CreateOrganizationDeps {
  readonly organizations: Organizations;
  readonly rosters: Rosters;
  readonly keys: ApiKeys;
  readonly pepper: Pepper;
  readonly clock: Clock;
}

export interface NewOrganization {
  readonly organization: Organization;
  readonly ownerKey: string;
  readonly ownerUserId: string;
}

/**
 * Creates an organization with its default company, its owner and the owner's first API key. The organization itself is
 * written last. Until then, the API key and the list of members have no effect, so the caller can simply repeat the
 * call after a crash.
 */
export const createOrganization =
  ({ organizations, rosters, keys, pepper, clock }: CreateOrganizationDeps) =>
  async (
    input: { name: string; ownerEmail: string; plan: string; baseCurrency: string },
    context: RequestContext,
  ): Promise<NewOrganization> => {
    const now = clock.now();
    const name = readName('name', input.name);
    const ownerEmail = readEmail('owner_email', input.ownerEmail);
    const companyId = uuidv7();
    const contract = {
      plan: input.plan === '' ? 'ENTERPRISE' : readPlan(input.plan),
      subscriptionStatus: 'none',
      additionalLegalEntities: 0,
    } as const;
    const organization: Organization = {
      id: uuidv7(),
      version: 1,
      name,
      billingEmail: ownerEmail,
      baseCurrency: readBaseCurrency(input.baseCurrency === '' ? 'EUR' : input.baseCurrency),
      referenceValidationMode: 'DECLARED_PROFILES',
      fourEyes: false,
      ...contract,
      // If the operator stated no plan, the default plan applies only until the first subscription.
      granted: input.plan === '' ? undefined : contract,
      companies: [{ id: companyId, name, taxId: undefined, country: undefined, createdAt: now }],
      defaultCompanyId: companyId,
      keySeriesId: uuidv7(),
      createdAt: now,
      deletion: undefined,
    };
    const owner = newMember({ email: ownerEmail, name: undefined, role: 'OWNER', createdAt: now });
    const ownerKey = await insertOwnerKey({ keys, pepper }, organization, { now, context, userId: owner.userId });
    await rosters.insert({ organizationId: organization.id, version: 1, members: [owner] });
    await organizations.insert(organization, {
      context,
      audit: [
        { action: 'organization.created', target: `organization:${organization.id}` },
        { action: 'company.created', target: `company:${companyId}` },
        { action: 'member.created', target: `member:${owner.userId}` },
        { action: 'api_key.created', target: `api_key:${ownerKey.apiKeyId}` },
      ],
      events: [announce(events.organizationCreated, { version: 1 })],
    });
    return { organization, ownerKey: ownerKey.key, ownerUserId: owner.userId };
  };
