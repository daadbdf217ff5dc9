// Identities for tests. The global set-up of the tests makes them, in one directory for each name.
import { join } from 'node:path';
import { callersOf, EVERYONE, TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { openChannel } from '../grpc/client.js';
import type { Channel, ChannelOptions } from '../grpc/client.js';
import { openIdentity } from '../identity/identity.js';
import type { Identity } from '../identity/identity.js';
import { createLogger } from '../logger.js';
import type { ServiceName } from '../telemetry/schema.js';

/** Returns the directory with the files of a test identity: a service, `operator`, or one that is refused. */
export function testIdentityDirectory(name: string): string {
  const directory = process.env['TEST_IDENTITIES'];
  if (!directory) throw new Error('TEST_IDENTITIES is not set: run the tests with vitest, which makes the identities.');
  return join(directory, name);
}

const opened = new Map<string, Identity>();

/** Returns a test identity, which is opened once in a process. */
export function testIdentity(name: string): Identity {
  let identity = opened.get(name);
  if (identity === undefined) {
    const logger = createLogger({ service: 'test', level: 'silent' });
    identity = openIdentity({ directory: testIdentityDirectory(name), trustDomain: TRUST_DOMAIN_DEFAULT, logger });
    opened.set(name, identity);
  }
  return identity;
}

/**
 * Opens a channel to a tested service that makes each call as the first program that may make it, by the table of
 * callers. So the tests of a service need not know who its callers are, and the table is in force all the same.
 */
export function openTestChannel(
  service: string,
  address: string,
  options: Pick<ChannelOptions, 'messageBytesMax'> = {},
): Channel {
  const channels = new Map<string, Channel>();
  const channelFor = (path: string): Channel['client'] => {
    const callers = callersOf(path);
    const caller = callers === undefined || callers === EVERYONE ? 'gateway' : (callers[0] ?? 'gateway');
    let channel = channels.get(caller);
    if (channel === undefined) {
      channel = openChannel(address, { service: service as ServiceName, identity: testIdentity(caller), ...options });
      channels.set(caller, channel);
    }
    return channel.client;
  };
  type Client = Channel['client'];
  const calling =
    (method: keyof Client) =>
    (path: string, ...rest: unknown[]): unknown =>
      Reflect.apply(channelFor(path)[method], channelFor(path), [path, ...rest]);
  return {
    client: {
      makeUnaryRequest: calling('makeUnaryRequest'),
      makeClientStreamRequest: calling('makeClientStreamRequest'),
      makeServerStreamRequest: calling('makeServerStreamRequest'),
    } as Client,
    unreachable() {},
    close() {
      for (const channel of channels.values()) channel.close();
    },
  };
}
