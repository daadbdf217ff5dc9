import { events } from '@invoicecontrol/contracts/events';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import type { TenantCompany as WireCompany } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { DomainError } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { hasCompany } from './facts.js';
import type { TenantCompany, TenantFacts } from './facts.js';

/** Knows tenants; the organization service owns them. */
export interface Tenants {
  /**
   * @param companyId a company that the caller names: facts from before it was created will not do
   * @throws DomainError not_found when the organization is unknown or deleted
   */
  factsOf(organizationId: string, context: RequestContext, companyId?: string): Promise<TenantFacts>;
}

/** Facts of a tenant are asked again after this time, or at once when the tenant says it changed. */
const FRESH_MS = 5_000;
/** While `organization` cannot be reached, older facts serve this long: a decision is worth more than their last change. */
const STALE_MS_MAX = 60_000;
const TENANTS_MAX = 10_000;
/** Less than any route gives the whole of its answer. */
const ASK_MS_MAX = 4_000;

interface Remembered {
  readonly facts: TenantFacts;
  readonly at: number;
}

/** Tenant facts from the organization service, remembered for seconds. */
export function tenantsFromOrganization(channel: Channel, bus: Bus, logger: Logger): Tenants & { close(): void } {
  const organization = client(OrganizationServiceDefinition, channel);
  const remembered = new Map<string, Remembered>();
  const asking = new Map<string, Promise<TenantFacts>>();
  const broadcast = subscribeBroadcast(
    bus,
    [events.organizationChanged, events.organizationDeleted, events.organizationRestored],
    ({ organizationId }) => remembered.delete(organizationId),
    logger,
  );

  const ask = async (organizationId: string, context: RequestContext): Promise<TenantFacts> => {
    const askedAt = Date.now();
    const reply = await organization.getTenantFacts({ organizationId }, { context, timeoutMs: ASK_MS_MAX });
    const facts: TenantFacts = {
      baseCurrency: reply.baseCurrency,
      defaultCompanyId: reply.defaultCompanyId,
      companies: reply.companies.map(fromWire),
    };
    const oldest = remembered.keys().next().value;
    if (remembered.size >= TENANTS_MAX && oldest !== undefined) remembered.delete(oldest);
    remembered.set(organizationId, { facts, at: askedAt });
    return facts;
  };
  const rememberedFacts = async (organizationId: string, context: RequestContext): Promise<TenantFacts> => {
    const known = remembered.get(organizationId);
    const age = known === undefined ? Number.POSITIVE_INFINITY : Date.now() - known.at;
    if (known !== undefined && age < FRESH_MS) return known.facts;
    // Many requests of one tenant ask once.
    let answer = asking.get(organizationId);
    if (answer === undefined) {
      answer = ask(organizationId, context).finally(() => asking.delete(organizationId));
      asking.set(organizationId, answer);
    }
    try {
      return await answer;
    } catch (error) {
      const isOutage = error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline');
      if (isOutage && known !== undefined && age < STALE_MS_MAX) return known.facts;
      throw error;
    }
  };
  return {
    async factsOf(organizationId, context, companyId) {
      const facts = await rememberedFacts(organizationId, context);
      // The news of a company may travel slower than the first invoice for it.
      return companyId === undefined || hasCompany(facts, companyId) ? facts : ask(organizationId, context);
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
