import { CheckoutServiceDefinition } from '@invoicecontrol/contracts/billing/v1/checkout_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { createCheckout } from '../../application/create-checkout.js';
import { createCheckoutSession } from '../../application/create-checkout-session.js';
import type { CheckoutSessionDeps } from '../../application/create-checkout-session.js';

/** Implements the gRPC service invoicecontrol.billing.v1.CheckoutService. */
export function checkoutService(deps: CheckoutSessionDeps): Binding {
  return bind(CheckoutServiceDefinition, {
    async createCheckout(request, context) {
      const { items, successUrl, checkoutReference } = await createCheckout(deps)(request, context);
      return { items: [...items], customerEmail: request.customerEmail, successUrl, checkoutReference };
    },
    async createCheckoutSession(request, context) {
      return { url: await createCheckoutSession(deps)(request, context) };
    },
  });
}
