import { SubscriptionServiceDefinition } from '@invoicecontrol/contracts/billing/v1/subscription_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Subscriptions } from '../application/organization-lifecycle.js';
import type { OrganizationRegister } from '../application/register-organizations.js';

/** Less than the caller of a deletion waits: what billing does not answer by then prevents it. */
const TIMEOUT_MS = 3_000;

/** Subscriptions as billing knows them, notifications that it has just accepted included. */
export function subscriptionsFromBilling(channel: Channel): Subscriptions {
  const billing = client(SubscriptionServiceDefinition, channel);
  return {
    async preventsDeletion(organizationId, context) {
      const reply = await billing.checkDeletion({ organizationId }, { context, timeoutMs: TIMEOUT_MS });
      return reply.isKnown ? reply.hasSubscription : undefined;
    },
  };
}

/** Billing keeps an account of each organization that it knows. */
export function registerOfBilling(channel: Channel): OrganizationRegister {
  const billing = client(SubscriptionServiceDefinition, channel);
  return {
    async register(organizationId, context) {
      await billing.registerOrganization({ organizationId }, { context, timeoutMs: TIMEOUT_MS });
    },
  };
}
