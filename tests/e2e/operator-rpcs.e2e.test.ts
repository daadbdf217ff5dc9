import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Definition } from '@invoicecontrol/contracts/definition';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { entries } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';

const protos = fileURLToPath(new URL('../../proto/invoicecontrol/', import.meta.url));
const { addresses, operatorToken } = JSON.parse(process.env['SHARED_SYSTEM'] ?? '') as SharedSystem;
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

/** Sends an empty message. An authorized caller gets a validation error or an empty result. */
async function outcome(
  [service, , method, definition]: (typeof rpcs)[number],
  token: { operatorToken?: string },
): Promise<unknown> {
  const channel = openTestChannel(service, addresses[service]);
  const context: RequestContext = { requestId: 'operator-rpcs', actor: { type: 'OPERATOR', id: 'test' }, ...token };
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
  test.each([
    ['no token', {}],
    ['an empty one', { operatorToken: '' }],
    ['a wrong one', { operatorToken: `${operatorToken}x` }],
  ])('is refused with %s', async (_, token) => {
    expect(await outcome(rpc, token)).toBe('unauthenticated');
  });

  test('is served to the operator', async () => {
    // An empty request names nothing that exists, so it changes nothing. The payment provider does not run in this
    // test.
    expect(['answered', 'invalid', 'not_found', 'foreign_failure']).toContain(await outcome(rpc, { operatorToken }));
  });
});
