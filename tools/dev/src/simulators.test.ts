import { expect, test } from '@jest/globals';
import { startPaddle, withOwnUrls } from './simulators.js';

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
