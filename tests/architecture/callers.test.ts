import { callersByService, EVERYONE } from '@invoicecontrol/contracts/callers';
import { calledBy } from '@invoicecontrol/topology/read-services';
import { expect, test } from 'vitest';

/** Packages of the contracts that several services serve. The list of clients names the service that answers. */
const SHARED = ['usage', 'archive', 'operations'];
const rpcs = Object.entries(callersByService).flatMap(([service, callers]) => {
  const [, owner = '', name = ''] = /^invoicecontrol\.(\w+)\.v\d+\.(\w+)Service$/.exec(service) ?? [];
  return owner === '' ? [] : [{ owner: owner.replaceAll('_', '-'), name, callers }];
});
const methodOf = (rpc: string): string => rpc.charAt(0).toLowerCase() + rpc.slice(1);

/** Returns the methods of an RPC service of the contracts, which each owner of a shared one serves. */
function methodsOf(owner: string, name: string): readonly string[] {
  const named = rpcs.filter((one) => one.name === name);
  const found = named.find((one) => one.owner === owner) ?? named.find((one) => SHARED.includes(one.owner));
  return Object.keys(found?.callers ?? {}).map(methodOf);
}

const entryOf = (caller: string): string =>
  caller === 'operator'
    ? import.meta.resolve('../../tools/admin/dist/admin.js')
    : import.meta.resolve(`@invoicecontrol/${caller}/service`);

const pairs = rpcs.flatMap(({ owner, name, callers }) =>
  Object.entries(callers).flatMap(([rpc, allowed]) =>
    (allowed === EVERYONE ? [] : allowed).map((caller) => ({ caller, owner, name, rpc })),
  ),
);
const used = new Map(
  [...new Set(pairs.map(({ caller }) => caller))].map((caller) => [caller, calledBy(entryOf(caller), methodsOf)]),
);

test('only the operator may call a service named OperatorService', () => {
  const operators = Object.entries(callersByService).filter(([service]) => service.endsWith('.OperatorService'));
  expect(operators.length).toBeGreaterThan(3);
  for (const [service, callers] of operators) {
    for (const [rpc, allowed] of Object.entries(callers))
      expect([service, rpc, allowed]).toEqual([service, rpc, ['operator']]);
  }
});

test('nobody may call an rpc that its code does not call', () => {
  expect(pairs.length).toBeGreaterThan(150);
  const unused = pairs.filter(({ caller, owner, name, rpc }) => {
    const own = [...(used.get(caller) ?? [])];
    return !own.some(
      (one) => one.endsWith(`${name}.${methodOf(rpc)}`) && (SHARED.includes(owner) || one.startsWith(`${owner}.`)),
    );
  });
  expect(unused).toEqual([]);
});
