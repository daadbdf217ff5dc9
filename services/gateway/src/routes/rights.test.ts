import { isRoleAtLeast } from '@invoicecontrol/api-key/rights';
import { rightsOf } from '@invoicecontrol/contracts/rights';
import type { Right } from '@invoicecontrol/contracts/rights';
import { describe, expect, test } from 'vitest';
import { rpcServices } from '../clients.js';
import { routes } from './table.js';

/** Rpcs by which the gateway learns who calls and how many requests the caller has left, before it chooses a route. */
const BEFORE_ROUTES = rpcServices.access.definition;

/** Returns whether every caller who has the right `wide` also has the right `narrow`. */
function includes(narrow: Right, wide: Right): boolean {
  const hasRole = narrow.role === undefined || (wide.role !== undefined && isRoleAtLeast(wide.role, narrow.role));
  return hasRole && (narrow.scope === undefined || narrow.scope === wide.scope);
}

/** Rights that the routes of the gateway demand before they call an rpc. */
function demandedFor(rpc: string): readonly Right[] {
  const calling = routes.filter((route) => route.rpc === rpc || route.alsoAsks?.includes(rpc) === true);
  const rights = calling.map(({ access }): Right => {
    if (access === 'public') return {};
    const { minimumRole, scope } = access;
    return { ...(minimumRole === undefined ? {} : { role: minimumRole }), ...(scope === undefined ? {} : { scope }) };
  });
  return rights.filter(
    (right, at) =>
      !rights.some((other, position) =>
        // The list keeps the first of several equal rights.
        includes(other, right) && includes(right, other) ? position < at : includes(other, right),
      ),
  );
}

const rpcs = Object.values(rpcServices)
  .filter(({ definition }) => definition !== BEFORE_ROUTES)
  .flatMap(({ definition: { fullName, methods } }) => Object.values(methods).map(({ name }) => `${fullName}/${name}`));

describe('the owners of data demand the rights that the routes demand', () => {
  test.each([...new Set(rpcs)].filter((rpc) => demandedFor(rpc).length > 0))('for %s', (rpc) => {
    expect(new Set(rightsOf(`/${rpc}`))).toEqual(new Set(demandedFor(rpc)));
  });

  test('and no rpc has rights that no route calls', () => {
    expect(rpcs.filter((rpc) => rightsOf(`/${rpc}`) !== undefined && demandedFor(rpc).length === 0)).toEqual([]);
  });

  test('and the rpcs before the choice of a route need none', () => {
    for (const { name } of Object.values(BEFORE_ROUTES.methods))
      expect(rightsOf(`/${BEFORE_ROUTES.fullName}/${name}`)).toEqual([{}]);
  });
});
