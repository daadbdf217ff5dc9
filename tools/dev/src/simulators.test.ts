import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startErps, startPaddle, startSimulators, withOwnUrls } from './simulators.js';

test.each([
  [{}, 9123, 'http://127.0.0.1:9123/app/billing?checkout=done'],
  [{ CHECKOUT_SUCCESS_URL: '' }, 9123, 'http://127.0.0.1:9123/app/billing?checkout=done'],
  [{ CHECKOUT_SUCCESS_URL: 'https://example.com/thanks' }, 9123, 'https://example.com/thanks'],
  [{}, 0, 'http://127.0.0.1:8080/app/billing?checkout=done'],
])('with the environment %j on port %i, the checkout returns to %s', async (env, port, successUrl) => {
  const { simulator } = await startPaddle(withOwnUrls(env, port));
  try {
    const config = await fetch(`${simulator.url}/config`);
    expect(await config.json()).toMatchObject({ successUrl });
  } finally {
    await simulator.stop();
  }
});

test('consent in the browser comes back to the port of this installation, unless the environment says where to', () => {
  expect(withOwnUrls({ ERP_OAUTH_RETURN_URL: 'https://app.example.com/' }, 9123)).toMatchObject({
    ERP_OAUTH_CALLBACK_URL: 'http://127.0.0.1:9123/v1/erp-connections/oauth/callback',
    ERP_OAUTH_RETURN_URL: 'https://app.example.com/',
  });
});

test('erp-sync gets the simulated ERPs, and customers may name only the address of Odoo', async () => {
  const { simulators, env } = await startErps({ ...withOwnUrls({}, 9123), XERO_CLIENT_ID: 'mine' });
  try {
    const { businessCentral, odoo, quickBooks, xero } = simulators.urls;
    expect(env).toMatchObject({ BUSINESS_CENTRAL_API_URL: businessCentral, ERP_EGRESS_ALLOW_ORIGINS: odoo });
    expect(env).toMatchObject({ QUICKBOOKS_API_URL: quickBooks, XERO_API_URL: xero, XERO_CLIENT_ID: 'mine' });
    const { odoo: other } = (
      await startErps({}, Number(new URL(odoo).port)).then(async (second) => {
        await second.simulators.stop();
        return second.simulators;
      })
    ).urls;
    expect(other).not.toBe(odoo);
    const query = new URLSearchParams({
      client_id: 'mine',
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:9123/v1/erp-connections/oauth/callback/PROVIDER_D',
      scope: 'offline_access accounting.contacts.read',
      state: 'state',
    });
    const consent = await fetch(`${env['XERO_AUTHORIZE_URL']}?${query.toString()}`);
    expect(consent.status).toBe(200);
  } finally {
    await simulators.stop();
  }
});

test('ksef gets three environments of the simulated KSeF, whose keys and log survive a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'simulators-'));
  const start = async () => startSimulators({ webhooks: false, directory, env: {}, odooPort: undefined });
  /** Returns the keys of each KSeF environment, and the number of requests that it received. */
  const readState = async (url: string | undefined): Promise<readonly unknown[]> =>
    Promise.all(
      ['test', 'demo', 'production'].map(async (environment) => {
        const certificates = await fetch(`${url}/${environment}/v2/security/public-key-certificates`);
        const requests = await fetch(`${url}/${environment}/control/requests`);
        const { items } = (await requests.json()) as { items: readonly unknown[] };
        return { certificates: await certificates.json(), requests: items.length };
      }),
    );
  try {
    const first = await start();
    const { ksef } = first.urls;
    expect(first.env).toMatchObject({
      KSEF_TEST_URL: `${ksef}/test/v2`,
      KSEF_DEMO_URL: `${ksef}/demo/v2`,
      KSEF_PRODUCTION_URL: `${ksef}/production/v2`,
    });
    const seals = ['TEST', 'DEMO', 'PRODUCTION'].map((name) => first.env[`KSEF_${name}_SEALS_FILE`] ?? '');
    const subjects = seals.map((file) => new X509Certificate(readFileSync(file)).subject);
    expect(subjects).toEqual(
      ['test', 'demo', 'production'].map((name) => expect.stringContaining(`KSeF simulator ${name} Seal`)),
    );
    const before = (await readState(ksef)) as readonly { certificates: readonly unknown[]; requests: number }[];
    expect(new Set(before.map(({ certificates }) => JSON.stringify(certificates))).size).toBe(3);
    await first.stop();

    const second = await start();
    const after = await readState(second.urls['ksef']);
    expect(after).toEqual(before.map(({ certificates, requests }) => ({ certificates, requests: requests + 1 })));
    await second.stop();
  } finally {
    await rm(directory, { recursive: true });
  }
});
