import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import type { Subscription } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { createPortalSession } from '../../application/create-portal-session.js';
import type { PortalDeps } from '../../application/create-portal-session.js';
import { checkDeletion, readSubscription } from '../../application/read-subscription.js';
import type { ReadingDeps, SubscriptionView } from '../../application/read-subscription.js';
import { registerOrganization } from '../../application/register-organization.js';
import type { RegisteringDeps } from '../../application/register-organization.js';

/** Implements the gRPC service invoicecontrol.billing.v1.SubscriptionService. */
export function subscriptionService(deps: ReadingDeps & PortalDeps & RegisteringDeps): Binding {
  const register = registerOrganization(deps);
  return bind(SubscriptionServiceDefinition, {
    async getSubscription({ organizationId }) {
      const { current, duplicates } = await readSubscription(deps)(organizationId);
      return {
        subscription: current && encodeSubscription(current),
        duplicates: duplicates.map(({ id: subscriptionId, status }) => ({ subscriptionId, status })),
      };
    },
    checkDeletion: ({ organizationId }) => checkDeletion(deps)(organizationId),
    async registerOrganization({ organizationId }) {
      await register(organizationId);
      return {};
    },
    async createPortalSession({ organizationId }, context) {
      return { url: await createPortalSession(deps)(organizationId, context) };
    },
  });
}

function encodeSubscription(current: NonNullable<SubscriptionView['current']>): Subscription {
  const { plan, status, isActive, interval, additionalLegalEntities, periodEnd, scheduledChange } = current;
  return {
    plan,
    status,
    active: isActive,
    billingInterval: interval,
    additionalLegalEntities,
    periodEndTime: periodEnd,
    scheduledChange: scheduledChange && {
      action: scheduledChange.action,
      effectiveTime: scheduledChange.effectiveAt,
    },
  };
}
