import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { events } from '@invoicecontrol/contracts/events';
import type { ConnectionChanged } from '@invoicecontrol/contracts/erp_sync/v1/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { ConnectionDocument } from '../storage/connections.js';
import type { OAuthFlowDocument } from '../storage/oauth-flows.js';
import { clickThrough, codes, personAt, RETURN_URL, startConsenting } from '../testing/consenting.js';
import type { Consenting } from '../testing/consenting.js';
import { caller, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';

let running: RunningErpSync;
let erps: Consenting;
let person: ReturnType<typeof personAt>;
const changes: ConnectionChanged[] = [];
let closeBroadcast: () => void;
beforeAll(async () => {
  erps = await startConsenting(startErpSimulators);
  running = await startErpSync((config, overrides) => startService(config, overrides, { runsDue: false }), {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: erps.env,
  });
  person = personAt(running);
  const logger = createLogger({ service: 'test', level: 'silent' });
  ({ close: closeBroadcast } = subscribeBroadcast(
    running.bus,
    [events.connectionChanged],
    (event) => void changes.push(event),
    logger,
  ));
});
afterAll(async () => {
  closeBroadcast();
  await running.stop();
  await erps.stop();
});

const newTenant = (): string => running.organization.newTenant();
const connections = () => running.mongo.db.collection<ConnectionDocument>('connections');
const flows = () => running.mongo.db.collection<OAuthFlowDocument>('oauth_flows');
const read = async (organizationId: string, connectionId: string) =>
  stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);
const countOf = (organizationId: string) => connections().countDocuments({ organizationId });
/**
 * Waits until the given number of attempts was made and the next one is due after the pause. During an attempt, it is
 * due in two minutes.
 */
async function waitsForRetry(connectionId: string, tries: number, pauseMs: number): Promise<void> {
  const { revokeTries, revokeAt } = stated((await connections().findOne({ _id: connectionId })) ?? undefined);
  expect(revokeTries).toBe(tries);
  const leftMs = stated(revokeAt).getTime() - Date.now();
  expect(leftMs).toBeGreaterThan(pauseMs - 30_000);
  expect(leftMs).toBeLessThanOrEqual(pauseMs + 5_000);
}
const products = ['quickBooks', 'xero'] as const;

