import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOperation } from './operations.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { json, TestClient } from './testing.js';

type Endpoint = Readonly<Record<string, { readonly 'x-required-permissions'?: readonly string[] }>>;

const contract = JSON.parse(
  readFileSync(new URL('../../../docs/reference/ksef-openapi.json', import.meta.url), 'utf8'),
) as { readonly paths: Readonly<Record<string, Endpoint>> };

/** The calls of the contract that need a permission: any of the named ones. */
const calls = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { 'x-required-permissions': anyOf }]) =>
    anyOf === undefined ? [] : [{ method: method.toUpperCase(), path, anyOf }],
  ),
);
const permissions = [...new Set([...calls.flatMap(({ anyOf }) => anyOf), 'CredentialsRead'])];

const NIP = '5265877635';
const TOKEN = `20260301-EC-0000000001-0000000002-AB|nip-${NIP}|${'0f'.repeat(32)}`;
let simulator: KsefSimulator;
let client: TestClient;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  client = new TestClient(`${simulator.url}/test`, NIP, TOKEN);
  await client.control('PUT settings', { limitFactor: 0 });
  await client.control(`PUT contexts/${NIP}`, { tokens: [{ token: TOKEN }] });
  await client.login();
});
afterAll(() => simulator.stop());

test.each(calls)('$method $path needs the permissions of the contract', async ({ method, path, anyOf }) => {
  const known = path.replaceAll(/\{\w+\}/g, '20261123-SO-0000000000-0000000000-00');
  expect(findOperation(method, `/v2${known}`)).toBeDefined();
  const target = `${method} ${known.slice(1)}${known === '/sessions' ? '?sessionType=Online' : ''}`;
  const permitted: string[] = [];
  for (const permission of permissions) {
    await client.control(`PUT contexts/${NIP}`, { tokens: [{ token: TOKEN, permissions: [permission] }] });
    const answer = await client.api(target, method === 'POST' ? {} : undefined);
    if (answer.status !== 403) permitted.push(permission);
    else expect(json(answer)).toMatchObject({ reasonCode: 'missing-permissions' });
  }
  expect(permitted.toSorted()).toEqual(anyOf.toSorted());
});
