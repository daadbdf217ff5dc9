import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRoleAtLeast, roles, scopes } from '@invoicecontrol/api-key/rights';
import { accessFor, keyNamed, principal } from '../testing/fakes.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';
import { routes } from './table.js';

/**
 * API keys: one for each role with all scopes, and one OWNER key for each scope, which has all scopes except that one.
 */
const byRole = new Map(roles.map((role) => [role, keyNamed(`role${role}`)]));
const lacking = new Map(scopes.map((scope, index) => [scope, keyNamed(`lacking${index}x`)]));
const keys = new Map([
  ...roles.map((role) => [keyNamed(`role${role}`), principal({ role, apiKeyId: role })] as const),
  ...scopes.map(
    (scope, index) =>
      [
        keyNamed(`lacking${index}x`),
        principal({ apiKeyId: scope, scopes: scopes.filter((other) => other !== scope) }),
      ] as const,
  ),
]);

let gateway: RunningGateway;
beforeAll(async () => {
  // The services behind the gateway do not respond, so an admitted request ends with 400, 404 or 500, but never with
  // 401 or 403.
  gateway = await startGateway({ access: accessFor(keys) });
});
afterAll(() => gateway.stop());

async function statusOf(method: string, path: string, key: string | undefined): Promise<number> {
  const hasBody = method !== 'get' && method !== 'delete';
  const response = await fetch(`${gateway.origin}/v1${path.replace(/:\w+/, 'unknown')}`, {
    method: method.toUpperCase(),
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(hasBody ? { body: '{}' } : {}),
  });
  return response.status;
}

describe('every route', () => {
  for (const { operation, method, path, access } of routes) {
    if (access === 'public') continue;
    test(`${operation} lets in exactly the roles and the scope that it states`, async () => {
      expect(await statusOf(method, path, undefined)).toBe(401);
      for (const role of roles) {
        const isEnough = access.minimumRole === undefined || isRoleAtLeast(role, access.minimumRole);
        const status = await statusOf(method, path, byRole.get(role));
        expect({ role, isRefused: status === 403 || status === 401 }).toEqual({ role, isRefused: !isEnough });
      }
      if (access.scope !== undefined) expect(await statusOf(method, path, lacking.get(access.scope))).toBe(403);
    });
  }
});
