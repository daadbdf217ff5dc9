import { readFileSync } from 'node:fs';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import { setUpBroker } from '@invoicecontrol/runtime/nats/set-up';
import { UsageError } from '../command.js';
import type { StandaloneCommand } from '../command.js';

/** Streams and consumers of the services of this release (`tools/admin/broker.json`). */
interface Plan {
  readonly streams: readonly { readonly service: string; readonly stream: string }[];
  readonly consumers: readonly { readonly name: string; readonly stream: string; readonly subject: string }[];
}

export const brokerSetup: StandaloneCommand = {
  name: 'broker-setup',
  summary: 'create the streams and consumers that the broker lacks; run it before the services start',
  options: {},
  examples: [''],
  async *runAlone(_given, env) {
    const { NATS_URL: url, TLS_DIR: identity, NATS_STREAM_REPLICAS: replicas = '1' } = env;
    if (url === undefined) throw new UsageError('Set NATS_URL to the address of the broker.');
    const streamReplicas = Number(replicas);
    if (!Number.isInteger(streamReplicas) || streamReplicas < 1)
      throw new UsageError('NATS_STREAM_REPLICAS must be the number of servers that store each event, at least 1.');
    const { streams, consumers } = JSON.parse(
      readFileSync(new URL('../../broker.json', import.meta.url), 'utf8'),
    ) as Plan;
    const bus = await connectNats({
      url,
      identity,
      name: 'operator',
      streamReplicas,
      logger: createLogger({ service: 'admin', level: 'silent' }),
    });
    try {
      if (!bus.isConnected())
        throw new Error('The broker does not respond, or it refuses the operator. Check NATS_URL and TLS_DIR.');
      await setUpBroker(bus, {
        streams,
        consumers: consumers.map(({ name, ...type }) => ({ name, type })),
      });
    } finally {
      await bus.close();
    }
    yield {
      json: { streams: streams.map(({ stream }) => stream), consumers: consumers.map(({ name }) => name) },
      sentence: `The broker has ${streams.length} streams and ${consumers.length} consumers.`,
    };
  },
};
