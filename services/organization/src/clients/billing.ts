import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Subscriptions } from '../application/organization-lifecycle.js';
import type { OrganizationRegister } from '../application/register-organizations.js';

/**
 * Timeout of a call to billing in milliseconds. It is shorter than the time that a caller waits for the deletion of an
 * organization. If billing does not respond in time, nothing is deleted.
 */
const TIMEOUT_MS = 3_000;

/** Reads subscriptions from billing, including notifications that billing has only just accepted. */
export function subscriptionsFromBilling(channel: Channel): Subscriptions {
  const billing = client(SubscriptionServiceDefinition, channel);
  return {
    async preventsDeletion(organizationId, context) {
      const reply = await billing.checkDeletion({ organizationId }, { context, timeoutMs: TIMEOUT_MS });
      return reply.isKnown ? reply.hasSubscription : undefined;
    },
  };
}

/** Registers organizations in billing, which keeps an account for each. */
export function registerOfBilling(channel: Channel): OrganizationRegister {
  const billing = client(SubscriptionServiceDefinition, channel);
  return {
    async register(organizationId, context) {
      await billing.registerOrganization({ organizationId }, { context, timeoutMs: TIMEOUT_MS });
    },
  };
}
