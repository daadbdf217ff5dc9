import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { accessTokens } from '../application/access-tokens.js';
import type { AccessTokens } from '../application/access-tokens.js';
import type { ConnectionTokenStore, TokenOwner } from '../application/consent-stores.js';
import { authorizationServers } from '../clients/authorization-servers.js';
import { startService } from '../compose.js';
import { configSchema } from '../config.js';
import { decodeTokens, encodeTokens } from '../domain/tokens.js';
import type { ConnectionTokens } from '../domain/tokens.js';
import { connectionTokenStore } from '../storage/connection-tokens.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { personAt, startConsenting } from '../testing/consenting.js';
import type { Consenting } from '../testing/consenting.js';
import { caller, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';

const ROUNDS = 50;
const LEASE_MS = 2_000;
const secretboxKeys = `k1:${randomBytes(32).toString('base64')}`;
const sealedTokens = sealedField(secretbox(keyRing.parse(secretboxKeys)), 'connections', 'tokens');

let running: RunningErpSync;
let erps: Consenting;
let person: ReturnType<typeof personAt>;
beforeAll(async () => {
  erps = await startConsenting(startErpSimulators);
  running = await startErpSync((config, overrides) => startService(config, overrides, { runsDue: false }), {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { ...erps.env, SECRETBOX_KEYS: secretboxKeys },
  });
  person = personAt(running);
});
afterAll(async () => {
  await running.stop();
  await erps.stop();
});

const connections = () => running.mongo.db.collection<ConnectionDocument>('connections');
const store = (): ConnectionTokenStore => connectionTokenStore(connections(), systemClock);

/** Creates a process that refreshes tokens, with short timeouts. */
function replica({ leaseMs = LEASE_MS, callMs = 1_000, tokens = store() } = {}): AccessTokens {
  const config = configSchema.parse({
    MONGODB_URL: 'unused',
    TLS_DIR: 'unused',
    NATS_URL: 'unused',
    ORGANIZATION_ADDRESS: 'unused',
    ANALYSIS_ADDRESS: 'unused',
    SECRETBOX_KEYS: secretboxKeys,
    ...erps.env,
  });
  const servers = authorizationServers(config, callMs, systemClock);
  return accessTokens({
    tokens,
    servers,
    secrets: { tokens: sealedTokens },
    clock: systemClock,
    leaseMs,
    backoffMs: 1,
  });
}

/** Creates a process that is killed after the provider has responded, before it stores anything. */
function killedReplica(leaseMs: number): AccessTokens {
  const killed = (): Promise<never> => Promise.reject(new Error('killed'));
  return replica({ leaseMs, tokens: { ...store(), save: killed, release: killed } });
}

const products = ['quickBooks', 'xero'] as const;
type Product = (typeof products)[number];

async function connected(product: Product) {
  const organizationId = running.organization.newTenant();
  const tenant = await erps.newCompany(product);
  const { connectionId: id } = await person.connect(organizationId, product, tenant);
  const owner: TokenOwner = { id, organizationId };
  const document = async () => stated((await connections().findOne({ _id: id })) ?? undefined);
  const held = async () => decodeTokens(sealedTokens.open(owner, stated((await document()).tokens)));
  const put = async (change: Partial<ConnectionTokens>) => {
    const tokens = sealedTokens.seal(owner, encodeTokens({ ...(await held()), ...change }));
    await connections().updateOne({ _id: id }, { $set: { tokens } });
  };
  return {
    organizationId,
    tenant,
    owner,
    document,
    held,
    put,
    /** Changes the stored expiry time, so that the service considers the access token expired. */
    expire: () => put({ accessExpiresAt: new Date(0) }),
    counts: () => erps.tokens(product, tenant),
    fault: (fault: object) => erps.fault(product, { match: '^POST .*token(s/bearer)? ', ...fault, tenant }),
    /** Returns true if the provider accepts the access token. */
    async isTaken(accessToken: string): Promise<boolean> {
      const url =
        product === 'xero'
          ? `${erps.env.XERO_API_URL}/connections`
          : `${erps.env.QUICKBOOKS_API_URL}/v3/company/${tenant}/companyinfo/${tenant}`;
      const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
      return (await fetch(url, { headers })).ok;
    },
  };
}

describe.each(products)('the access of %s', (product) => {
  test('is used as long as it holds, without a call', async () => {
    const one = await connected(product);
    const { accessToken } = await one.held();
    expect(await replica().current(one.owner)).toBe(accessToken);
    expect(await one.counts()).toMatchObject({ refreshed: 0 });
  });

  test('is refreshed once, however many processes need it at once', async () => {
    const one = await connected(product);
    await one.expire();
    const replicas = [replica(), replica(), replica()];
    const got = await Promise.all(
      Array.from({ length: 8 }, () => replicas.map((process) => process.current(one.owner))).flat(),
    );
    expect(new Set(got).size).toBe(1);
    expect(await one.isTaken(got[0] ?? '')).toBe(true);
    expect(await one.counts()).toMatchObject({ refreshed: 1, reused: 0 });
  });

  test('that the ERP refused is renewed by one refresh, whichever process noticed it', async () => {
    const one = await connected(product);
    const { accessToken: refused } = await one.held();
    const got = await Promise.all([replica(), replica()].map((process) => process.renewed(one.owner, refused)));
    expect(new Set(got).size).toBe(1);
    expect(got).not.toContain(refused);
    expect(await replica().renewed(one.owner, refused)).toBe(got[0]);
    expect(await one.counts()).toMatchObject({ refreshed: 1, reused: 0 });
  });

  test('survives an answer that is lost: the refresh is tried again', async () => {
    const one = await connected(product);
    await one.expire();
    await one.fault({ kind: 'LOSE_ANSWER', times: 2 });
    expect(await one.isTaken(await replica().current(one.owner))).toBe(true);
    expect(await one.counts()).toMatchObject({ refreshed: 3, reused: 0, liveRefreshTokens: expect.any(Number) });
  });

  test(`is never burnt by ${ROUNDS} processes that are killed between the answer and its storing`, async () => {
    const one = await connected(product);
    for (let round = 0; round < ROUNDS; round++) {
      await one.expire();
      await expect(killedReplica(50).current(one.owner)).rejects.toThrow('killed');
      const accessToken = await replica().current(one.owner);
      expect(await one.isTaken(accessToken)).toBe(true);
    }
    expect(await one.counts()).toMatchObject({ refreshed: 2 * ROUNDS, reused: 0, connected: true });
  }, 300_000);

  test('is taken over from a process that hangs, whose late answer changes nothing', async () => {
    const one = await connected(product);
    await one.expire();
    await one.fault({ kind: 'HANG', seconds: 1 });
    const slow = replica({ leaseMs: 100, callMs: 30_000 }).current(one.owner);
    await eventually(async () => expect((await one.document()).refreshClaim).toBeDefined());
    const fast = await replica().current(one.owner);
    expect(await one.isTaken(fast)).toBe(true);
    expect(await slow).toBe(fast);
    expect((await one.held()).accessToken).toBe(fast);
  });

  test.each([
    ['answers 503', { kind: 'STATUS', status: 503, times: 3 }, 'UPSTREAM_ERROR'],
    ['does not answer', { kind: 'HANG', seconds: 5, times: 3 }, 'TIMEOUT'],
    ['throttles', { kind: 'THROTTLE', retryAfter: 7 }, 'RATE_LIMITED'],
    ['sends text', { kind: 'BODY', body: 'oops', contentType: 'text/plain', times: 3 }, 'UPSTREAM_ERROR'],
    ['sends a token without a name', { kind: 'BODY', body: '{}', times: 3 }, 'UPSTREAM_ERROR'],
    ['does not take the request', { kind: 'STATUS', status: 400, body: { error: 'invalid_request' } }, 'BAD_RESPONSE'],
  ])('keeps what it has when the provider %s', async (_, fault, code) => {
    const one = await connected(product);
    await one.expire();
    const before = await one.document();
    await one.fault(fault);
    await expect(replica({ callMs: 200 }).current(one.owner)).rejects.toMatchObject({ code, needsAPerson: false });
    const after = await one.document();
    expect([after.tokens, after.tokenVersion, after.status]).toEqual([
      before.tokens,
      before.tokenVersion,
      before.status,
    ]);
    expect(await one.isTaken(await replica().current(one.owner))).toBe(true);
    expect(await one.counts()).toMatchObject({ reused: 0 });
  });

  test('of an app that the provider refuses needs a person, and works again when the app does', async () => {
    const one = await connected(product);
    await one.expire();
    await one.fault({ kind: 'STATUS', status: 401, body: { error: 'invalid_client' } });
    await expect(replica().current(one.owner)).rejects.toMatchObject({ code: 'AUTH_FAILED', needsAPerson: true });
    expect(await one.isTaken(await replica().current(one.owner))).toBe(true);
  });

  test('that the provider has ended needs a person', async () => {
    const one = await connected(product);
    await one.expire();
    await erps.control(product, `POST /tenants/${one.tenant}/expire`, { what: 'REFRESH' });
    await expect(replica().current(one.owner)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED', needsAPerson: true });
    expect((await one.document()).refreshClaim).toBeUndefined();
  });

  test('is found again by the refresh token before the last one, for 30 minutes', async () => {
    const one = await connected(product);
    const { refreshToken } = await one.held();
    const unknown = { refreshToken: 'unknown', accessExpiresAt: new Date(0) };
    await one.put({ ...unknown, previous: { refreshToken, until: new Date(Date.now() + 60_000) } });
    expect(await one.isTaken(await replica().current(one.owner))).toBe(true);
    await one.put({ ...unknown, previous: { refreshToken, until: new Date(Date.now() - 1) } });
    await expect(replica().current(one.owner)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
  });

  test('of a consent that comes during a refresh counts', async () => {
    const one = await connected(product);
    await one.expire();
    await one.fault({ match: 'refresh_token', kind: 'HANG', seconds: 1 });
    const refreshing = replica({ leaseMs: 60_000, callMs: 30_000 }).current(one.owner);
    await eventually(async () => expect((await one.document()).refreshClaim).toBeDefined());
    await person.connect(one.organizationId, product, one.tenant);
    const consented = await one.held();
    expect(await refreshing).toBe(consented.accessToken);
    expect(await one.held()).toEqual(consented);
  });

  test('is refused for a connection that was deleted, and for one of another organization', async () => {
    const one = await connected(product);
    const foreign = { id: one.owner.id, organizationId: running.organization.newTenant() };
    await expect(replica().current(foreign)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
    const { id: connectionId, organizationId } = one.owner;
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    await expect(replica().current(one.owner)).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
  });

  test('is refreshed each day, paused or not', async () => {
    const one = await connected(product);
    const { id: connectionId, organizationId } = one.owner;
    await running.connections.updateConnection(
      { organizationId, connectionId, secretName: '', isPaused: true },
      caller,
    );
    const daily = await running.startReplica({ ERP_REFRESH_SECONDS: '1' });
    await eventually(async () => expect((await one.counts()).refreshed).toBeGreaterThan(0));
    await daily.stop();
    expect(await one.isTaken((await one.held()).accessToken)).toBe(true);
  });

  test('that ended turns the connection to ERROR, until a person consents again', async () => {
    const one = await connected(product);
    const { id: connectionId, organizationId } = one.owner;
    const read = async () =>
      stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);
    await erps.control(product, `POST /tenants/${one.tenant}/expire`, { what: 'REFRESH' });
    const daily = await running.startReplica({ ERP_REFRESH_SECONDS: '1' });
    await eventually(async () =>
      expect(await read()).toMatchObject({ status: ConnectionStatus.ERROR, lastErrorCode: 'REAUTH_REQUIRED' }),
    );
    await eventually(async () => expect((await one.document()).tokensRefreshedAt).toBeUndefined());
    expect((await read()).nextSyncTime).toBeUndefined();
    await daily.stop();
    expect(await person.connect(organizationId, product, one.tenant)).toEqual({ status: 'connected', connectionId });
    expect(await read()).toMatchObject({ status: ConnectionStatus.PENDING });
    expect((await read()).lastErrorCode).toBeUndefined();
    expect(await one.isTaken(await replica().current(one.owner))).toBe(true);
  });
});
