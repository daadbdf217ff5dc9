import type { PaymentFailed, TrialEnding } from '@invoicecontrol/contracts/billing/v1/events';
import type { UsageReached } from '@invoicecontrol/contracts/usage/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { notifyOwners } from '../../application/notifications.js';

type NotifyDeps = Parameters<typeof notifyOwners>[0] & { readonly clock: Clock };

/** Handles the event `payment_failed` of the billing service: queues one mail for each bill and day. */
export function onPaymentFailed(deps: NotifyDeps): (event: PaymentFailed) => Promise<void> {
  return ({ organizationId, eventTime, transactionId, day }) =>
    notifyOwners(deps)({
      organizationId,
      at: eventTime ?? deps.clock.now(),
      key: `${transactionId}|${day}`,
      notice: { kind: 'PAYMENT_FAILED', transactionId },
    });
}

/** Handles the event `trial_ending` of the billing service: queues one mail for each end of a trial. */
export function onTrialEnding(deps: NotifyDeps): (event: TrialEnding) => Promise<void> {
  return ({ organizationId, eventTime, subscriptionId, trialEndTime }) => {
    const at = eventTime ?? deps.clock.now();
    const trialEnd = trialEndTime ?? at;
    const key = `${subscriptionId}|${trialEnd.toISOString()}`;
    return notifyOwners(deps)({ organizationId, at, key, notice: { kind: 'TRIAL_ENDING', trialEnd } });
  };
}

/**
 * Handles the event `usage_reached` of every service that counts usage: queues one mail for each month, usage counter
 * and reached share of the limit.
 */
export function onUsageReached(deps: NotifyDeps): (event: UsageReached) => Promise<void> {
  return ({ organizationId, eventTime, meter, period, percent, used, limit }) =>
    notifyOwners(deps)({
      organizationId,
      at: eventTime ?? deps.clock.now(),
      key: `${period}|${meter}|${percent}`,
      notice: { kind: 'USAGE_REACHED', meter, period, percent, used, limit },
    });
}
