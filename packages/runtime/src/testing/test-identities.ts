// TLS identities for tests. The global set-up of the tests creates them, each in a directory that has its name.
import { join } from 'node:path';
import { callersOf, EVERYONE, TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { openChannel } from '../grpc/client.js';
import type { Channel, ChannelOptions } from '../grpc/client.js';
import { openIdentity } from '../identity/identity.js';
import type { Identity } from '../identity/identity.js';
import { createLogger } from '../logger.js';
import type { ServiceName } from '../telemetry/schema.js';

/**
 * Returns the directory with the files of a test identity. The name is that of a service, `operator`, or an identity
 * that services refuse.
 */
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
 * Opens a channel to a tested service. Each call is made with the identity of the first program that the table of
 * callers allows to make it. The tests of a service therefore need not know its callers, although the table is
 * enforced.
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
