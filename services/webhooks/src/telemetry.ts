import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import type { DeliveryState, Outcome } from './domain/delivery.js';

/** Counts a completed webhook delivery attempt in the metrics, by its outcome. */
export function attemptEnded(
  outcome: Outcome,
  state: DeliveryState & ('DELIVERED' | 'PENDING' | 'FAILED'),
  ms: number,
): void {
  const ended = outcomeOf(outcome);
  count('invoicecontrol.deliveries', { outcome: ended, state: inWords(state) });
  record('invoicecontrol.attempt.duration', ms / 1_000, { outcome: ended });
}

function outcomeOf(outcome: Outcome): 'delivered' | 'failed' | 'interrupted' | 'blocked' {
  if (outcome === 'SUCCESS') return 'delivered';
  if (outcome === 'INTERRUPTED') return 'interrupted';
  return outcome === 'BLOCKED_ADDRESS' ? 'blocked' : 'failed';
}

/** Records how late the first attempt of a webhook delivery began. */
export function firstAttemptBegun(secondsLate: number): void {
  record('invoicecontrol.delivery.lateness', Math.max(0, secondsLate), {});
}

/** Counts a stored event with the number of its webhook deliveries. */
export function eventFannedOut(type: string, deliveries: number): void {
  count('invoicecontrol.delivery.queued', { type }, deliveries);
}

/** Counts a webhook that was disabled because all its deliveries failed. */
export function endpointDisabled(): void {
  count('invoicecontrol.endpoint.disabled', {});
}

/** Reports the number of webhooks by status. */
export function reportEndpoints(
  countByStatus: () => Promise<readonly { readonly status: string; readonly count: number }[]>,
): () => void {
  return reportGauges(['invoicecontrol.endpoints'], async () => {
    const counted = await countByStatus();
    return (['ACTIVE', 'DISABLED'] as const).map((status) => ({
      attributes: { status: inWords(status) },
      values: { 'invoicecontrol.endpoints': counted.find((one) => one.status === status)?.count ?? 0 },
    }));
  });
}

/** Reports how late deliveries are, and the number of requests in progress. */
export function reportDeliveries({
  oldestDueSeconds,
  inFlight,
}: {
  oldestDueSeconds: () => Promise<number>;
  inFlight: () => number;
}): () => void {
  const closeAge = reportGauges(['invoicecontrol.jobs.oldest_age'], async () => [
    {
      attributes: { 'job.name': 'deliveries' as const },
      values: { 'invoicecontrol.jobs.oldest_age': await oldestDueSeconds() },
    },
  ]);
  const closeSlots = reportGauges(['invoicecontrol.slots.used'], async () => [
    { attributes: {}, values: { 'invoicecontrol.slots.used': inFlight() } },
  ]);
  return () => {
    closeAge();
    closeSlots();
  };
}
