import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import { cleanNote } from '@invoicecontrol/values/readable-text';
import { settle, TRIES_MAX } from '../domain/delivery.js';
import type { SendResult } from '../domain/delivery.js';
import { maskProofs } from '../domain/excerpt.js';
import { hasWebhooks } from '../domain/endpoint.js';
import type { RetrySchedule } from '../domain/retry.js';
import { signingSecrets } from '../domain/secrets.js';
import { sign } from '../domain/signature.js';
import { attemptEnded, firstAttemptBegun } from '../telemetry.js';
import type { CompletionBatch } from './complete-deliveries.js';
import type { Plans } from './plans.js';
import type { WorkResult } from './scheduler.js';
import type { ClaimedDelivery, CurrentEndpoints, DeliveryQueue, Events } from './stores.js';

/** Sender of HTTP requests to the webhooks of customers. */
export interface Sender {
  /**
   * Sends the HTTP request of one webhook delivery attempt.
   * @returns 'OURS' if the attempt failed because of the webhooks service: no name server responded, or the service is
   * stopping
   */
  post(request: OutgoingRequest, signal: AbortSignal): Promise<SendResult | 'OURS'>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendDeps {
  readonly queue: DeliveryQueue;
  readonly completions: CompletionBatch;
  readonly endpoints: CurrentEndpoints;
  readonly events: Pick<Events, 'read'>;
  readonly plans: Plans;
  readonly secrets: Pick<SealedField, 'open'>;
  readonly sender: Sender;
  readonly schedule: RetrySchedule;
  readonly overlapMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const USER_AGENT = 'InvoiceControl-Webhooks/1';
/** Delay of the next webhook delivery attempt after an attempt that failed because of the webhooks service. */
const OURS_AGAIN_MS = 30_000;

/**
 * Makes one attempt of a claimed webhook delivery (webhooks-and-events reference, section 3.3). The webhook is read
 * directly before the request is sent, so that changes by its owner apply. `onRequest` is called when the request is
 * sent.
 */
export const sendDelivery =
  (deps: SendDeps) =>
  async (claimed: ClaimedDelivery, signal: AbortSignal, onRequest: () => void): Promise<WorkResult> => {
    const { queue, clock } = deps;
    const { delivery } = claimed;
    const later = async (): Promise<WorkResult> => {
      await queue.release(claimed, new Date(clock.now().getTime() + OURS_AGAIN_MS));
      return 'NEUTRAL';
    };
    if (signal.aborted) {
      await queue.release(claimed, clock.now());
      return 'NEUTRAL';
    }
    const [endpoint, event, plan] = await Promise.all([
      deps.endpoints.read(delivery.endpointId),
      deps.events.read(delivery.eventId),
      deps.plans.of(delivery.organizationId),
    ]);
    if (plan === 'UNKNOWN') return later();
    if (endpoint === undefined || endpoint.status === 'DELETED' || event === undefined) {
      await queue.close(claimed, 'CANCELED');
      return 'NEUTRAL';
    }
    if (endpoint.status === 'DISABLED' || plan === 'NO_ORGANIZATION' || !hasWebhooks(plan)) {
      await queue.close(claimed, 'SKIPPED');
      return 'NEUTRAL';
    }

    const at = clock.now();
    if (delivery.series === 1 && delivery.failures === 0 && delivery.tries <= 1) {
      firstAttemptBegun((at.getTime() - event.createdAt.getTime()) / 1_000);
    }
    const result = await attempt();
    if (result === 'OURS') return later();
    const now = clock.now();
    const settlement = settle(delivery, result, { at, now, random: Math.random(), schedule: deps.schedule });
    attemptEnded(deps.logger, { delivery, result, state: settlement.state, failures: settlement.failures });
    // The result of a webhook delivery is stored without waiting. The receiver has responded, and the next request to
    // the receiver need not wait for the database.
    void deps.completions.add({ claimed, settlement, hadFailures: endpoint.failuresInRow > 0 });
    return result.outcome === 'SUCCESS' ? 'SUCCESS' : 'FAILURE';

    async function attempt(): Promise<SendResult | 'OURS'> {
      if (delivery.tries > TRIES_MAX) {
        deps.logger.error(
          { deliveryId: delivery.id, tries: delivery.tries },
          'a delivery has had too many attempts without a result',
        );
        return { outcome: 'INTERRUPTED', durationMs: 0 };
      }
      if (endpoint === undefined || event === undefined) return 'OURS';
      let secrets: readonly string[];
      try {
        secrets = signingSecrets(endpoint.secrets, at, deps.overlapMs).map((secret) =>
          deps.secrets.open({ id: secret.id, organizationId: endpoint.organizationId }, secret),
        );
      } catch (error) {
        // Another replica already seals webhook secrets with a newer key that this replica does not have. A replica
        // without the key must not use up delivery attempts.
        deps.logger.error({ error, endpointId: endpoint.id }, 'the secrets of an endpoint cannot be opened');
        return 'OURS';
      }
      const signature = sign({ eventId: event.id, at, body: event.body }, secrets);
      onRequest();
      const sent = await deps.sender.post(
        {
          url: endpoint.url,
          body: event.body,
          headers: {
            'content-type': 'application/json',
            'user-agent': USER_AGENT,
            'accept-encoding': 'identity',
            'svc-event-id': event.id,
            'svc-signature': signature.header,
          },
        },
        signal,
      );
      if (sent === 'OURS' || sent.excerpt === undefined) return sent;
      return { ...sent, excerpt: maskProofs(cleanNote(sent.excerpt), [...signature.values, ...secrets]) };
    }
  };
