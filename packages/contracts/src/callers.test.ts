import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callersByService, callersOf, EVERYONE } from './callers.js';
import type { Definition } from './definition.js';

const generated = new URL('gen/', import.meta.url);

/** Returns every service definition of the contracts. */
async function definitions(): Promise<Definition[]> {
  const files = readdirSync(generated, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?:_service|health)\.[jt]s$/.test(file),
  );
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, generated).href) as Promise<Record<string, Partial<Definition>>>),
  );
  return modules.flatMap((module) =>
    Object.values(module).filter((one): one is Definition => typeof one === 'object' && one.fullName !== undefined),
  );
}

test('the table says for every rpc of every service who may call it, and names no other rpc', async () => {
  const declared = (await definitions()).map(({ fullName, methods }) => [
    fullName,
    Object.values(methods).map(({ name }) => name),
  ]) as [string, string[]][];
  expect(declared.length).toBeGreaterThan(30);
  const listed = Object.entries(callersByService)
    .filter(([service]) => !service.startsWith('grpc.reflection.'))
    .map(([service, rpcs]) => [service, Object.keys(rpcs).toSorted((a, b) => a.localeCompare(b))] as const);
  expect(new Map(listed)).toEqual(
    new Map(declared.map(([service, rpcs]) => [service, rpcs.toSorted((a, b) => a.localeCompare(b))] as const)),
  );
});

test('every rpc has a caller, and only health is for everyone', () => {
  const forEveryone = Object.entries(callersByService).flatMap(([service, rpcs]) =>
    Object.entries(rpcs).flatMap(([rpc, callers]) => {
      expect({ service, rpc, count: callers.length }).not.toMatchObject({ count: 0 });
      return callers === EVERYONE ? [service] : [];
    }),
  );
  expect(new Set(forEveryone)).toEqual(new Set(['grpc.health.v1.Health']));
});

test('an rpc that is not listed is for nobody', () => {
  expect(callersOf('/invoicecontrol.scan.v1.ScanService/GetScan')).toEqual(['gateway']);
  expect(callersOf('/invoicecontrol.scan.v1.ScanService/StealScan')).toBeUndefined();
});
