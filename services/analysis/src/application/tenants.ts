import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { TenantFacts } from '../domain/tenant.js';

/** Knows tenants; the organization service owns them. */
export interface Tenants {
  /**
   * @param companyId a company that the caller names: facts from before it was created will not do
   * @throws DomainError not_found when the organization is unknown or deleted
   */
  factsOf(organizationId: string, context: RequestContext, companyId?: string): Promise<TenantFacts>;
}
