import { describe, expect, test } from 'vitest';
import { publicClients, tenantClients } from './clients.js';
import type { Clients, PublicClients, TenantClients } from './clients.js';

const call = { context: { requestId: 'req-1', actor: { type: 'API_KEY', id: 'key-1' } }, timeoutMs: 5_000 } as const;

/** Fake gRPC clients that return the request of each call. */
const echoing = {
  companies: { getCompany: (...made: unknown[]) => Promise.resolve(made) },
  members: { acceptInvitation: (...made: unknown[]) => Promise.resolve(made) },
} as unknown as Clients;

type Offers<C, Name> = Name extends keyof C ? true : false;

describe('the clients of a request with a key', () => {
  const { companies } = tenantClients(echoing, 'the-tenant', {
    currentContext: () => call.context,
    timeoutMs: call.timeoutMs,
  });

  test('state the organization of the key, the caller and the timeout of the route', async () => {
    expect(await companies.getCompany({ companyId: 'c' })).toEqual([
      { companyId: 'c', organizationId: 'the-tenant' },
      call,
    ]);
  });

  test('wait for a new proof of the caller late in a long request', async () => {
    const again = { ...call.context, requestId: 'req-2' };
    const later = tenantClients(echoing, 'the-tenant', { currentContext: async () => again, timeoutMs: 5_000 });
    expect(await later.companies.getCompany({ companyId: 'c' })).toEqual([
      { companyId: 'c', organizationId: 'the-tenant' },
      { context: again, timeoutMs: 5_000 },
    ]);
  });

  test('never ask for another organization', async () => {
    // @ts-expect-error -- does not compile, and has no effect where types are left out
    const made = await companies.getCompany({ companyId: 'c', organizationId: 'another' });
    expect(made).toEqual([{ companyId: 'c', organizationId: 'the-tenant' }, call]);
  });

  test('offer no rpc without an organization', () => {
    const offersAcceptance: Offers<TenantClients['members'], 'acceptInvitation'> = false;
    const offersAccess: Offers<TenantClients, 'access'> = false;
    expect({ offersAcceptance, offersAccess }).toEqual({ offersAcceptance: false, offersAccess: false });
  });
});

describe('the clients of a request without a key', () => {
  test('pass the request on as it is', async () => {
    const { members } = publicClients(echoing, call);
    expect(await members.acceptInvitation({ token: 't', name: 'n' })).toEqual([{ token: 't', name: 'n' }, call]);
  });

  test('offer no rpc about an organization, and not the keys', () => {
    const offersCompany: Offers<PublicClients['companies'], 'getCompany'> = false;
    const offersAccess: Offers<PublicClients, 'access'> = false;
    expect({ offersCompany, offersAccess }).toEqual({ offersCompany: false, offersAccess: false });
  });
});
