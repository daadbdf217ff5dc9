import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';

/** Counts a completed webhook delivery attempt in the metrics, by its outcome. */
export function attemptEnded(outcome: string, state: string): void {
  count('webhooks.attempts', { outcome, state });
}

/** Counts a stored event with the number of its webhook deliveries. */
export function eventFannedOut(type: string, deliveries: number): void {
  count('webhooks.deliveries', { type }, deliveries);
}

/** Counts a webhook that was disabled because it only failed. */
export function endpointDisabled(): void {
  count('webhooks.endpoints_disabled');
}

/** Reports how late deliveries are, and the number of requests in progress. */
export function reportDeliveries({
  oldestDueSeconds,
  inFlight,
}: {
  oldestDueSeconds: () => Promise<number>;
  inFlight: () => number;
}): () => void {
  return reportGauges(
    {
      'webhooks.oldest_due_age': {
        unit: 's',
        description: 'How long the longest-waiting delivery has been due.',
      },
      'webhooks.requests_in_flight': { unit: '{request}', description: 'Number of requests to endpoints in progress.' },
    },
    async () => [
      {
        attributes: {},
        values: {
          'webhooks.oldest_due_age': await oldestDueSeconds(),
          'webhooks.requests_in_flight': inFlight(),
        },
      },
    ],
  );
}
