import { reportGauges } from '../telemetry.js';
import type { Bus } from './connection.js';

/**
 * Reports how far a durable consumer is. The broker counts for all replicas; `consumer.alive` is about this process.
 * @param isListening whether the loop of this process still takes events
 */
export function reportConsumer(bus: Bus, stream: string, consumer: string, isListening: () => boolean): () => void {
  return reportGauges(
    {
      'consumer.alive': {
        unit: '1',
        description: '1 while this process takes events and the broker knows the consumer.',
      },
      'consumer.pending': { unit: '{event}', description: 'Events that no replica has been given yet.' },
      'consumer.unacknowledged': { unit: '{event}', description: 'Events that are being handled or wait for a retry.' },
      'consumer.redelivered': { unit: '{event}', description: 'Unacknowledged events that were delivered before.' },
    },
    async () => {
      const info = await bus.manager.consumers.info(stream, consumer).catch(() => undefined);
      const attributes = { stream, consumer };
      if (info === undefined) return [{ attributes, values: { 'consumer.alive': 0 } }];
      return [
        {
          attributes,
          values: {
            'consumer.alive': isListening() ? 1 : 0,
            'consumer.pending': info.num_pending,
            'consumer.unacknowledged': info.num_ack_pending,
            'consumer.redelivered': info.num_redelivered,
          },
        },
      ];
    },
  );
}
