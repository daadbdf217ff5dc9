import { expect, test } from 'vitest';
import { showsWebhook } from './webhook-demonstration.js';

test.each([
  [{}, true],
  [{ NODE_ENV: 'development', WEBHOOK_RETRY_WAITS_MS: '1,1,1,1', EGRESS_DNS_SERVERS: '127.0.0.1:53' }, true],
  [{ NODE_ENV: 'production' }, false],
  [{ EGRESS_ALLOW_CIDRS: '127.0.0.1/32' }, false],
  // An empty value: the receivers that are refused by default are refused on purpose.
  [{ EGRESS_ALLOW_CIDRS: '' }, false],
  [{ EGRESS_ALLOW_HTTP: 'true' }, false],
  [{ WEBHOOK_TEST_CA_FILE: 'ca.pem' }, false],
])('with the environment %j a start shows a webhook: %s', (env, shows) => {
  expect(showsWebhook(env)).toBe(shows);
});
