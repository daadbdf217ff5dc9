import { CheckoutServiceDefinition } from '@invoicecontrol/contracts/billing/v1/checkout_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { createCheckout } from '../../application/create-checkout.js';
import type { CheckoutDeps } from '../../application/create-checkout.js';

/** Implements the gRPC service invoicecontrol.billing.v1.CheckoutService. */
export function checkoutService(deps: CheckoutDeps): Binding {
  return bind(CheckoutServiceDefinition, {
    async createCheckout(request, context) {
      const { items, successUrl, checkoutReference } = await createCheckout(deps)(request, context);
      return { items: [...items], customerEmail: request.customerEmail, successUrl, checkoutReference };
    },
  });
}
