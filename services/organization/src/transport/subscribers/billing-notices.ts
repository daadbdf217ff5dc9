import type { PaymentFailed, TrialEnding } from '@invoicecontrol/contracts/billing/v1/events';
import type { UsageReached } from '@invoicecontrol/contracts/usage/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { notifyOwners } from '../../application/notifications.js';

type NotifyDeps = Parameters<typeof notifyOwners>[0] & { readonly clock: Clock };

/** Handles billing `payment_failed`: queues one mail per bill and day. */
export function onPaymentFailed(deps: NotifyDeps): (event: PaymentFailed) => Promise<void> {
  return ({ organizationId, eventTime, transactionId, day }) =>
    notifyOwners(deps)({
      organizationId,
      at: eventTime ?? deps.clock.now(),
      key: `${transactionId}|${day}`,
      notice: { kind: 'PAYMENT_FAILED', transactionId },
    });
}

/** Handles billing `trial_ending`: queues one mail for each end of a trial. */
export function onTrialEnding(deps: NotifyDeps): (event: TrialEnding) => Promise<void> {
  return ({ organizationId, eventTime, subscriptionId, trialEndTime }) => {
    const at = eventTime ?? deps.clock.now();
    const trialEnd = trialEndTime ?? at;
    const key = `${subscriptionId}|${trialEnd.toISOString()}`;
    return notifyOwners(deps)({ organizationId, at, key, notice: { kind: 'TRIAL_ENDING', trialEnd } });
  };
}

/** Handles `usage_reached` of every service that counts usage: queues one mail per month, meter and step. */
export function onUsageReached(deps: NotifyDeps): (event: UsageReached) => Promise<void> {
  return ({ organizationId, eventTime, meter, period, percent, used, limit }) =>
    notifyOwners(deps)({
      organizationId,
      at: eventTime ?? deps.clock.now(),
      key: `${period}|${meter}|${percent}`,
      notice: { kind: 'USAGE_REACHED', meter, period, percent, used, limit },
    });
}
