import { expect, test } from 'vitest';
import { requireConnected } from './preconditions.js';

test.each([
  ['PENDING', /was not tested.*Test it/],
  ['ERROR', /lastErrorMessage.*save a new token or certificate/],
  ['DISABLED', /Store a token with POST \/v1\/ksef-connections/],
] as const)(
  'a connection that is %s takes no invoice, and the refusal says how it becomes CONNECTED',
  (status, way) => {
    expect(() => requireConnected(status)).toThrow(way);
    expect(() => requireConnected(status)).toThrow(/submit the invoice when it is CONNECTED/);
  },
);

test('a connection that is CONNECTED takes invoices', () => {
  expect(() => requireConnected('CONNECTED')).not.toThrow();
});
