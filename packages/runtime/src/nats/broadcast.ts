import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import type { Subscription } from '@nats-io/transport-node';
import type { Logger } from '../logger.js';
import type { Bus } from './connection.js';
import { measureDelivery, processAttributes } from './trace-headers.js';

/**
 * Delivers events to every replica without durability, for invalidating caches. If an event is missed, the cached value
 * is stale for only a few seconds. No event arrives before the first connection to the broker. Use a durable
 * subscription for work that must happen.
 */
export function subscribeBroadcast<T extends EventHeader>(
  bus: Bus,
  types: readonly EventType<T>[],
  handle: (event: T, type: EventType<T>) => void,
  logger: Logger,
): { close(): void } {
  const subscribe = (type: EventType<T>): Subscription =>
    bus.connection.subscribe(type.subject, {
      callback: (error, message) => {
        const measured = measureDelivery(message.headers, type.subject);
        const isHandled = measured.during(() => {
          try {
            if (error) throw error;
            handle(type.codec.fromJSON(message.json()), type);
            return true;
          } catch (fault) {
            logger.error({ error: fault, subject: type.subject }, 'a broadcast could not be used');
            return false;
          }
        });
        measured.end({ failed: !isHandled, attributes: processAttributes(type.subject) });
      },
    });
  const subscriptions: Subscription[] = [];
  let isClosed = false;
  bus.whenConnected(() => {
    if (!isClosed) subscriptions.push(...types.map(subscribe));
  });
  return {
    close() {
      isClosed = true;
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
