import { expect, test } from 'vitest';
import { endOfPolishDay, requireSender } from './preconditions.js';

test.each([
  ['PENDING', 'TOKEN', /its token has not been tested.*Test the connection/],
  ['PENDING', 'CERTIFICATE', /its certificate has not been tested.*Test the connection/],
  ['ERROR', 'TOKEN', /lastErrorMessage.*save a new token or certificate/],
  [
    'DISABLED',
    'CERTIFICATE',
    /Save the connection again with a token or a certificate \(POST \/v1\/ksef-connections\)/,
  ],
] as const)(
  'a connection that is %s takes no invoice, and the refusal says how it becomes CONNECTED (%s)',
  (status, authentication, way) => {
    expect(() => requireSender({ status, authentication })).toThrow(way);
    expect(() => requireSender({ status, authentication })).toThrow(/submit the invoice when the status is CONNECTED/);
  },
);

test.each([
  ['TOKEN', /^The token lacks the permission to issue invoices \(InvoiceWrite\).* Grant .* submit the invoice\.$/],
  ['CERTIFICATE', /^The holder of the certificate lacks the permission to issue invoices \(InvoiceWrite\)/],
] as const)(
  'a connection that may only view invoices takes none, and the refusal says what to grant (%s)',
  (...args) => {
    const [authentication, way] = args;
    const connection = { status: 'CONNECTED', authentication, readOnlySince: new Date() } as const;
    expect(() => requireSender(connection)).toThrow(way);
  },
);

test.each([
  ['2026-12-31', '2026-12-31T23:00:00.000Z'],
  ['2026-07-31', '2026-07-31T22:00:00.000Z'],
  // In Poland, the clocks change in the night at the beginning of this day.
  ['2026-03-29', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', '2026-10-25T23:00:00.000Z'],
])('the day %s ends in Poland at %s', (day, end) => {
  expect(endOfPolishDay(day).toISOString()).toBe(end);
});

test('a connection that is CONNECTED takes invoices', () => {
  expect(() => requireSender({ status: 'CONNECTED', authentication: 'TOKEN' })).not.toThrow();
});
