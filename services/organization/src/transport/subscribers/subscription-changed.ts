import type { SubscriptionChanged } from '@invoicecontrol/contracts/billing/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { projectSubscription } from '../../application/project-subscription.js';
import { readAdditionalLegalEntities, readPlan, readSubscriptionStatus } from '../../domain/plans.js';

type ProjectionDeps = Parameters<typeof projectSubscription>[0] & { readonly clock: Clock };

/** Handles the event `subscription_changed` of the billing service. */
export function onSubscriptionChanged(deps: ProjectionDeps): (event: SubscriptionChanged) => Promise<void> {
  return ({ eventId, eventTime, organizationId, version, plan, status, active, additionalLegalEntities }) =>
    projectSubscription(deps)(organizationId, eventId, {
      plan: readPlan(plan),
      subscriptionStatus: readSubscriptionStatus(status),
      additionalLegalEntities: readAdditionalLegalEntities(additionalLegalEntities),
      isSubscriptionActive: active,
      source: { version, at: eventTime ?? deps.clock.now() },
    });
}
