import { OperatorServiceDefinition } from '@invoicecontrol/contracts/billing/v1/operator_service';
import { DomainError } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { ProviderUnavailable } from '../../application/provider-api.js';
import { reconcileSubscriptions } from '../../application/reconcile.js';
import type { ReconcilingDeps } from '../../application/reconcile.js';

/** invoicecontrol.billing.v1.OperatorService */
export function operatorService(deps: ReconcilingDeps): Binding {
  return bind(OperatorServiceDefinition, {
    async reconcileSubscriptions(_request, { signal }) {
      try {
        return await reconcileSubscriptions(deps)(signal ?? new AbortController().signal);
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error;
        throw new DomainError(
          'foreign_failure',
          `The payment provider cannot be read: ${error.message}. Check PADDLE_API_URL and PADDLE_API_KEY, then run this again.`,
          { cause: error },
        );
      }
    },
  });
}
