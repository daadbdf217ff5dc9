import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { IdentifiedRow } from './scan.js';
import { describeSkips, firstPositions, skipsOf } from './skipped-rows.js';

function rowsOf(externalIds: readonly (string | undefined)[]): IdentifiedRow[] {
  return externalIds.map((externalId, position) => ({
    sourceRowNumber: position + 100,
    ...(externalId === undefined ? {} : { externalId }),
  }));
}

const externalIds = fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'A', '__proto__'), { nil: undefined }));
const imported = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'z')).map((ids) => new Set<string>(ids));

test('what is left has each external id once, none that was imported, and every row without one', () => {
  fc.assert(
    fc.property(externalIds, imported, (ids, known) => {
      const rows = rowsOf(ids);
      const skipped = new Set(skipsOf(rows, known).map(({ position }) => position));
      const left = ids.filter((_, position) => !skipped.has(position));
      expect(left.filter((id) => id === undefined)).toHaveLength(ids.filter((id) => id === undefined).length);
      const given = left.filter((id) => id !== undefined);
      expect(new Set(given).size).toBe(given.length);
      expect(given.filter((id) => known.has(id))).toEqual([]);
      // No row is lost: each external id of the file is either analyzed or already known.
      for (const id of new Set(ids)) expect(left.includes(id) || known.has(id ?? '')).toBe(true);
    }),
  );
});

test('the first row of an external id is the one that is kept', () => {
  const rows = rowsOf(['a', undefined, 'b', 'a']);
  expect([...firstPositions(rows)]).toEqual([
    ['a', 0],
    ['b', 2],
  ]);
  expect(skipsOf(rows, new Set())).toEqual([{ position: 3, reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' }]);
});

test('a row that repeats an imported external id was already imported', () => {
  expect(skipsOf(rowsOf(['a', 'a']), new Set(['a']))).toEqual([
    { position: 0, reason: 'ALREADY_IMPORTED' },
    { position: 1, reason: 'ALREADY_IMPORTED' },
  ]);
});

test('a skipped row is told by the number and the id that its sender gave', () => {
  expect(describeSkips(rowsOf(['a', 'a']), [{ position: 1, reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' }])).toEqual([
    { sourceRowNumber: 101, externalId: 'a', reason: 'DUPLICATE_EXTERNAL_ID_IN_FILE' },
  ]);
});
