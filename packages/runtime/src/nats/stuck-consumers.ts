import type { EventType } from '@invoicecontrol/contracts/events';
import type { FindStuckWork, StuckItem } from '../stuck-work.js';
import type { Bus } from './connection.js';
import { oldestWaiting } from './oldest-waiting.js';
import { isStreamMissing } from './stream.js';

/** Durable consumer that this process watches for events that are not handled. */
export interface WatchedConsumer {
  /** Name of the consumer, such as `documents__organization_deleted`. */
  readonly durable: string;
  readonly type: Pick<EventType, 'stream' | 'subject'>;
  /** Returns the last error of the event handler, unless an event has been handled since then. */
  readonly lastError: () => string | undefined;
}

/** Finds consumers whose oldest event has waited too long, and reports if the broker cannot be reached. */
export function stuckConsumers(bus: Bus, service: string, consumers: readonly WatchedConsumer[]): FindStuckWork {
  const findOne = async (consumer: WatchedConsumer, before: Date, now: Date): Promise<StuckItem[]> => {
    try {
      return await findWaiting(consumer, before);
    } catch (error) {
      if (!isStreamMissing(error)) throw error;
      const { durable, type } = consumer;
      return [
        {
          kind: 'consumer',
          what: `the consumer ${durable}, which waits for stream ${type.stream}`,
          since: now,
          why: 'the service that publishes to this stream has not started since the broker has been empty',
          resolution: 'kubectl get pods; docs/runbooks/broker-lost.md',
        },
      ];
    }
  };
  const findWaiting = async ({ durable, type, lastError }: WatchedConsumer, before: Date): Promise<StuckItem[]> => {
    const info = await bus.manager.consumers.info(type.stream, durable);
    const lag = info.num_pending + info.num_ack_pending;
    const oldest = await oldestWaiting(bus, type, info);
    if (oldest === undefined || oldest > before) return [];
    const failing =
      info.num_redelivered > 0 ? 'its handler fails; its last error is in the log of another replica' : '';
    return [
      {
        kind: 'consumer',
        what: `events that wait for ${durable}: ${lag}`,
        since: oldest,
        why: lastError() ?? (failing || 'events arrive faster than they are handled, or no process handles them'),
        resolution: `kubectl logs deployment/${service} | grep ${durable}; docs/runbooks/events-and-jobs-stuck.md`,
      },
    ];
  };
  return async (before, now) => {
    const broker = (since: Date, why: string): StuckItem => ({
      kind: 'broker',
      what: `the connection of ${service} to NATS`,
      since,
      why,
      resolution: 'kubectl get pods -l app.kubernetes.io/name=nats; docs/runbooks/broker-lost.md',
    });
    const lostAt = bus.disconnectedAt();
    if (lostAt !== undefined) return lostAt <= before ? [broker(lostAt, 'the broker does not respond')] : [];
    try {
      return (await Promise.all(consumers.map((consumer) => findOne(consumer, before, now)))).flat();
    } catch (error) {
      return [broker(now, error instanceof Error ? error.message : String(error))];
    }
  };
}
