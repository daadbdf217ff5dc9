import { randomBytes, randomUUID } from 'node:crypto';
import { bodyOf, publicEventExamples } from '@invoicecontrol/public-events';
import type { PublicEvent } from '@invoicecontrol/public-events';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { deliveryId } from '../domain/delivery.js';
import type { Delivery } from '../domain/delivery.js';
import { hasWebhooks, readEventType } from '../domain/endpoint.js';
import { ID_BYTES, idText } from '../domain/id-text.js';
import { audit, planHasNone, requireEndpoint } from './change-endpoints.js';
import type { DeliveryWorker } from './delivery-worker.js';
import { storeAndStart } from './fan-out.js';
import type { Plans } from './plans.js';
import type { BulkReplay, Deliveries, DeliveryQueue, Endpoints, Events, NewDelivery } from './stores.js';

export interface ReplayDeps {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly queue: DeliveryQueue;
  readonly plans: Plans;
  readonly worker: DeliveryWorker;
  readonly clock: Clock;
}

/**
 * Sends the event of a FAILED or SKIPPED webhook delivery again, with five new attempts.
 * @throws DomainError not_found, wrong_state
 */
export const replayDelivery =
  ({ endpoints, deliveries, events, worker }: ReplayDeps) =>
  async (organizationId: string, id: string, context: RequestContext): Promise<Delivery> => {
    const delivery = await deliveries.find(organizationId, id);
    if (delivery === undefined) throw notFound('delivery');
    if (delivery.state !== 'FAILED' && delivery.state !== 'SKIPPED') throw notReplayable(delivery.state);
    if ((await endpoints.find(organizationId, delivery.endpointId)) === undefined) {
      throw new DomainError(
        'wrong_state',
        'The webhook of this delivery was deleted, so the delivery cannot be replayed. To receive new events, create another webhook.',
      );
    }
    if ((await events.read(delivery.eventId)) === undefined) {
      throw new DomainError(
        'wrong_state',
        'The event of this webhook delivery is too old to be sent again. Read the current state of the resource with GET instead.',
      );
    }
    try {
      const replayed = await deliveries.replay(delivery, [
        audit('webhook.delivery_replayed', delivery.endpointId, context),
      ]);
      worker.add(replayed);
      return replayed;
    } catch (error) {
      // A version conflict means that another request has replayed the webhook delivery.
      if (error instanceof VersionConflict) throw notReplayable('PENDING');
      throw error;
    }
  };

function notReplayable(state: string): DomainError {
  return new DomainError(
    'wrong_state',
    `This webhook delivery is ${state}. Only a FAILED or SKIPPED delivery can be replayed.`,
  );
}

/** Maximum number of failed webhook deliveries that one request replays. */
const REPLAYED_MAX = 10_000;
const CHUNK = 500;

/**
 * Replays the failed webhook deliveries of a webhook. While the replay is in progress, a repeated request joins it: it
 * completes what a crash may have left unfinished, and gets the same response.
 * @throws DomainError not_found
 */
export const replayFailed =
  ({ endpoints, deliveries, worker, clock }: ReplayDeps) =>
  async (organizationId: string, endpointId: string, since: Date, context: RequestContext): Promise<number> => {
    const { replay, ids } = await retryOnConflict(async () => {
      const endpoint = await requireEndpoint(endpoints, organizationId, endpointId);
      const last = await endpoints.lastReplay(organizationId, endpointId);
      const isSame = last?.since.getTime() === since.getTime();
      const isRunning =
        last !== undefined && isSame && (last.isMarked !== true || (await deliveries.isReplaying(endpointId, last.id)));
      if (isRunning) {
        return { replay: last, ids: await deliveries.failedSince(endpointId, since, last.startedAt, REPLAYED_MAX) };
      }
      const startedAt = clock.now();
      const ids = await deliveries.failedSince(endpointId, since, startedAt, REPLAYED_MAX);
      const replay: BulkReplay = { id: randomUUID(), since, startedAt, count: ids.length };
      await endpoints.save(endpoint, { replay }, [audit('webhook.delivery_replayed', endpointId, context)]);
      return { replay, ids };
    });
    for (let start = 0; start < ids.length; start += CHUNK) {
      await deliveries.replayAll(ids.slice(start, start + CHUNK), replay.id);
    }
    await endpoints.replayMarked(endpointId, replay.id);
    worker.poll().catch(() => {});
    return replay.count;
  };

/**
 * Sends the example of an event type to a webhook, whether or not the webhook is subscribed to it.
 * @throws DomainError invalid, not_found, forbidden, wrong_state, unavailable
 */
export const testEndpoint =
  ({ endpoints, events, queue, plans, worker, deliveries, clock }: ReplayDeps) =>
  async (organizationId: string, endpointId: string, name: string): Promise<Delivery> => {
    const type = readEventType(name, 'type');
    const endpoint = await requireEndpoint(endpoints, organizationId, endpointId);
    const plan = await plans.of(organizationId);
    if (plan === 'UNKNOWN')
      throw new DomainError(
        'unavailable',
        'The plan of the organization, which determines whether webhooks are delivered, cannot be read right now. Retry the request in a moment.',
      );
    if (!hasWebhooks(plan)) throw planHasNone();
    if (endpoint.status !== 'ACTIVE') {
      throw new DomainError(
        'wrong_state',
        'The webhook is DISABLED, so no test event can be sent to it. Set the status of the webhook to ACTIVE first.',
      );
    }
    const eventId = `evt_${idText(randomBytes(ID_BYTES))}`;
    const createdAt = clock.now();
    const event = { type, data: publicEventExamples[type] } as PublicEvent;
    await events.insert({ id: eventId, organizationId, type, body: bodyOf(eventId, event), createdAt });
    const delivery: NewDelivery = {
      id: deliveryId(eventId, endpointId),
      organizationId,
      endpointId,
      eventId,
      type,
      createdAt,
      state: 'PENDING',
      isTest: true,
    };
    await storeAndStart({ queue, worker }, [delivery]);
    const stored = await deliveries.find(organizationId, delivery.id);
    if (stored === undefined) throw notFound('delivery');
    return stored;
  };
