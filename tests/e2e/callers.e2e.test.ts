import { callersByService } from '@invoicecontrol/contracts/callers';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import { readIdentityFiles } from '@invoicecontrol/runtime/identity/identity-files';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { entries } from '@invoicecontrol/topology/services';
import { credentials } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { expectedReach, proofOf, reachOf, servedRpcs } from './rpc-reach.js';

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
