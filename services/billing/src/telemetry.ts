import { count } from '@invoicecontrol/runtime/telemetry';

/** Counts requests to the address for payment provider notifications. */
export function notificationReceived(outcome: 'stored' | 'repeated' | 'refused'): void {
  count('billing.notifications_received', { outcome });
}

/** Counts the outcomes of stored payment notifications. */
export function notificationApplied(outcome: string): void {
  count('billing.notifications_applied', { outcome });
}

/** Counts notifications about a second subscription for which payments continue. */
export function duplicateFound(): void {
  count('billing.duplicates_found');
}

/** Counts notifications about a subscription with the prices of several plans. */
export function severalPlansFound(): void {
  count('billing.several_plans_found');
}

/** Counts the differences that the reconciliation found. */
export function subscriptionsReconciled(found: { checked: number; corrected: number; unknown: number }): void {
  for (const [result, amount] of Object.entries(found)) count('billing.subscriptions_reconciled', { result }, amount);
}
