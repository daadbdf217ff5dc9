import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { TenantFacts } from '../domain/tenant.js';

/** Knows tenants; the organization service owns them. */
export interface Tenants {
  /** @throws DomainError not_found when the organization is unknown or deleted */
  factsOf(organizationId: string, context: RequestContext): Promise<TenantFacts>;
}
