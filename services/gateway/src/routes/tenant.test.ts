import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleBody } from '../testing/example-body.js';
import { accessFor, answersForEach, keyNamed, principal, refuseEverything } from '../testing/fakes.js';
import { publishedOperations } from '../testing/published.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';
import { routes } from './table.js';

const key = keyNamed('tenant');
const TENANT = '0198a000-0000-7000-8000-00000000007e';

let gateway: RunningGateway;
let asked = new Set<string>();
beforeAll(async () => {
  gateway = await startGateway({
    ...refuseEverything((rpc, organizationId) => asked.add(`${rpc} ${String(organizationId)}`)),
    access: accessFor(new Map([[key, principal({ organizationId: TENANT })]])),
  });
});
afterAll(() => gateway.stop());

describe('every route', () => {
  for (const route of routes) {
    const { operation, method, path, rpc, alsoAsks = [], access } = route;
    test(`${operation} asks its owner about ${access === 'public' ? 'no organization' : 'the organization of the key'}`, async () => {
      asked = new Set();
      const parameters = publishedOperations.find(({ operationId }) => operationId === operation)?.parameters ?? [];
      const filled = path.replace(/:(\w+)/g, (_, id) => parameters.find(({ name }) => name === id)?.example ?? '');
      const { type, ...sent } = exampleBody(route);
      const response = await fetch(`${gateway.origin}/v1${filled}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        ...sent,
      });
      expect(response.status).toBe(answersForEach.has(operation) ? 200 : 409);
      const tenant = access === 'public' ? 'undefined' : TENANT;
      const expected = [rpc, ...alsoAsks].map((name) => `${name} ${tenant}`);
      expect(asked.size).toBeGreaterThan(0);
      if (alsoAsks.length === 0) expect([...asked]).toEqual(expected);
      expect(expected).toEqual(expect.arrayContaining([...asked]));
    });
  }
});
