// Finds out which rpcs of the running product a caller can reach.
import { createSecureContext } from 'node:tls';
import { callersByService, callersOf, EVERYONE } from '@invoicecontrol/contracts/callers';
import { lackedFor } from '@invoicecontrol/contracts/rights';
import { readIdentityFiles } from '@invoicecontrol/runtime/identity/identity-files';
import { testGrant, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { readService } from '@invoicecontrol/topology/read-services';
import { entries } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { ChannelCredentials, ServiceError } from '@grpc/grpc-js';

/** Number of calls that are sent at the same time. */
const AT_ONCE = 8;
const DEADLINE_MS = 60_000;

/**
 * Outcome of a call: the table of callers refused it (`refused`), the table of rights refused it (`unpermitted`), the
 * connection was refused, or a handler responded.
 */
export type Reach = 'served' | 'refused' | 'unpermitted' | 'unreachable';

/** Proto packages whose RPC services are served by several services of the product. */
const SHARED = ['operations', 'usage', 'archive'];

/** Every rpc of the product, with the service that serves it. */
export const servedRpcs = entries.flatMap(([service, { protocol }]) => {
  if (protocol !== 'grpc') return [];
  const names = [...readService(service).serves, 'Operator'];
  return Object.entries(callersByService).flatMap(([fullName, rpcs]) => {
    const [, owner = '', name = ''] = /^invoicecontrol\.(\w+)\.v\d+\.(\w+)Service$/.exec(fullName) ?? [];
    const isServed = names.includes(name) && (SHARED.includes(owner) || owner.replaceAll('_', '-') === service);
    return isServed ? Object.keys(rpcs).map((rpc) => ({ service, path: `/${fullName}/${rpc}` })) : [];
  });
});

/** Returns which rpcs a caller may reach according to the table of callers, by service and path. */
export function expectedReach(caller: string): Map<string, Reach> {
  return new Map(
    servedRpcs.map(({ service, path }) => {
      const callers: readonly string[] | string = callersOf(path) ?? [];
      return [`${service} ${path}`, callers === EVERYONE || callers.includes(caller) ? 'served' : 'refused'];
    }),
  );
}

/**
 * Returns the credentials of a test identity. Any service can be called with them, because the names in the
 * certificates of services are not checked.
 */
export function proofOf(identity: string): ChannelCredentials {
  const context = createSecureContext(readIdentityFiles(testIdentityDirectory(identity)));
  return credentials.createFromSecureContext(context, { checkServerIdentity: () => undefined });
}

/** Calls every rpc of the product with an empty message. The result is by service and path. */
export function reachOf(
  addresses: Readonly<Record<ServiceName, string>>,
  proof: ChannelCredentials,
): Promise<Map<string, Reach>> {
  return callEach(addresses, proof, servedRpcs, { message: Buffer.alloc(0), metadata: new Metadata() });
}

/** Rights of the caller whose grant the gateway has. */
export interface Held {
  readonly role: string;
  readonly scopes: readonly string[];
}

/**
 * Calls every rpc of the product that the gateway may call, but not for a caller with these rights, with the grant of
 * such a caller.
 * @returns the outcomes by service and path
 */
export function reachBeyond(
  addresses: Readonly<Record<ServiceName, string>>,
  organizationId: string,
  { role, scopes }: Held,
): Promise<Map<string, Reach>> {
  const beyond = servedRpcs.filter(
    ({ path }) => callersOf(path)?.includes('gateway') === true && lackedFor(path, { role, scopes }) !== undefined,
  );
  const metadata = new Metadata();
  metadata.set('grant-bin', testGrant(organizationId, { role, scopes: [...scopes] }));
  // In every request about an organization, the id of the organization is the field 1.
  const message = Buffer.concat([Buffer.from([0x0a, organizationId.length]), Buffer.from(organizationId)]);
  return callEach(addresses, proofOf('gateway'), beyond, { message, metadata });
}

interface Sent {
  readonly message: Buffer;
  readonly metadata: Metadata;
}

async function callEach(
  addresses: Readonly<Record<ServiceName, string>>,
  proof: ChannelCredentials,
  rpcs: typeof servedRpcs,
  sent: Sent,
): Promise<Map<string, Reach>> {
  const clients = new Map(
    entries.map(([service]) => [
      service,
      new Client(addresses[service], proof, { 'grpc.ssl_target_name_override': service }),
    ]),
  );
  const found = new Map<string, Reach>();
  const waiting = [...rpcs];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { service, path } = next;
      const client = clients.get(service);
      if (client !== undefined) found.set(`${service} ${path}`, await reach(client, path, sent));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    for (const client of clients.values()) client.close();
  }
  return found;
}

/** Sends one message to an rpc of any kind: on the wire, a stream of one message is the same as one message. */
function reach(client: Client, path: string, { message, metadata }: Sent): Promise<Reach> {
  const same = (bytes: Buffer): Buffer => bytes;
  const deadline = Date.now() + DEADLINE_MS;
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest(path, same, same, message, metadata, { deadline }, (error) => {
      call.cancel();
      resolve(kindOf(error));
    });
  });
}

function kindOf(error: ServiceError | null): Reach {
  if (error?.code === status.PERMISSION_DENIED && /^The service \S+ may not call /.test(error.details))
    return 'refused';
  if (error?.code === status.PERMISSION_DENIED && error.details.includes('does not have the rights'))
    return 'unpermitted';
  const isFromService = (error?.metadata.get('grpc-status-details-bin') ?? []).length > 0;
  return error?.code === status.UNAVAILABLE && !isFromService ? 'unreachable' : 'served';
}