describe.each(products)('%s', (product) => {
  test('is connected by a consent that is confirmed: nothing is stored as a connection before', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product, 'Norton & Sons');
    const page = await person.toPage(organizationId, product, tenant);
    expect(page).toMatchObject({
      workspaceName: 'Workspace',
      companyName: 'Main',
      tenantName: 'Norton & Sons',
      providerName: product === 'xero' ? 'Xero' : 'QuickBooks Online',
      returnOrigin: 'https://app.example.com',
      actionPath: `/product/v1/erp-connections/oauth/callback/${codes[product]}`,
    });
    expect(await countOf(organizationId)).toBe(0);

    const { status, connectionId } = await person.decide(page.confirmation, 'connect', codes[product]);
    expect(status).toBe('connected');
    const connection = await read(organizationId, connectionId);
    expect(connection).toMatchObject({
      provider: codes[product],
      companyId: 'c-main',
      status: ConnectionStatus.PENDING,
    });
    const idName = product === 'xero' ? 'tenantId' : 'realmId';
    expect(JSON.parse(connection.configJson)).toEqual({ [idName]: tenant, tenantName: 'Norton & Sons' });
    expect(await erps.tokens(product, tenant)).toMatchObject({ liveRefreshTokens: 1, connected: true, revoked: 0 });
    await eventually(() =>
      expect(changes.find((change) => change.connectionId === connectionId)).toMatchObject({
        status: 'PENDING',
        byConsent: true,
        tenantName: 'Norton & Sons',
        providerName: product === 'xero' ? 'Xero' : 'QuickBooks Online',
      }),
    );
  });

  test('a decision counts once', async () => {
    const organizationId = newTenant();
    const { confirmation } = await person.toPage(organizationId, product, await erps.newCompany(product));
    const decisions = await Promise.allSettled([1, 2, 3].map(() => person.decide(confirmation)));
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(person.decide(confirmation)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await countOf(organizationId)).toBe(1);
  });

  test('a canceled confirmation connects nothing and ends the access at the provider', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const { confirmation } = await person.toPage(organizationId, product, tenant);
    expect(await person.decide(confirmation, 'cancel')).toEqual({ status: 'denied', connectionId: '' });
    await eventually(async () =>
      expect(await erps.tokens(product, tenant)).toMatchObject({ liveRefreshTokens: 0, connected: false }),
    );
    await eventually(async () =>
      expect(await flows().countDocuments({ organizationId, tokens: { $exists: true } })).toBe(0),
    );
    expect(await countOf(organizationId)).toBe(0);
    await expect(person.decide(confirmation)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('a confirmation that nobody decides ends, and so does the access', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const { confirmation } = await person.toPage(organizationId, product, tenant);
    const [flowId = ''] = confirmation.split('.');
    const flow = stated((await flows().findOne({ _id: flowId })) ?? undefined);
    expect(flow.revokeAt).toEqual(flow.expiresAt);
    await flows().updateOne({ _id: flowId }, { $set: { expiresAt: new Date(0), revokeAt: new Date(0) } });
    await expect(person.decide(confirmation)).rejects.toMatchObject({ kind: 'invalid' });
    await eventually(async () => expect(await erps.tokens(product, tenant)).toMatchObject({ liveRefreshTokens: 0 }));
    await eventually(async () => expect((await flows().findOne({ _id: flowId }))?.tokens).toBeUndefined());
    expect(await countOf(organizationId)).toBe(0);
  });

  test('the refusal of the person is told, and connects nothing', async () => {
    const organizationId = newTenant();
    const query = await clickThrough(await person.start(organizationId, product), 'simulate=deny');
    expect(await person.statusOf(query, codes[product])).toBe('denied');
    await expect(person.callback(query)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('a second consent gives the connection new access in place', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const { connectionId } = await person.connect(organizationId, product, tenant);
    await connections().updateOne(
      { _id: connectionId },
      {
        $set: { status: 'ERROR', lastError: { code: 'REAUTH_REQUIRED', message: 'Consent.' } },
        $unset: { nextSyncAt: '' },
        $inc: { version: 1 },
      },
    );
    const before = stated((await connections().findOne({ _id: connectionId })) ?? undefined);
    expect(await person.connect(organizationId, product, tenant)).toEqual({ status: 'connected', connectionId });
    const after = stated((await connections().findOne({ _id: connectionId })) ?? undefined);
    expect(after.tokenVersion).toBe((before.tokenVersion ?? 0) + 1);
    expect(after.tokens?.sealed).not.toBe(before.tokens?.sealed);
    expect(after.status).toBe('PENDING');
    expect(after.lastError).toBeUndefined();
    expect(after.nextSyncAt).toBeDefined();
    expect(await countOf(organizationId)).toBe(1);
  });

  test('a second consent that is canceled leaves the connection its access', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    await person.connect(organizationId, product, tenant);
    const { confirmation } = await person.toPage(organizationId, product, tenant);
    expect((await person.decide(confirmation, 'cancel')).status).toBe('denied');
    await eventually(async () =>
      expect(await flows().countDocuments({ organizationId, tokens: { $exists: true } })).toBe(0),
    );
    expect(await erps.tokens(product, tenant)).toMatchObject({ connected: true, revoked: 0 });
  });

  test('a company that belongs to another company of the organization is a conflict', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    await person.connect(organizationId, product, tenant);
    const second = await person.connect(organizationId, product, tenant, { companyId: SECOND_COMPANY_ID });
    expect(second).toEqual({ status: 'conflict', connectionId: '' });
    expect(await countOf(organizationId)).toBe(1);
    expect(await erps.tokens(product, tenant)).toMatchObject({ connected: true });
  });

  test('other organizations may connect the same company', async () => {
    const tenant = await erps.newCompany(product);
    const first = await person.connect(newTenant(), product, tenant);
    const second = await person.connect(newTenant(), product, tenant);
    expect([first.status, second.status]).toEqual(['connected', 'connected']);
    expect(first.connectionId).not.toBe(second.connectionId);
  });

  test('parallel consents to the same company end in one connection', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const pages = [];
    for (let count = 0; count < 4; count++) pages.push(await person.toPage(organizationId, product, tenant));
    const results = await Promise.all(pages.map(({ confirmation }) => person.decide(confirmation)));
    expect(new Set(results.map(({ status, connectionId }) => `${status} ${connectionId}`)).size).toBe(1);
    expect(await countOf(organizationId)).toBe(1);
  });

  test('without confirmation by configuration, the callback connects at once', async () => {
    const replica = await running.startReplica({ ERP_OAUTH_CONFIRM: 'false' });
    const direct = personAt(replica);
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const query = await clickThrough(await direct.start(organizationId, product), `simulate=allow&tenant=${tenant}`);
    expect(await direct.statusOf(query, codes[product])).toBe('connected');
    expect(await countOf(organizationId)).toBe(1);
    await replica.stop();
  });

  test('the deletion of a connection ends the access at the provider, and removes the tokens', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const { connectionId } = await person.connect(organizationId, product, tenant);
    await erps.fault(product, { match: '^(POST .*revo|DELETE )', kind: 'STATUS', status: 503, tenant });
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    expect((await read(organizationId, connectionId)).status).toBe(ConnectionStatus.DISABLED);
    // The provider refused the first attempt to revoke the OAuth tokens, so the job waits before a retry.
    await eventually(() => waitsForRetry(connectionId, 1, 30_000));
    await connections().updateOne({ _id: connectionId }, { $set: { revokeAt: new Date(0) } });
    await eventually(async () => expect(await erps.tokens(product, tenant)).toMatchObject({ connected: false }));
    await eventually(async () => {
      const found = stated((await connections().findOne({ _id: connectionId })) ?? undefined);
      expect([found.tokens, found.revokeAt]).toEqual([undefined, undefined]);
    });
    expect((await person.connect(organizationId, product, tenant)).status).toBe('connected');
  });

  test('tokens that could not be revoked twelve times are removed all the same', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const { connectionId } = await person.connect(organizationId, product, tenant);
    await erps.fault(product, { match: '^(POST .*revo|DELETE )', kind: 'STATUS', status: 503, times: 0, tenant });
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    const document = async () => stated((await connections().findOne({ _id: connectionId })) ?? undefined);
    await eventually(() => waitsForRetry(connectionId, 1, 30_000));
    await connections().updateOne({ _id: connectionId }, { $set: { revokeAt: new Date(0), revokeTries: 10 } });
    await eventually(() => waitsForRetry(connectionId, 11, 4 * 3_600_000));
    expect((await document()).tokens).toBeDefined();
    await connections().updateOne({ _id: connectionId }, { $set: { revokeAt: new Date(0), revokeTries: 11 } });
    await eventually(async () => expect((await document()).tokens).toBeUndefined());
    expect(await erps.tokens(product, tenant)).toMatchObject({ connected: true });
  });

  test('the deletion of a connection whose access has ended removes the tokens', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany(product);
    const { connectionId } = await person.connect(organizationId, product, tenant);
    await erps.control(product, `POST /tenants/${tenant}/expire`, { what: 'ACCESS' });
    await erps.control(product, `POST /tenants/${tenant}/expire`, { what: 'REFRESH' });
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    await eventually(async () => {
      const found = stated((await connections().findOne({ _id: connectionId })) ?? undefined);
      expect(found.tokens).toBeUndefined();
    });
  });
});

