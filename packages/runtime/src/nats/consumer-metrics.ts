import type { ConsumerInfo } from '@nats-io/jetstream';
import { reportGauges } from '../telemetry.js';
import type { EventType } from '@invoicecontrol/contracts/events';
import type { Bus } from './connection.js';
import { oldestWaiting } from './oldest-waiting.js';

/**
 * Reports the progress of a durable consumer as metrics. The figures that come from the broker and the database are the
 * same in every replica, and the figures about event handling are those of this process.
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
    [
      'invoicecontrol.consumer.state',
      'invoicecontrol.consumer.pending',
      'invoicecontrol.consumer.ack_pending',
      'invoicecontrol.consumer.age',
      'invoicecontrol.consumer.redelivered',
      'invoicecontrol.dead_letters',
    ],
    async () => {
      const { stream } = type;
      const findInfo = async (): Promise<ConsumerInfo> => bus.manager.consumers.info(stream, consumer);
      const [info, deadLetters] = await Promise.all([
        findInfo().catch(() => undefined),
        countDeadLetters().catch(() => undefined),
      ]);
      const attributes = { consumer };
      const stored = deadLetters === undefined ? {} : { 'invoicecontrol.dead_letters': deadLetters };
      if (info === undefined) return [{ attributes, values: { 'invoicecontrol.consumer.state': 0, ...stored } }];
      const age = await oldestAgeSeconds(bus, type, info).catch(() => undefined);
      return [
        {
          attributes,
          values: {
            'invoicecontrol.consumer.state': isListening() ? 1 : 0,
            'invoicecontrol.consumer.pending': info.num_pending,
            'invoicecontrol.consumer.ack_pending': info.num_ack_pending,
            'invoicecontrol.consumer.redelivered': info.num_redelivered,
            ...(age === undefined ? {} : { 'invoicecontrol.consumer.age': age }),
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
