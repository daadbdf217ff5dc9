import { describe, expect, test } from 'vitest';
import { rpcServices } from '../clients.js';
import { routes } from './table.js';

const rpcs = Object.values(rpcServices).flatMap(({ definition: { fullName, methods } }) =>
  Object.values(methods).map(({ name }) => `${fullName}/${name}`),
);

describe('the route table', () => {
  test('names every operation and every path with method once', () => {
    expect(new Set(routes.map(({ operation }) => operation)).size).toBe(routes.length);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  test('names an rpc that exists for every route', () => {
    expect(routes.map(({ rpc }) => rpc).filter((rpc) => !rpcs.includes(rpc))).toEqual([]);
  });

  test('says for every path with an id what the id names', () => {
    const nameless = routes.filter(({ path, resourceName, params }) => path.includes(':') && !(resourceName && params));
    expect(nameless).toEqual([]);
  });
});
