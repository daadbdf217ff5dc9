import { expect, test } from 'vitest';
import { parseRetryAfterMs } from './retry-after.js';

const now = new Date('2026-03-02T10:00:00Z');

test.each([
  ['seconds', ' 70 ', 70_000],
  ['more seconds than a year has', '100000000', 100_000_000_000],
  ['a date', 'Mon, 02 Mar 2026 10:01:00 GMT', 60_000],
  ['a date that has passed', 'Mon, 02 Mar 2026 09:00:00 GMT', 0],
  ['nothing', '', undefined],
  ['half a second', '0.5', undefined],
  ['a negative number', '-90', undefined],
  ['a date in another form', '2026-03-02T10:01:00Z', undefined],
  ['a date that does not exist', 'Mon, 99 Mar 2026 10:00:00 GMT', undefined],
])('Retry-After with %s', (_, header, expected) => {
  expect(parseRetryAfterMs(header, now)).toBe(expected);
});
