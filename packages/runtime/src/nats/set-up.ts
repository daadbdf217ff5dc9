import type { EventType } from '@invoicecontrol/contracts/events';
import type { Bus } from './connection.js';
import { ensureStream, raiseStream } from './stream.js';
import { ensureConsumer } from './subscribe.js';

/** Event streams and durable consumers that an installation needs. */
export interface BrokerSetUp {
  readonly streams: readonly { readonly service: string; readonly stream: string }[];
  readonly consumers: readonly { readonly name: string; readonly type: Pick<EventType, 'stream' | 'subject'> }[];
}

/**
 * Creates the missing event streams and consumers with the rights of the operator before the services start, and raises
 * the number of servers and the size of streams that an earlier release created. The services should find everything
 * created, because a service that creates its own streams and consumers could also name the subjects and streams of
 * other services.
 */
export async function setUpBroker(bus: Bus, { streams, consumers }: BrokerSetUp): Promise<void> {
  for (const { stream, service } of streams) {
    await ensureStream(bus, stream, service);
    await raiseStream(bus, stream);
  }
  for (const { name, type } of consumers) await ensureConsumer(bus, type, name);
}
