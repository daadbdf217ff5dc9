import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';

/** The plans of organizations, for work without a request. */
export interface Plans {
  /** `UNKNOWN` while `organization` is unavailable; `NO_ORGANIZATION` for one that is unknown or deleted. */
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
