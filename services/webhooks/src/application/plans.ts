import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';

/** Reads the plans of organizations for work that no request started. */
export interface Plans {
  /**
   * Returns the plan of an organization, `UNKNOWN` while the organization service is unavailable, or `NO_ORGANIZATION`
   * for an organization that is unknown or deleted.
   */
  of(organizationId: string): Promise<string>;
}

export function plansOf(tenants: Tenants): Plans {
  return {
    async of(organizationId) {
      try {
        return (await tenants.factsOf(organizationId, systemContext('webhooks'))).plan;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        return error.kind === 'not_found' ? 'NO_ORGANIZATION' : 'UNKNOWN';
      }
    },
  };
}
