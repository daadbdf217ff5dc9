import { count, record } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';

/** Counts requests to the address for payment provider notifications. */
export function notificationReceived(outcome: 'stored' | 'repeated' | 'refused'): void {
  count('invoicecontrol.provider.notifications', { outcome });
}

type Applied = AttributesOf<'invoicecontrol.provider.notifications_applied'>['outcome'];

/** Counts the outcomes of stored payment notifications. */
export function notificationApplied(outcome: Uppercase<Applied>): void {
  count('invoicecontrol.provider.notifications_applied', { outcome: inWords(outcome) });
}

/** Counts payment notifications about a second subscription for which payments continue. */
export function duplicateFound(): void {
  count('invoicecontrol.subscriptions.duplicates', {});
}

/** Counts payment notifications about a subscription with the prices of several plans. */
export function severalPlansFound(): void {
  count('invoicecontrol.subscriptions.several_plans', {});
}

/**
 * Counts the differences that the reconciliation found between stored subscriptions and subscriptions at the payment
 * provider.
 */
export function subscriptionsReconciled(found: { checked: number; corrected: number; unknown: number }): void {
  for (const result of ['checked', 'corrected', 'unknown'] as const) {
    count('invoicecontrol.subscriptions.reconciled', { result }, found[result]);
  }
}

/** Counts a checkout that a customer asked for. */
export function checkoutEnded(outcome: AttributesOf<'invoicecontrol.checkout'>['outcome']): void {
  count('invoicecontrol.checkout', { outcome });
}

/** Records how long after an event at the payment provider the stored subscription changed. */
export function entitlementChanged(seconds: number): void {
  record('invoicecontrol.entitlement.lag', Math.max(0, seconds), {});
}
