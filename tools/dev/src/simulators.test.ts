import { expect, test } from '@jest/globals';
import { startErps, startPaddle, withOwnUrls } from './simulators.js';

test.each([
  [{}, 9123, 'http://127.0.0.1:9123/docs'],
  [{ CHECKOUT_SUCCESS_URL: '' }, 9123, 'http://127.0.0.1:9123/docs'],
  [{ CHECKOUT_SUCCESS_URL: 'https://example.com/thanks' }, 9123, 'https://example.com/thanks'],
  [{}, 0, 'http://127.0.0.1:8080/docs'],
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

test('erp-sync is told the simulated ERPs, and of their addresses customers may name Odoo alone', async () => {
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
