import { expect, test } from 'vitest';
import { endOfPolishDay, requireConnected } from './preconditions.js';

test.each([
  ['PENDING', /has not been tested.*Test the connection/],
  ['ERROR', /lastErrorMessage.*save a new token or certificate/],
  ['DISABLED', /Save a token with POST \/v1\/ksef-connections/],
] as const)(
  'a connection that is %s takes no invoice, and the refusal says how it becomes CONNECTED',
  (status, way) => {
    expect(() => requireConnected(status)).toThrow(way);
    expect(() => requireConnected(status)).toThrow(/submit the invoice when the status is CONNECTED/);
  },
);

test.each([
  ['2026-12-31', '2026-12-31T23:00:00.000Z'],
  ['2026-07-31', '2026-07-31T22:00:00.000Z'],
  // The clocks change in the night at the beginning of this day.
  ['2026-03-29', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', '2026-10-25T23:00:00.000Z'],
])('the day %s ends in Poland at %s', (day, end) => {
  expect(endOfPolishDay(day).toISOString()).toBe(end);
});

test('a connection that is CONNECTED takes invoices', () => {
  expect(() => requireConnected('CONNECTED')).not.toThrow();
});
