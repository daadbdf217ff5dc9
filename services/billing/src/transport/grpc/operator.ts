import { OperatorServiceDefinition } from '@invoicecontrol/contracts/billing/v1/operator_service';
import { DomainError } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { linkByOperator } from '../../application/link-by-operator.js';
import type { OperatorLinkingDeps } from '../../application/link-by-operator.js';
import { KeyRefused, ProviderUnavailable } from '../../application/provider-api.js';
import { reconcileSubscriptions } from '../../application/reconcile.js';

/** Implements the gRPC service invoicecontrol.billing.v1.OperatorService. */
export function operatorService(deps: OperatorLinkingDeps): Binding {
  return bind(OperatorServiceDefinition, {
    async reconcileSubscriptions(_request, { signal }) {
      try {
        return await reconcileSubscriptions(deps)(signal ?? new AbortController().signal);
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error;
        throw new DomainError(
          'foreign_failure',
          error instanceof KeyRefused
            ? `The payment provider refused the API key: ${error.message}. Set PADDLE_API_KEY to a key that may read subscriptions, then run the command again.`
            : `The payment provider is unavailable: ${error.message}. Run the command again later; until then, the daily job retries every hour.`,
          { cause: error },
        );
      }
    },
    async linkSubscription({ subscriptionId, organizationId, dryRun }, context) {
      const { isLinked, wasLinkedBefore, otherCustomerIds, otherSubscriptionIds, ...shown } = await linkByOperator(
        deps,
      )({ subscriptionId, organizationId, isDryRun: dryRun }, context);
      return {
        ...shown,
        linked: isLinked,
        alreadyLinked: wasLinkedBefore,
        otherCustomerIds: [...otherCustomerIds],
        otherSubscriptionIds: [...otherSubscriptionIds],
      };
    },
  });
}
