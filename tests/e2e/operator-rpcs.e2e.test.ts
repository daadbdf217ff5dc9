import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Definition } from '@invoicecontrol/contracts/definition';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { entries } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

const protos = fileURLToPath(new URL('../../proto/invoicecontrol/', import.meta.url));
const { addresses } = JSON.parse(process.env['SHARED_SYSTEM'] ?? '') as SharedSystem;
const databased = entries.flatMap(([name, { protocol }]) => (protocol === 'grpc' ? [name] : []));

/** Lists every RPC service that only the operator may call, and the processes that serve it. */
const served: { definition: Definition; services: readonly ServiceName[] }[] = [];
for (const path of readdirSync(protos, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('operator_service.proto')) continue;
  const module = path.replace('.proto', '');
  const { OperatorServiceDefinition: definition } = (await import(`@invoicecontrol/contracts/${module}`)) as {
    OperatorServiceDefinition: Definition;
  };
  const owner = databased.find((name) => name.replaceAll('-', '_') === module.split('/')[0]);
  // Every service serves the rpcs that do not belong to a single service.
  served.push({ definition, services: owner === undefined ? databased : [owner] });
}
const rpcs = served.flatMap(({ definition, services }) =>
  services.flatMap((service) =>
    Object.keys(definition.methods).map((method) => [service, definition.fullName, method, definition] as const),
  ),
);

/** Sends an empty message with an identity. An authorized caller gets a validation error or an empty result. */
async function outcome([service, , method, definition]: (typeof rpcs)[number], caller: string): Promise<unknown> {
  const channel = openChannel(addresses[service], { service, identity: testIdentity(caller) });
  const context: RequestContext = { requestId: 'operator-rpcs', actor: { type: 'OPERATOR', id: 'test' } };
  const call = client(definition, channel)[method] as (request: object, options: object) => Promise<unknown>;
  const empty = definition.methods[method]?.requestType.decode(new Uint8Array()) as object;
  try {
    await call(empty, { context, timeoutMs: 60_000 });
    return 'answered';
  } catch (error) {
    return (error as { kind?: string }).kind;
  } finally {
    channel.close();
  }
}

test('every service with a database serves rpcs for the operator', () => {
  expect(new Set(rpcs.map(([service]) => service))).toEqual(new Set(databased));
});

describe.each(rpcs)('%s: %s.%s', (...rpc) => {
  // `kubectl exec` into the pod of a service gives the certificate of that service.
  test('is refused with the certificate of each service, whatever actor the call names', async () => {
    for (const [name] of entries) expect([name, await outcome(rpc, name)]).toEqual([name, 'forbidden']);
  });

  test('is served to the operator', async () => {
    // An empty request names nothing that exists, so it changes nothing. The payment provider does not run in this
    // test.
    expect(['answered', 'invalid', 'not_found', 'foreign_failure']).toContain(await outcome(rpc, 'operator'));
  });
});
