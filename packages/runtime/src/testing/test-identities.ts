// Provides tests with TLS identities, and with functions that call a service with such an identity. The global set-up
// of the tests creates the identities, each in a directory that has its name.
import { join } from 'node:path';
import { callersOf, EVERYONE, needsGrant, TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import { Metadata } from '@grpc/grpc-js';
import { requestHash, sealRequest } from '../grpc/seals.js';
import { openChannel } from '../grpc/client.js';
import type { Channel, ChannelOptions } from '../grpc/client.js';
import { openIdentity } from '../identity/identity.js';
import { issueGrant } from '../grpc/grants.js';
import type { Identity } from '../identity/identity.js';
import { createLogger } from '../logger.js';
import type { RequestContext } from '../request-context.js';
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

/** Returns a grant of a test caller. Unless the facts say otherwise, it has all rights, the largest plan and no limits. */
export function testGrant(organizationId: string, facts: Partial<Grant> = {}): Buffer {
  const anyone = {
    actorType: 'API_KEY',
    actorId: 'test-key',
    role: 'OWNER',
    scopes: ['*'],
    plan: 'ENTERPRISE',
    limits: {},
  };
  return issueGrant(testIdentity('organization'), Grant.fromPartial({ organizationId, ...anyone, ...facts }));
}

/**
 * Returns the options of a call with a grant of its actor in an organization. Unless the facts say otherwise, the grant
 * has all rights and no limits.
 */
export function callWithGrant<Call extends { readonly context: RequestContext }>(
  call: Call,
  organizationId: string,
  facts: Partial<Grant>,
): Call {
  const { type: actorType, id: actorId } = call.context.actor;
  return { ...call, context: { ...call.context, grant: testGrant(organizationId, { actorType, actorId, ...facts }) } };
}

/**
 * Opens a channel from a test to the tested service. The table of callers states which programs may call each method.
 * Each call of the test is made with the identity of the first of these programs, so the tests need not know the
 * callers although the table is enforced. If the table requires a grant, the call gets a grant for the organization
 * that its request names, unless the context of the call has a grant.
 */
export function openTestChannel(
  service: string,
  address: string,
  options: Pick<ChannelOptions, 'messageBytesMax'> = {},
): Channel {
  const channels = new Map<string, Channel>();
  const channelFor = (caller: string): Channel['client'] => {
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
    (path: string, ...rest: unknown[]): unknown => {
      const callers = callersOf(path);
      const caller = callers === undefined || callers === EVERYONE ? 'gateway' : (callers[0] ?? 'gateway');
      if (needsGrant(path, caller)) addGrant(rest);
      return Reflect.apply(channelFor(caller)[method], channelFor(caller), [path, ...rest]);
    };
  return {
    client: {
      makeUnaryRequest: calling('makeUnaryRequest'),
      makeClientStreamRequest: calling('makeClientStreamRequest'),
      makeServerStreamRequest: calling('makeServerStreamRequest'),
    } as Client,
    // The gateway seals requests that grant or revoke rights.
    seal: (path, request) => sealRequest(testIdentity('gateway'), path, requestHash(request)),
    unreachable() {},
    close() {
      for (const channel of channels.values()) channel.close();
    },
  };
}

/**
 * Adds a grant to the metadata of a gRPC call.
 * @param parts arguments of the call; the metadata directly follows the request
 */
function addGrant(parts: readonly unknown[]): void {
  const at = parts.findIndex((part) => part instanceof Metadata);
  const [request, metadata] = [parts[at - 1], parts[at] as Metadata];
  if (typeof request !== 'object' || request === null || metadata.get('grant-bin').length > 0) return;
  const { organizationId } = request as { readonly organizationId?: unknown };
  if (typeof organizationId !== 'string') return;
  const text = (name: string): string => String(metadata.get(name)[0] ?? '');
  const grant = testGrant(organizationId, { actorType: text('actor-type'), actorId: text('actor-id') });
  metadata.set('grant-bin', grant);
}
