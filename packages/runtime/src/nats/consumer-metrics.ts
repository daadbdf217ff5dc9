import type { ConsumerInfo } from '@nats-io/jetstream';
import { reportGauges } from '../telemetry.js';
import type { EventType } from '@invoicecontrol/contracts/events';
import type { Bus } from './connection.js';
import { oldestWaiting } from './oldest-waiting.js';

/**
 * Reports the progress of a durable consumer. The figures of broker and database are for all replicas; `consumer.alive`
 * is for this process.
 * @param isListening checks whether the loop of this process still receives events
 * @param countDeadLetters counts the dead letters of this consumer
 */
export function reportConsumer(
  {
    bus,
    type,
    consumer,
  }: { readonly bus: Bus; readonly type: Pick<EventType, 'stream' | 'subject'>; readonly consumer: string },
  isListening: () => boolean,
  countDeadLetters: () => Promise<number>,
): () => void {
  return reportGauges(
    {
      'consumer.alive': {
        unit: '1',
        description: '1 while this process receives events and the consumer exists at the broker, else 0.',
      },
      'consumer.pending': {
        unit: '{event}',
        description: 'Number of events that were not delivered to any replica yet.',
      },
      'consumer.unacknowledged': {
        unit: '{event}',
        description: 'Number of events that are being handled or wait for a retry.',
      },
      'consumer.oldest_event_age': {
        unit: 's',
        description: 'Age of the oldest event that is not handled yet; 0 if there is none.',
      },
      'consumer.redelivered': {
        unit: '{event}',
        description: 'Number of unacknowledged events that were delivered more than once.',
      },
      'consumer.dead_letters': { unit: '{event}', description: 'Number of stored dead letters, counted up to 10,000.' },
    },
    async () => {
      const { stream } = type;
      const findInfo = async (): Promise<ConsumerInfo> => bus.manager.consumers.info(stream, consumer);
      const [info, deadLetters] = await Promise.all([
        findInfo().catch(() => undefined),
        countDeadLetters().catch(() => undefined),
      ]);
      const attributes = { stream, consumer };
      const stored = deadLetters === undefined ? {} : { 'consumer.dead_letters': deadLetters };
      if (info === undefined) return [{ attributes, values: { 'consumer.alive': 0, ...stored } }];
      const age = await oldestAgeSeconds(bus, type, info).catch(() => undefined);
      return [
        {
          attributes,
          values: {
            'consumer.alive': isListening() ? 1 : 0,
            'consumer.pending': info.num_pending,
            'consumer.unacknowledged': info.num_ack_pending,
            'consumer.redelivered': info.num_redelivered,
            ...(age === undefined ? {} : { 'consumer.oldest_event_age': age }),
            ...stored,
          },
        },
      ];
    },
  );
}

async function oldestAgeSeconds(...waiting: Parameters<typeof oldestWaiting>): Promise<number> {
  const oldest = await oldestWaiting(...waiting);
  return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.getTime()) / 1_000;
}
