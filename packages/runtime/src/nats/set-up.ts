import type { EventType } from '@invoicecontrol/contracts/events';
import type { Bus } from './connection.js';
import { ensureStream, raiseStream } from './stream.js';
import { ensureConsumer } from './subscribe.js';

/** Streams and durable consumers of an installation. */
export interface BrokerSetUp {
  readonly streams: readonly { readonly service: string; readonly stream: string }[];
  readonly consumers: readonly { readonly name: string; readonly type: Pick<EventType, 'stream' | 'subject'> }[];
}

/**
 * Creates the streams and consumers that are missing, with the rights of the operator, before the services start, and
 * raises the servers and the size of streams that an earlier release created. A service could name other subjects and other streams when it creates its own, so it should not find them missing.
 */
export async function setUpBroker(bus: Bus, { streams, consumers }: BrokerSetUp): Promise<void> {
  for (const { stream, service } of streams) {
    await ensureStream(bus, stream, service);
    await raiseStream(bus, stream);
  }
  for (const { name, type } of consumers) await ensureConsumer(bus, type, name);
}
