import { createSecureContext } from 'node:tls';
import { callersByService, callersOf, EVERYONE } from '@invoicecontrol/contracts/callers';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import { readIdentityFiles } from '@invoicecontrol/runtime/identity/identity-files';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { readService } from '@invoicecontrol/topology/read-services';
import { entries } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { Client, credentials, status } from '@grpc/grpc-js';
import type { ChannelCredentials, ServiceError } from '@grpc/grpc-js';
import { afterAll, describe, expect, test } from 'vitest';

const { addresses } = JSON.parse(process.env['SHARED_SYSTEM'] ?? '') as SharedSystem;
/** Number of calls that a test sends at the same time. */
const AT_ONCE = 8;
const DEADLINE_MS = 60_000;

/** Names that the packages of the contracts and several services share: each of these services serves them. */
const SHARED = ['operations', 'usage', 'archive'];
const served = entries.flatMap(([service, { protocol }]) => {
  if (protocol !== 'grpc') return [];
  const names = [...readService(service).serves, 'Operator'];
  return Object.entries(callersByService).flatMap(([fullName, rpcs]) => {
    const [, owner = '', name = ''] = /^invoicecontrol\.(\w+)\.v\d+\.(\w+)Service$/.exec(fullName) ?? [];
    const isServed = names.includes(name) && (SHARED.includes(owner) || owner.replaceAll('_', '-') === service);
    return isServed ? Object.keys(rpcs).map((rpc) => ({ service, path: `/${fullName}/${rpc}` })) : [];
  });
});

const clients: Client[] = [];
afterAll(() => {
  for (const client of clients) client.close();
});

function connectAs(service: ServiceName, proof: ChannelCredentials): Client {
  const client = new Client(addresses[service], proof, { 'grpc.ssl_target_name_override': service });
  clients.push(client);
  return client;
}

function proofOf(caller: string): ChannelCredentials {
  const context = createSecureContext(readIdentityFiles(testIdentityDirectory(caller)));
  return credentials.createFromSecureContext(context, { checkServerIdentity: () => undefined });
}

/**
 * Sends an empty message to an rpc of any kind: on the wire, a stream of one message is the same as one message.
 * @returns the kind of the response, where a refusal by the table of callers is `refused`
 */
function outcome(client: Client, path: string): Promise<'served' | 'refused' | 'unreachable'> {
  const same = (bytes: Buffer): Buffer => bytes;
  const deadline = Date.now() + DEADLINE_MS;
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest(path, same, same, Buffer.alloc(0), { deadline }, (error) => {
      call.cancel();
      resolve(kindOf(error));
    });
  });
}

function kindOf(error: ServiceError | null): 'served' | 'refused' | 'unreachable' {
  if (error?.code === status.PERMISSION_DENIED && /^The service \S+ may not call /.test(error.details))
    return 'refused';
  const isFromService = (error?.metadata.get('grpc-status-details-bin') ?? []).length > 0;
  return error?.code === status.UNAVAILABLE && !isFromService ? 'unreachable' : 'served';
}

async function outcomesOf(caller: string, proof: ChannelCredentials): Promise<Map<string, string>> {
  const byService = new Map(entries.map(([service]) => [service, connectAs(service, proof)]));
  const found = new Map<string, string>();
  const waiting = [...served];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { service, path } = next;
      const client = byService.get(service);
      if (client !== undefined) found.set(`${caller} ${service} ${path}`, await outcome(client, path));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

test('the services serve every rpc of the contracts', () => {
  const paths = Object.entries(callersByService).flatMap(([fullName, rpcs]) =>
    fullName.startsWith('invoicecontrol.') ? Object.keys(rpcs).map((rpc) => `/${fullName}/${rpc}`) : [],
  );
  expect(new Set(served.map(({ path }) => path))).toEqual(new Set(paths));
});

describe('every rpc of every service is served', () => {
  test.each([...entries.map(([name]) => name), 'operator'])('to %s exactly where the table says so', async (caller) => {
    const expected = served.map(({ service, path }) => {
      const callers: readonly string[] | string = callersOf(path) ?? [];
      const isAllowed = callers === EVERYONE || callers.includes(caller);
      return [`${caller} ${service} ${path}`, isAllowed ? 'served' : 'refused'] as const;
    });
    expect(await outcomesOf(caller, proofOf(caller))).toEqual(new Map(expected));
  });

  test.each([
    ['a caller of another authority', () => proofOf('otherAuthority')],
    ['a service of another installation', () => proofOf('stranger')],
    [
      'a caller without a certificate',
      () => credentials.createSsl(readIdentityFiles(testIdentityDirectory('gateway')).ca),
    ],
    ['a caller without TLS', () => credentials.createInsecure()],
  ])('to no one else: not to %s', async (caller, proof) => {
    const found = await outcomesOf(caller, proof());
    expect(new Set(found.values())).toEqual(new Set(['unreachable']));
  });
});
