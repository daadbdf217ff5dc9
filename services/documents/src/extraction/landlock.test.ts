import { expect, test } from 'vitest';
import { notDenied } from './landlock.js';

const ALWAYS = ['UDP', 'Unix sockets with a path', 'attributes of files'];
const SCOPED = ['signals', 'abstract Unix sockets'];

test.each([
  [1, ['truncation of files', 'TCP', ...SCOPED, ...ALWAYS]],
  [2, ['truncation of files', 'TCP', ...SCOPED, ...ALWAYS]],
  [3, ['TCP', ...SCOPED, ...ALWAYS]],
  [4, [...SCOPED, ...ALWAYS]],
  [5, [...SCOPED, ...ALWAYS]],
  [6, ALWAYS],
  [7, ALWAYS],
])('version %i of Landlock leaves open what only a newer one denies, and what none does', (version, expected) => {
  expect(notDenied(version)).toEqual(expected);
});