describe('a consent', () => {
  test('begins at the provider with PKCE, its scopes separated by %20', async () => {
    const url = await person.start(newTenant(), 'xero');
    expect(url).toMatch(/[?&]scope=offline_access%20accounting\.contacts\.read%20/);
    expect(url).not.toContain('+');
    const { searchParams } = new URL(url);
    expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('redirect_uri')).toMatch(/\/oauth\/callback\/PROVIDER_D$/);
  });

  test('may name the provider by its product', async () => {
    const organizationId = newTenant();
    const { authorizeUrl } = await running.oauth.startOAuth({ organizationId, provider: 'QUICKBOOKS_ONLINE' }, caller);
    expect(new URL(authorizeUrl).searchParams.get('redirect_uri')).toMatch(/PROVIDER_C$/);
  });

  test.each(['PROVIDER_A', 'BUSINESS_CENTRAL', 'PROVIDER_B', 'ODOO', 'NETSUITE', 'xero', ''])(
    'is refused for the provider %j',
    async (provider) => {
      const starting = running.oauth.startOAuth({ organizationId: newTenant(), provider }, caller);
      await expect(starting).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'provider' }] });
    },
  );

  test('for a provider with credentials says which endpoint connects it', async () => {
    const starting = running.oauth.startOAuth({ organizationId: newTenant(), provider: 'ODOO' }, caller);
    await expect(starting).rejects.toThrow(
      /Odoo is connected with credentials. Call POST \/v1\/erp-connections instead./,
    );
  });

  test('is refused for a company that is unknown, or of another organization', async () => {
    for (const companyId of [randomUUID(), running.organization.newCompany(newTenant())]) {
      await expect(person.start(newTenant(), 'xero', { companyId })).rejects.toMatchObject({
        kind: 'invalid',
        details: [{ path: 'company_id' }],
      });
    }
  });

  test('is refused where the installation has no app at the provider', async () => {
    const replica = await running.startReplica({ XERO_CLIENT_ID: undefined, XERO_CLIENT_SECRET: undefined });
    const starting = personAt(replica).start(newTenant(), 'xero');
    await expect(starting).rejects.toMatchObject({ kind: 'unavailable' });
    await replica.stop();
  });

  test('is refused when the plan has no place left, except to renew the access of a connection', async () => {
    const organizationId = newTenant();
    running.organization.setErpConnectionsLimit(organizationId, 1);
    const tenant = await erps.newCompany('xero');
    const limited = { connectionsLimit: 1 };
    expect((await person.connect(organizationId, 'xero', tenant, limited)).status).toBe('connected');
    await expect(person.start(organizationId, 'quickBooks', limited)).rejects.toMatchObject({ kind: 'usage_exceeded' });
    expect((await person.connect(organizationId, 'xero', tenant, limited)).status).toBe('connected');
    // A different company of the same provider is detected in its callback.
    const other = await erps.newCompany('xero');
    expect((await person.connect(organizationId, 'xero', other, limited)).status).toBe('failed');
    await eventually(async () => expect(await erps.tokens('xero', other)).toMatchObject({ connected: false }));
    expect(await erps.tokens('xero', tenant)).toMatchObject({ connected: true });
  });
});

