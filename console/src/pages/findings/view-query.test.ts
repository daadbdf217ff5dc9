import { expect, test } from 'vitest';
import { queryOf, sameFilters } from './view-query.js';

test('the address names a view, and the rest are the filters of the view', () => {
  expect(queryOf('view=v1&severity=HIGH&q=a%20b')).toEqual({ view: 'v1', query: 'severity=HIGH&q=a+b' });
  expect(queryOf('')).toEqual({ view: 'none', query: '' });
});

test('a view is not changed by the order of its filters or by how a blank is written', () => {
  expect(sameFilters('q=a%20b&severity=HIGH', 'severity=HIGH&q=a+b')).toBe(true);
  expect(sameFilters('severity=HIGH', 'severity=LOW')).toBe(false);
  expect(sameFilters('severity=HIGH', '')).toBe(false);
});
