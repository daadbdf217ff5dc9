import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { Organizations } from '../application/submissions/stores.js';

/** Looks up tenants in the facts of the organization service. */
export function organizationsOf(tenants: Pick<Tenants, 'factsOf'>): Organizations {
  return {
    async exists(organizationId) {
      try {
        await tenants.factsOf(organizationId, systemContext('ksef submission'));
        return true;
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'not_found') return false;
        throw error;
      }
    },
  };
}
