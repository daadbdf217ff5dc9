import { expect, test } from '@jest/globals';
import { compileUpdate } from './update.js';
import type { Doc } from './values.js';

/** Deep-freezes, so that a change in place throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const before = (): Doc => ({
  _id: 1,
  n: 1,
  s: { k: 1, m: { deep: [1, 2] } },
  untouched: { list: [{ k: 1 }] },
  list: [3, 1, 2],
  lines: [
    { sku: 'a', n: 1, tags: ['x'] },
    { sku: 'b', n: 2, tags: ['y'] },
  ],
});

test.each<[string, Doc, Doc]>([
  [
    'sets',
    { $set: { n: 2, 's.m.deep.0': 9, 's.new.far': 1 } },
    { n: 2, s: { k: 1, m: { deep: [9, 2] }, new: { far: 1 } } },
  ],
  ['unsets', { $unset: { 's.m.deep': '', 'list.1': '' } }, { s: { k: 1, m: {} }, list: [3, null, 2] }],
  [
    'counts',
    { $inc: { n: 1, 's.k': 1, 'lines.0.n': 4 } },
    {
      n: 2,
      s: { ...(before()['s'] as Doc), k: 2 },
      lines: [{ sku: 'a', n: 5, tags: ['x'] }, (before()['lines'] as Doc[])[1]],
    },
  ],
  [
    'pushes',
    { $push: { list: { $each: [0], $slice: -3 }, 's.m.deep': 3 } },
    { list: [1, 2, 0], s: { k: 1, m: { deep: [1, 2, 3] } } },
  ],
  ['pulls', { $pull: { list: 1, 's.m.deep': 2 } }, { list: [3, 2], s: { k: 1, m: { deep: [1] } } }],
  ['replaces', { n: 7 }, { s: undefined, untouched: undefined, list: undefined, lines: undefined, n: 7 }],
])('an update that %s does not change the state before', (_, update, changes) => {
  const doc = frozen(before());
  const next = compileUpdate(frozen(update), false)(doc);
  expect(next).toEqual({ ...before(), ...changes });
  expect(doc).toEqual(before());
});

test('unchanged values are shared with the state before', () => {
  const doc = before();
  const next = compileUpdate({ $set: { 's.k': 2 } }, false)(doc);
  expect(next['untouched']).toBe(doc['untouched']);
  expect((next['s'] as Doc)['m']).toBe((doc['s'] as Doc)['m']);
});

test('an update refused midway does not change the state before', () => {
  const doc = frozen(before());
  const change = compileUpdate({ $set: { 'lines.0.n': 9 }, $inc: { 's.m': 1 } }, false);
  expect(() => change(doc)).toThrow('non-numeric');
  expect(doc).toEqual(before());
});
