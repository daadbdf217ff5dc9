import { PaymentNotificationServiceDefinition } from '@invoicecontrol/contracts/billing/v1/payment_notification_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { receiveNotification } from '../../application/receive-notification.js';
import type { ReceivingDeps } from '../../application/receive-notification.js';

/** Implements the gRPC service invoicecontrol.billing.v1.PaymentNotificationService. */
export function paymentNotificationService(deps: ReceivingDeps): Binding {
  return bind(PaymentNotificationServiceDefinition, {
    async receiveNotification(request) {
      await receiveNotification(deps)(request);
      return {};
    },
  });
}
