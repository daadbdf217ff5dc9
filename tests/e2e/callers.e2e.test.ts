import { randomUUID } from 'node:crypto';
import { callersByService } from '@invoicecontrol/contracts/callers';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import { readIdentityFiles } from '@invoicecontrol/runtime/identity/identity-files';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { entries } from '@invoicecontrol/topology/services';
import { credentials } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { expectedReach, proofOf, reachBeyond, reachOf, servedRpcs } from './rpc-reach.js';

const { addresses } = JSON.parse(process.env['SHARED_SYSTEM'] ?? '') as SharedSystem;

test('the services serve every rpc of the contracts', () => {
  const paths = Object.entries(callersByService).flatMap(([fullName, rpcs]) =>
    fullName.startsWith('invoicecontrol.') ? Object.keys(rpcs).map((rpc) => `/${fullName}/${rpc}`) : [],
  );
  expect(new Set(servedRpcs.map(({ path }) => path))).toEqual(new Set(paths));
});

describe('every rpc of every service is served', () => {
  test.each([...entries.map(([name]) => name), 'operator'])('to %s exactly where the table says so', async (caller) => {
    expect(await reachOf(addresses, proofOf(caller))).toEqual(expectedReach(caller));
  });

  test.each([
    ['a caller of another authority', () => proofOf('otherAuthority')],
    ['a service of another installation', () => proofOf('stranger')],
    [
      'a caller without a certificate',
      () => credentials.createSsl(readIdentityFiles(testIdentityDirectory('gateway')).ca),
    ],
    ['a caller without TLS', () => credentials.createInsecure()],
  ])('to no one else: not to %s', async (_, proof) => {
    const found = await reachOf(addresses, proof());
    expect(new Set(found.values())).toEqual(new Set(['unreachable']));
  });
});

describe('a gateway that is controlled by an attacker', () => {
  test.each([
    ['a VIEWER', { role: 'VIEWER', scopes: ['*'] }, 60],
    ['an ANALYST', { role: 'ANALYST', scopes: ['*'] }, 40],
    ['an ADMIN', { role: 'ADMIN', scopes: ['*'] }, 5],
    ['an OWNER without a scope', { role: 'OWNER', scopes: [] }, 100],
    ['an OWNER who may read scans', { role: 'OWNER', scopes: ['scans:read'] }, 100],
  ] as const)('reaches no rpc beyond the rights of %s whose grant it has', async (_, held, atLeast) => {
    const found = await reachBeyond(addresses, randomUUID(), held);
    expect(found.size).toBeGreaterThanOrEqual(atLeast);
    expect([...found].filter(([, reach]) => reach !== 'unpermitted')).toEqual([]);
  });
});
