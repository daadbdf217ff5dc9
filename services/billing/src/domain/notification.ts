export const NOTIFICATION_BYTES_MAX = 1024 * 1024;

const SUBSCRIPTION_TYPES: ReadonlySet<string> = new Set([
  'subscription.created',
  'subscription.imported',
  'subscription.trialing',
  'subscription.activated',
  'subscription.updated',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.canceled',
]);

/** Checks whether the data in a payment notification of this type is a complete subscription. */
export function isAboutSubscription(type: string): boolean {
  return SUBSCRIPTION_TYPES.has(type);
}

/** Checks whether a notification type reports a failed payment, of which the owners are notified. */
export function isFailedPayment(type: string): boolean {
  return type === 'transaction.payment_failed' || type === 'transaction.past_due';
}

const KEPT_TYPES = /^(?:transaction|customer|address|business)\./;

/** Checks whether payment notifications of a type are expected but ignored. */
export function isKept(type: string): boolean {
  return KEPT_TYPES.test(type);
}
