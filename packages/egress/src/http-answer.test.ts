import { expect, test } from 'vitest';
import { joinHeaders, readRetryAfterMs } from './http-answer.js';

const DATE = 'Mon, 02 Mar 2026 10:00:00 GMT';
const WEEK_MS = 7 * 24 * 3_600_000;

test.each([
  ['seconds', { 'retry-after': ' 70 ' }, 70_000],
  ['none at all', { 'retry-after': '0' }, 0],
  ['a date by the clock of the sender', { date: DATE, 'retry-after': 'Mon, 02 Mar 2026 10:01:00 GMT' }, 60_000],
  ['a date that has passed', { date: DATE, 'retry-after': 'Mon, 02 Mar 2026 09:00:00 GMT' }, 0],
  ['a date by the own clock where the sender tells no time', { 'retry-after': DATE }, 0],
  ['a week', { 'retry-after': String(WEEK_MS / 1_000) }, WEEK_MS],
  ['more than a week', { 'retry-after': String(WEEK_MS / 1_000 + 1) }, WEEK_MS],
  ['a date in years', { date: DATE, 'retry-after': 'Sat, 02 Mar 2030 10:00:00 GMT' }, WEEK_MS],
  ['no header', {}, undefined],
  ['an empty header', { 'retry-after': '' }, undefined],
  ['half a second', { 'retry-after': '0.5' }, undefined],
  ['words', { 'retry-after': '5 minutes' }, undefined],
  ['a date that does not exist', { 'retry-after': 'Mon, 99 Mar 2026 10:00:00 GMT' }, undefined],
])('Retry-After with %s', (_, headers: Readonly<Record<string, string>>, expected) => {
  expect(readRetryAfterMs(headers)).toBe(expected);
});

test('headers are found by their lower-case name, and repeated ones are joined', () => {
  expect(joinHeaders({ 'Retry-After': '1', via: ['a', 'b'], empty: undefined })).toEqual({
    'retry-after': '1',
    via: 'a, b',
  });
});
