import { ratePolicies } from '@invoicecontrol/contracts/rate-limits';
import type { RatePolicy } from '@invoicecontrol/contracts/rate-limits';
import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import { metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { Occasion } from './domain/notification.js';
import { plans } from './domain/plans.js';

const organizationStatuses = metrics['invoicecontrol.organizations'].attributes.status.values;

/**
 * Reports the number of organizations by plan, and by the status of their subscription or of the organization itself.
 */
export function reportOrganizations(
  countByPlan: () => Promise<readonly { readonly plan: string; readonly status: string; readonly count: number }[]>,
): () => void {
  return reportGauges(['invoicecontrol.organizations'], async () => {
    const counted = await countByPlan();
    return plans.flatMap((plan) =>
      organizationStatuses.map((status) => {
        const found = counted.find((one) => one.plan === plan && one.status === status);
        return {
          attributes: { plan: inWords(plan), status },
          values: { 'invoicecontrol.organizations': found?.count ?? 0 },
        };
      }),
    );
  });
}

/** Counts refused API keys. The reason is for operators only; the caller gets one message for every reason. */
export function countRefusedKey(reason: 'malformed' | 'unknown' | 'dead'): void {
  count('invoicecontrol.keys.refused', { reason });
}

/** Counts refused sessions of the app by reason. The reason is for operators only. */
export function countRefusedSession(reason: 'malformed' | 'unknown' | 'dead'): void {
  count('invoicecontrol.sessions.refused', { reason });
}

/** Counts requests that exceed a rate limit. */
export function countRefusedRequest(policy: string): void {
  // The gateway defines the rate limit policies. A later release of the gateway may send a policy that this release
  // does not know.
  if (isRatePolicy(policy)) count('invoicecontrol.rate_limits.exceeded', { policy });
}

function isRatePolicy(policy: string): policy is RatePolicy {
  return (ratePolicies as readonly string[]).includes(policy);
}

/** Counts organizations that could not be registered in billing. */
export function countFailedRegistration(): void {
  count('invoicecontrol.registrations.failed', {});
}

/** Counts an organization whose purge began, in the metrics. */
export function countPurge(): void {
  count('invoicecontrol.purges', {});
}

/** Counts notification mails that were sent or finally failed. */
export function countCompletedNotification(kind: Occasion['kind'], status: 'SENT' | 'FAILED'): void {
  count('invoicecontrol.mails', { kind: inWords(kind), status: inWords(status) });
}
