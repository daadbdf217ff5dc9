import { randomUUID } from 'node:crypto';
import { bodyOf } from '@invoicecontrol/public-events';
import type { PublicEvent } from '@invoicecontrol/public-events';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { deliveryId } from '../domain/delivery.js';
import { hasWebhooks, receives } from '../domain/endpoint.js';
import { eventFannedOut } from '../telemetry.js';
import type { DeliveryWorker } from './delivery-worker.js';
import type { Plans } from './plans.js';
import type { DeliveryQueue, Endpoints, Events, NewDelivery, SendableDelivery } from './stores.js';

/** A public webhook event with the internal event that caused it. */
export interface Occurrence {
  readonly eventId: string;
  readonly at: Date;
  readonly organizationId: string;
  readonly event: PublicEvent;
}

export interface FanOutDeps {
  readonly endpoints: Pick<Endpoints, 'subscribed'>;
  readonly events: Pick<Events, 'insert'>;
  readonly queue: Pick<DeliveryQueue, 'insert'>;
  readonly plans: Plans;
  readonly worker: Pick<DeliveryWorker, 'take' | 'start' | 'add'>;
  readonly clock: Clock;
}

/** Maximum size of a webhook body (webhooks-and-events reference, section 3.3). */
const BODY_BYTES_MAX = 64 * 1024;

/**
 * Stores a public event once, and one webhook delivery for each subscribed webhook. The ids of the event and the
 * deliveries are derived, so a repeated call changes nothing. If the webhook has no other request in progress, this
 * process claims the delivery when storing it and sends it at once.
 * @throws Error if the event has more than 64 KiB; the event becomes a dead letter that the operator sees
 */
export type FanOut = (occurrence: Occurrence) => Promise<void>;

export const fanOut =
  ({ endpoints, events, queue, plans, worker, clock }: FanOutDeps): FanOut =>
  async ({ eventId, at, organizationId, event }) => {
    const subscribed = await endpoints.subscribed(organizationId, event.type);
    const receivers = subscribed.filter((endpoint) => receives(endpoint, event.type, at));
    if (receivers.length === 0) return;
    const plan = await plans.of(organizationId);
    if (plan === 'NO_ORGANIZATION') return;
    if (plan === 'UNKNOWN')
      throw new DomainError(
        'unavailable',
        'The plan of the organization, which determines whether webhooks are delivered, cannot be read right now.',
      );
    const body = bodyOf(eventId, event);
    const bytes = Buffer.byteLength(body);
    if (bytes > BODY_BYTES_MAX) {
      throw new Error(
        `The body of event ${event.type} ${eventId} has ${bytes} bytes; the maximum is ${BODY_BYTES_MAX}.`,
      );
    }
    await events.insert({ id: eventId, organizationId, type: event.type, body, createdAt: clock.now() });
    const isSkipped = !hasWebhooks(plan);
    const deliveries = receivers.map(({ id: endpointId }): NewDelivery => ({
      id: deliveryId(eventId, endpointId),
      organizationId,
      endpointId,
      eventId,
      type: event.type,
      createdAt: clock.now(),
      state: isSkipped ? 'SKIPPED' : 'PENDING',
      isTest: false,
      ...invoiceOf(event),
    }));
    await storeAndStart({ queue, worker }, deliveries);
    eventFannedOut(event.type, deliveries.length);
  };

/** Stores webhook deliveries that are due now, and starts sending those for which a slot is free. */
export async function storeAndStart(
  { queue, worker }: Pick<FanOutDeps, 'queue' | 'worker'>,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const prepared = deliveries.map((delivery) => {
    const slot = delivery.state === 'PENDING' ? worker.take(delivery.endpointId) : undefined;
    return { delivery, claim: slot && { slot, claimId: randomUUID() } };
  });
  let existing: ReadonlySet<string>;
  try {
    existing = await queue.insert(prepared.map(({ delivery, claim }) => ({ ...delivery, claimId: claim?.claimId })));
  } catch (error) {
    for (const { claim } of prepared) claim?.slot.release();
    throw error;
  }
  for (const { delivery, claim } of prepared) {
    if (existing.has(delivery.id)) claim?.slot.release();
    else if (claim !== undefined) worker.start(claim.slot, { delivery: sendable(delivery, 1), claimId: claim.claimId });
    else if (delivery.state === 'PENDING') worker.add({ ...sendable(delivery, 0), nextAttemptAt: delivery.createdAt });
  }
}

/** Returns the id of the invoice that an event is about. Callers can list webhook deliveries by this id. */
function invoiceOf({ data }: PublicEvent): Pick<NewDelivery, 'invoiceId'> {
  return 'invoice_id' in data && data.invoice_id !== null ? { invoiceId: data.invoice_id } : {};
}

/** Returns a webhook delivery in the form in which `queue.insert` stores it. */
function sendable({ id, organizationId, endpointId, eventId, isTest }: NewDelivery, tries: 0 | 1): SendableDelivery {
  return { id, organizationId, endpointId, eventId, isTest, series: 1, failures: 0, tries };
}
