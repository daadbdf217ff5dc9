import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';

/** An attempt has a result. */
export function attemptEnded(outcome: string, state: string): void {
  count('webhooks.attempts', { outcome, state });
}

/** An event was stored for so many endpoints. */
export function eventFannedOut(type: string, deliveries: number): void {
  count('webhooks.deliveries', { type }, deliveries);
}

/** An endpoint was switched off because it only failed. */
export function endpointDisabled(): void {
  count('webhooks.endpoints_disabled');
}

/** Reports how late deliveries are, how many requests are under way, and which keys seal secrets. */
export function reportDeliveries({
  oldestDueSeconds,
  inFlight,
  secretsOfKey,
  unopenable,
  keyIds,
}: {
  oldestDueSeconds: () => Promise<number>;
  inFlight: () => number;
  /** Endpoints with a secret that this key seals. */
  secretsOfKey: (keyId: string) => Promise<number>;
  /** Endpoints with a secret under a key that this process lacks. */
  unopenable: () => Promise<number>;
  keyIds: readonly string[];
}): () => void {
  const closeQueue = reportGauges(
    {
      'webhooks.oldest_due_age': { unit: 's', description: 'How long the longest waiting delivery has been due.' },
      'webhooks.requests_in_flight': { unit: '{request}', description: 'Requests to endpoints under way.' },
      'webhooks.unopenable_endpoints': {
        unit: '{endpoint}',
        description: 'Endpoints with a secret under a key that this process lacks.',
      },
    },
    async () => [
      {
        attributes: {},
        values: {
          'webhooks.oldest_due_age': await oldestDueSeconds(),
          'webhooks.requests_in_flight': inFlight(),
          'webhooks.unopenable_endpoints': await unopenable(),
        },
      },
    ],
  );
  const closeSecrets = reportGauges(
    { 'webhooks.sealed_endpoints': { unit: '{endpoint}', description: 'Endpoints with a secret under the key.' } },
    () =>
      Promise.all(
        keyIds.map(async (keyId) => ({
          attributes: { key_id: keyId },
          values: { 'webhooks.sealed_endpoints': await secretsOfKey(keyId) },
        })),
      ),
  );
  return () => {
    closeQueue();
    closeSecrets();
  };
}
