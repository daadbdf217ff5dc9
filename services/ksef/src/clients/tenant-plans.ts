import { DomainError } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import type { TenantPlans } from '../application/inbox/stores.js';

/** Reads plan limits from the facts that the organization service publishes. */
export function tenantPlansOf(tenants: Pick<Tenants, 'factsOf'>): TenantPlans {
  return {
    async limitsOf(organizationId) {
      try {
        const facts = await tenants.factsOf(organizationId, systemContext('ksef inbox'));
        return { analyses: facts.analysesPerMonthLimit, uploadBytes: facts.uploadBytesPerMonthLimit };
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'not_found') return undefined;
        throw error;
      }
    },
  };
}
