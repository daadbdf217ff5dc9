import { count } from '@invoicecontrol/runtime/telemetry';

/** Counts what arrives at the address of the payment provider. */
export function notificationReceived(outcome: 'stored' | 'repeated' | 'refused'): void {
  count('billing.notifications_received', { outcome });
}

/** Counts what became of stored notifications. */
export function notificationApplied(outcome: string): void {
  count('billing.notifications_applied', { outcome });
}

/** Counts notifications about a second subscription that is still paid for. */
export function duplicateFound(): void {
  count('billing.duplicates_found');
}

/** Counts notifications about a subscription with the prices of several plans. */
export function severalPlansFound(): void {
  count('billing.several_plans_found');
}

/** Counts what reconciling found. */
export function subscriptionsReconciled(found: { checked: number; corrected: number; unknown: number }): void {
  for (const [result, amount] of Object.entries(found)) count('billing.subscriptions_reconciled', { result }, amount);
}
