import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Subscriptions } from '../application/organization-lifecycle.js';
import type { OrganizationRegister } from '../application/register-organizations.js';

/**
 * Timeout of a call to the billing service in milliseconds. It is shorter than the time that a caller waits for the
 * deletion of an organization. If the billing service does not respond in time, nothing is deleted.
 */
const TIMEOUT_MS = 3_000;

/**
 * Reads subscriptions from the billing service, including changes that it has only just received from the payment
 * provider.
 */
export function subscriptionsFromBilling(channel: Channel): Subscriptions {
  const billing = client(SubscriptionServiceDefinition, channel);
  return {
    async preventsDeletion(organizationId, context) {
      const reply = await billing.checkDeletion({ organizationId }, { context, timeoutMs: TIMEOUT_MS });
      return reply.isKnown ? reply.hasSubscription : undefined;
    },
  };
}

/** Registers organizations with the billing service, which keeps an account for each organization. */
export function registerOfBilling(channel: Channel): OrganizationRegister {
  const billing = client(SubscriptionServiceDefinition, channel);
  return {
    async register(organizationId, context) {
      await billing.registerOrganization({ organizationId }, { context, timeoutMs: TIMEOUT_MS });
    },
  };
}
