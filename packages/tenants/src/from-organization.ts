import { events } from '@invoicecontrol/contracts/events';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import type { TenantCompany as WireCompany } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { isTemporary } from '@invoicecontrol/errors';
import { createCache } from '@invoicecontrol/runtime/cache';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { unbounded } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from './facts.js';
import type { TenantCompany, TenantFacts } from './facts.js';

/** Reads facts about organizations from the organization service. */
export interface Tenants {
  /**
   * Returns the facts about an organization.
   * @param companyId company that the caller names; facts that were loaded before the company was created are loaded
   * again
   * @throws DomainError not_found if the organization is unknown or deleted
   */
  factsOf(organizationId: string, context: RequestContext, companyId?: string): Promise<TenantFacts>;
}

/** Time after which the facts about an organization are loaded again. A change event causes a reload immediately. */
const FRESH_MS = 5_000;
/**
 * Maximum age of facts that are used while the organization service is unavailable. A decision based on slightly old
 * facts is better than no decision.
 */
const STALE_MS_MAX = 60_000;
const TENANTS_MAX = 10_000;
/** Timeout in milliseconds for loading the facts about an organization, shorter than the timeout of any route. */
const LOAD_MS_MAX = 4_000;

/** Creates a cache of facts about organizations. The facts expire after a few seconds. */
export function tenantsFromOrganization(channel: Channel, bus: Bus, logger: Logger): Tenants & { close(): void } {
  const organization = client(OrganizationServiceDefinition, channel);
  const facts = createCache<TenantFacts, RequestContext>({
    async load(organizationId, context) {
      // Other callers may wait for the same facts about the organization, so the deadline of the first caller must not
      // apply.
      const call = { context: unbounded(context), timeoutMs: LOAD_MS_MAX };
      const reply = await organization.getTenantFacts({ organizationId }, call);
      return {
        name: reply.name,
        baseCurrency: reply.baseCurrency,
        defaultCompanyId: reply.defaultCompanyId,
        companies: reply.companies.map(fromWire),
        plan: reply.plan,
        hasActiveSubscription: reply.hasActiveSubscription,
        erpConnectionsLimit: reply.erpConnectionsLimit,
        analysesPerMonthLimit: reply.analysesPerMonthLimit,
        uploadBytesPerMonthLimit: reply.uploadBytesPerMonthLimit,
        referenceValidationMode: reply.referenceValidationMode,
        fourEyes: reply.fourEyes,
      };
    },
    freshMs: FRESH_MS,
    entriesMax: TENANTS_MAX,
    staleIfError: {
      maxMs: STALE_MS_MAX,
      retryMs: 0,
      mayServe: isTemporary,
    },
  });
  const broadcast = subscribeBroadcast(
    bus,
    [events.organizationChanged, events.organizationDeleted, events.organizationRestored],
    ({ organizationId }) => facts.invalidate(organizationId),
    logger,
  );
  return {
    async factsOf(organizationId, context, companyId) {
      const cached = await facts.get(organizationId, context);
      // The event about a new company may arrive after the first invoice for the company, so facts without the named
      // company are loaded again.
      const isKnown = companyId === undefined || hasCompany(cached, companyId);
      return isKnown ? cached : facts.reload(organizationId, context);
    },
    close: () => broadcast.close(),
  };
}

function fromWire({ companyId, name, taxId, country }: WireCompany): TenantCompany {
  return {
    companyId,
    name,
    ...(taxId === undefined ? {} : { taxId }),
    ...(country === undefined ? {} : { country }),
  };
}
