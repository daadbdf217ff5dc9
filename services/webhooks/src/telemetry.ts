import type { Logger } from '@invoicecontrol/runtime/logger';
import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import type { Delivery, DeliveryState, Outcome, SendResult } from './domain/delivery.js';

interface EndedAttempt {
  readonly delivery: Pick<Delivery, 'id' | 'organizationId' | 'endpointId' | 'eventId'>;
  readonly result: Pick<SendResult, 'outcome' | 'statusCode' | 'durationMs'>;
  readonly state: DeliveryState & ('DELIVERED' | 'PENDING' | 'FAILED');
  /** Number of consecutive failed webhook delivery attempts, including the current attempt. */
  readonly failures: number;
}

/**
 * Counts a completed webhook delivery attempt in the metrics, by its outcome, and logs a failed attempt. The log line
 * contains neither the URL nor anything that the receiver sent.
 */
export function attemptEnded(logger: Logger, { delivery, result, state, failures }: EndedAttempt): void {
  const { outcome, statusCode, durationMs } = result;
  const ended = outcomeOf(outcome);
  count('invoicecontrol.deliveries', { outcome: ended, state: inWords(state) });
  record('invoicecontrol.attempt.duration', durationMs / 1_000, { outcome: ended });
  if (outcome === 'SUCCESS') return;
  const { id: deliveryId, organizationId, endpointId, eventId } = delivery;
  logger.info(
    {
      organizationId,
      endpointId,
      deliveryId,
      eventId,
      outcome: inWords(outcome),
      code: statusCode,
      failures,
      status: inWords(state),
      durationMs: Math.round(durationMs),
    },
    'an attempt to deliver a webhook failed',
  );
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

/** Counts a stored webhook event with the number of its webhook deliveries. */
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

/** Reports how late webhook deliveries are, and the number of webhook requests in progress. */
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
