import { expect, test } from '@jest/globals';
import { startPaddle, withSuccessUrl } from './simulators.js';

test.each([
  [{}, 9123, 'http://127.0.0.1:9123/docs'],
  [{ CHECKOUT_SUCCESS_URL: '' }, 9123, 'http://127.0.0.1:9123/docs'],
  [{ CHECKOUT_SUCCESS_URL: 'https://example.com/thanks' }, 9123, 'https://example.com/thanks'],
  [{}, 0, 'http://127.0.0.1:8080/docs'],
])('with the environment %j on port %i, the checkout returns to %s', async (env, port, successUrl) => {
  const { simulator } = await startPaddle(withSuccessUrl(env, port));
  try {
    const config = await fetch(`${simulator.url}/config`);
    expect(await config.json()).toMatchObject({ successUrl });
  } finally {
    await simulator.stop();
  }
});