describe('a callback without a trustworthy state', () => {
  const refused = { kind: 'invalid', details: [{ path: 'state' }] };
  const consented = async (product: 'quickBooks' | 'xero' = 'quickBooks') => {
    const url = await person.start(newTenant(), product);
    return clickThrough(url, `simulate=allow&tenant=${await erps.newCompany(product)}`);
  };
  const changed = (query: string, change: (parameters: URLSearchParams) => void): string => {
    const parameters = new URLSearchParams(query);
    change(parameters);
    return parameters.toString();
  };

  test('is refused, and a good one still counts afterwards', async () => {
    const query = await consented();
    const state = new URLSearchParams(query).get('state') ?? '';
    const forged = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const bad of [
      '',
      'state=',
      changed(query, (parameters) => parameters.delete('state')),
      changed(query, (parameters) => parameters.set('state', forged)),
      changed(query, (parameters) => parameters.set('state', 'x'.repeat(5_000))),
    ]) {
      await expect(person.callback(bad)).rejects.toMatchObject(refused);
    }
    for (const name of ['state', 'code', 'realmId', 'anything']) {
      const repeated = changed(query, (parameters) => {
        parameters.append(name, parameters.get(name) ?? 'a');
        if (name === 'anything') parameters.append(name, 'b');
      });
      await expect(person.callback(repeated)).rejects.toMatchObject({ kind: 'invalid' });
    }
    await expect(person.callback(query, 'PROVIDER_D')).rejects.toMatchObject(refused);
    await expect(person.callback(query, 'PROVIDER_A')).rejects.toMatchObject(refused);
    await expect(person.callback(query, 'nonsense')).rejects.toMatchObject(refused);
    expect(await person.page(query, 'QUICKBOOKS_ONLINE')).toMatchObject({ providerName: 'QuickBooks Online' });
  });

  test('is refused when it was used already, however often it comes at once', async () => {
    const query = await consented();
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => person.callback(query)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(person.callback(query)).rejects.toMatchObject(refused);
  });

  test('is refused after its time', async () => {
    const query = await consented();
    const { modifiedCount } = await flows().updateMany({ status: 'PENDING' }, { $set: { expiresAt: new Date() } });
    expect(modifiedCount).toBeGreaterThan(0);
    await expect(person.callback(query)).rejects.toMatchObject(refused);
  });

  test('is refused when another installation has signed it', async () => {
    const query = await consented();
    await flows().deleteMany({});
    await expect(person.callback(query)).rejects.toMatchObject(refused);
  });
});

