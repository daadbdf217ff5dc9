import { expect, test } from 'vitest';
import { addView, changeView, QUERY_LENGTH_MAX, readQuery, removeView, VIEWS_PER_LIST_MAX } from './views.js';
import type { SavedView, ViewList } from './views.js';

const viewNamed = (id: string, part: Partial<SavedView> = {}): SavedView => ({
  id,
  name: id,
  query: 'severity=CRITICAL',
  isDefault: false,
  version: 1,
  createdAt: new Date('2026-03-14T09:30:00Z'),
  ...part,
});
const listOf = (...views: SavedView[]): ViewList => ({ organizationId: 'acme', userId: 'ann', version: 1, views });
const state = ({ views }: ViewList) => views.map(({ id, isDefault, version }) => [id, isDefault, version]);

test('a list takes 50 views and refuses the 51st with what to do', () => {
  const almostFull = listOf(...Array.from({ length: VIEWS_PER_LIST_MAX - 1 }, (_, at) => viewNamed(`${at}`)));
  const full = addView(almostFull, viewNamed('last'));
  expect(full.views).toHaveLength(VIEWS_PER_LIST_MAX);
  expect(() => addView(full, viewNamed('one more'))).toThrow(
    'The limit of 50 saved views of a member is reached. Delete one of the views first.',
  );
  expect(() => addView({ ...full, userId: undefined }, viewNamed('one more'))).toThrow(
    'The limit of 50 shared views of an organization is reached. Delete one of the views first.',
  );
});

test('a list has at most one default, which a new default replaces', () => {
  const first = addView(listOf(viewNamed('a')), viewNamed('b', { isDefault: true }));
  expect(state(addView(first, viewNamed('c', { isDefault: true })))).toEqual([
    ['a', false, 1],
    ['b', false, 2],
    ['c', true, 1],
  ]);
  expect(state(changeView(first, 'a', { isDefault: true }))).toEqual([
    ['a', true, 2],
    ['b', false, 2],
  ]);
  expect(state(changeView(first, 'b', { isDefault: false }))).toEqual([
    ['a', false, 1],
    ['b', false, 2],
  ]);
});

test('a change of nothing keeps the version, and an unknown view is refused', () => {
  const list = listOf(viewNamed('a'));
  expect(changeView(list, 'a', { name: 'a', isDefault: false })).toBe(list);
  expect(changeView(list, 'a', { name: 'b', query: '' }).views).toMatchObject([{ name: 'b', query: '', version: 2 }]);
  expect(() => changeView(list, 'b', { name: 'c' })).toThrow('view');
  expect(removeView(list, 'a').views).toEqual([]);
});

test('a query has at most 2,000 visible ASCII characters and may be empty', () => {
  for (const query of ['', 'q=M%C3%BCller&sort=newest', 'x'.repeat(QUERY_LENGTH_MAX)])
    expect(readQuery(query)).toBe(query);
  for (const query of ['a b', 'ü', 'a\n', '\u200b', 'x'.repeat(QUERY_LENGTH_MAX + 1)]) {
    expect(() => readQuery(query)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  }
});
