import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { Organizations } from '../application/submissions/stores.js';

/** Looks up organizations in the facts that the organization service publishes. */
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