describe('a callback with a trustworthy state', () => {
  const start = (organizationId: string) => person.start(organizationId, 'quickBooks');
  const allow = async (url: string, tenant?: string) =>
    clickThrough(url, `simulate=allow&tenant=${tenant ?? (await erps.newCompany('quickBooks'))}`);

  test.each([
    ['an error that is no refusal', 'error=server_error&error_description=%3Cscript%3E'],
    ['neither code nor error', 'realmId=123'],
    ['both code and error', 'code=abc&error=access_denied'],
    ['a code of nobody', 'code=abc&realmId=123'],
    ['a foreign issuer', 'code=abc&realmId=123&iss=https%3A%2F%2Fevil.example'],
  ])('that has %s fails', async (_, rest) => {
    const state = new URL(await start(newTenant())).searchParams.get('state') ?? '';
    expect(await person.statusOf(`${rest}&state=${state}`, 'PROVIDER_C')).toBe('failed');
  });

  test('fails for a company that the consent is not for, and ends the access', async () => {
    const organizationId = newTenant();
    const [mine, foreign] = [await erps.newCompany('quickBooks'), await erps.newCompany('quickBooks')];
    const parameters = new URLSearchParams(await allow(await start(organizationId), mine));
    parameters.set('realmId', foreign);
    expect(await person.statusOf(parameters.toString())).toBe('failed');
    await eventually(async () => expect(await erps.tokens('quickBooks', mine)).toMatchObject({ liveRefreshTokens: 0 }));
    expect(await countOf(organizationId)).toBe(0);
  });

  test.each(['', 'abc', '1'.repeat(40), '../1', '1%2F2'])('fails for the realmId %j', async (realmId) => {
    const parameters = new URLSearchParams(await allow(await start(newTenant())));
    parameters.set('realmId', realmId);
    expect(await person.statusOf(parameters.toString())).toBe('failed');
  });

  test('fails when subscription, company or organization are gone since the start', async () => {
    const lapsed = newTenant();
    const query = await allow(await start(lapsed));
    running.organization.setSubscription(lapsed, false);
    const deleted = newTenant();
    const other = await allow(await start(deleted));
    running.organization.deleteTenant(deleted);
    // A fresh replica has no facts of the organization in its cache, where they would stay for seconds.
    const fresh = await running.startReplica();
    expect(await personAt(fresh).statusOf(query)).toBe('failed');
    expect(await personAt(fresh).statusOf(other)).toBe('failed');
    await fresh.stop();
  });

  test('fails when the subscription ends before the decision, and ends the access', async () => {
    const organizationId = newTenant();
    const tenant = await erps.newCompany('quickBooks');
    const { confirmation } = await person.toPage(organizationId, 'quickBooks', tenant);
    running.organization.setSubscription(organizationId, false);
    const fresh = await running.startReplica();
    expect((await personAt(fresh).decide(confirmation)).status).toBe('failed');
    await eventually(async () =>
      expect(await erps.tokens('quickBooks', tenant)).toMatchObject({ liveRefreshTokens: 0 }),
    );
    await fresh.stop();
  });

  test.each([
    ['answers 500', { kind: 'STATUS', status: 500 }],
    ['breaks off', { kind: 'DROP' }],
    ['sends text', { kind: 'BODY', body: '<html>', contentType: 'text/html' }],
    ['sends other JSON', { kind: 'BODY', body: '[1]', contentType: 'application/json' }],
    ['sends 100 MB', { kind: 'HUGE', bytes: 100_000_000 }],
    ['redirects', { kind: 'REDIRECT', location: 'http://127.0.0.1:1/' }],
  ])('fails when the provider %s for tokens or company', async (_, fault) => {
    for (const match of ['tokens/bearer', 'companyinfo']) {
      const organizationId = newTenant();
      const tenant = await erps.newCompany('quickBooks');
      const query = await allow(await start(organizationId), tenant);
      await erps.fault('quickBooks', { match, ...fault, tenant });
      expect(await person.statusOf(query)).toBe('failed');
      expect(await countOf(organizationId)).toBe(0);
    }
  });

  test('is answered with the configured page alone, whose own parameters stay', async () => {
    const state = new URL(await start(newTenant())).searchParams.get('state') ?? '';
    const outcome = await person.callback(`error=access_denied&state=${state}`);
    expect(outcome).toEqual({ $case: 'redirect', value: { url: `${RETURN_URL}&status=denied` } });
  });
});

