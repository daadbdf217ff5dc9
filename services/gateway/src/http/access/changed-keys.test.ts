import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const owner = keyNamed('owner');
const victim = keyNamed('victim');
const keys = new Map([
  [owner, principal()],
  [victim, principal({ apiKeyId: 'victim0000000000' })],
]);

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(keys),
    apiKeys: {
      revokeApiKey: () => {
        keys.delete(victim);
        return Promise.resolve({});
      },
    },
    organizations: {
      getOrganization: () =>
        Promise.resolve({
          organization: {
            organizationId: ORGANIZATION_ID,
            name: 'Acme',
            baseCurrency: 'EUR',
            referenceValidationMode: 'OFF',
            fourEyes: false,
            isTest: false,
            plan: 'SCALE',
            subscriptionStatus: 'active',
            createdTime: new Date(),
          },
        }),
    },
  });
});
afterAll(() => gateway.stop());

async function statusOf(key: string, method = 'GET', path = '/organizations/current'): Promise<number> {
  const response = await fetch(`${gateway.origin}/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

test('a key that was revoked here is refused here on the next call, before any broadcast', async () => {
  expect(await statusOf(victim)).toBe(200);
  expect(await statusOf(owner, 'DELETE', '/api-keys/victim0000000000')).toBe(204);
  expect(await statusOf(victim)).toBe(401);
  expect(await statusOf(owner)).toBe(200);
});
