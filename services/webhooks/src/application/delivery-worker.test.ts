import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { deliveryWorker } from './delivery-worker.js';
import type { DueDelivery, DueSearch } from './stores.js';

const clock = { now: () => new Date() };
const logger = createLogger({ service: 'test', level: 'silent' });

const dueOf = (endpointId: string, count: number, nextAttemptAt = new Date(0)): DueDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${endpointId}-${index}`,
    organizationId: 'organization',
    endpointId,
    eventId: 'event',
    isTest: false,
    series: 1,
    failures: 0,
    tries: 0,
    nextAttemptAt,
  }));

/** Creates a worker for a database with these deliveries, and records the webhooks that it sent to. */
function setUp(all: readonly DueDelivery[], { claiming = (): Promise<void> => Promise.resolve() } = {}) {
  const due = new Map(all.map((delivery) => [delivery.id, delivery]));
  const sentTo: string[] = [];
  const searches: DueSearch[] = [];
  const worker = deliveryWorker({
    queue: {
      async listDue(search) {
        searches.push(search);
        const { from, before, limit, exceptEndpointIds } = search;
        return [...due.values()]
          .filter(({ endpointId, nextAttemptAt }) => {
            return nextAttemptAt >= from && nextAttemptAt <= before && !exceptEndpointIds.includes(endpointId);
          })
          .slice(0, limit);
      },
      async claim(delivery) {
        await claiming();
        return { claimId: delivery.id, delivery };
      },
    },
    async send({ delivery: { id, endpointId } }, _signal, onRequest) {
      onRequest();
      sentTo.push(endpointId);
      await delay(1);
      due.delete(id);
      return 'SUCCESS';
    },
    clock,
    logger,
  });
  return { worker, sentTo, searches };
}

test('a delivery behind the backlog of another endpoint is found by the next poll', async () => {
  const { worker, sentTo } = setUp([...dueOf('busy', 20_000), ...dueOf('other', 1)]);
  await worker.poll();
  await eventually(() => expect(sentTo).toContain('other'));
  await worker.stop();
});

test('a poll reads a backlog once, not again from its beginning with each search', async () => {
  const backlog = Array.from({ length: 50 }, (_, index) => dueOf(`e${index}`, 150, new Date(1_000 + index))).flat();
  const { worker, searches } = setUp(backlog);
  await worker.poll();
  expect(searches.map(({ limit }) => limit)).toEqual([2_000, 2_000, 2_000, 2_000]);
  expect(searches.map(({ from }) => from.getTime())).toEqual([0, 1_013, 1_026, 1_039]);
  await worker.stop();
});

test('more deliveries that are due at one moment than a search brings are all found', async () => {
  const { worker, sentTo } = setUp([
    ...Array.from({ length: 60 }, (_, index) => dueOf(`e${index}`, 100)).flat(),
    ...dueOf('last', 1),
  ]);
  await worker.poll();
  await eventually(() => expect(sentTo).toContain('last'));
  await worker.stop();
});

test('a slow database makes no endpoint suspect: each goes on having two requests at once', async () => {
  let answer = (): void => {};
  const answering = new Promise<void>((resolve) => (answer = resolve));
  const { worker, sentTo } = setUp(Array.from({ length: 100 }, (_, index) => dueOf(`e${index}`, 4)).flat(), {
    claiming: () => answering,
  });
  await worker.poll();
  await eventually(() => expect(worker.inFlight).toBe(200));
  answer();
  await eventually(() => expect(sentTo).toHaveLength(400));
  await worker.stop();
});
