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

/** Tells whether the data of such a notification is a whole subscription. */
export function isAboutSubscription(type: string): boolean {
  return SUBSCRIPTION_TYPES.has(type);
}

/** Tells whether the owners are told that a payment failed. */
export function isFailedPayment(type: string): boolean {
  return type === 'transaction.payment_failed' || type === 'transaction.past_due';
}

const KEPT_TYPES = /^(?:transaction|customer|address|business)\./;

/** Tells whether such notifications belong to the usual sequences although nothing follows from them here. */
export function isKept(type: string): boolean {
  return KEPT_TYPES.test(type);
}