test('a decision other than connect or cancel changes nothing', async () => {
  const { confirmation } = await person.toPage(newTenant(), 'xero', await erps.newCompany('xero'));
  await expect(person.decide(confirmation, 'maybe')).rejects.toMatchObject({ details: [{ path: 'decision' }] });
  await expect(person.decide(confirmation, 'connect', 'PROVIDER_C')).rejects.toMatchObject({ kind: 'invalid' });
  for (const forged of ['', '.', `${confirmation}x`, `${confirmation}.x`, confirmation.split('.')[0] ?? '']) {
    await expect(person.decide(forged)).rejects.toMatchObject({ details: [{ path: 'confirmation' }] });
  }
  expect((await person.decide(confirmation)).status).toBe('connected');
});

test('no secret of a consent is stored in the clear', async () => {
  const organizationId = newTenant();
  const url = await person.start(organizationId, 'xero');
  const query = await clickThrough(url, `simulate=allow&tenant=${await erps.newCompany('xero')}`);
  await person.decide((await person.page(query)).confirmation);
  const code = new URLSearchParams(query).get('code') ?? 'none';
  const stored = JSON.stringify([
    await connections().find({ organizationId }).toArray(),
    await flows().find({ organizationId }).toArray(),
  ]);
  expect(stored).toContain('"sealed":"e1.');
  // JSON web tokens, such as the access tokens of Xero, begin with `eyJ`.
  for (const secret of [code, 'eyJ', 'refresh_token', 'refreshToken', 'app.secret'])
    expect(stored).not.toContain(secret);
});
