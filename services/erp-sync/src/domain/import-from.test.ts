import { expect, test } from 'vitest';
import { readImportFrom } from './import-from.js';

const now = new Date('2026-03-14T23:59:59.999Z');

test.each([undefined, '2000-01-01', '2024-02-29', '2026-03-14'])('bills are imported from %s on', (day) => {
  expect(readImportFrom(day, now)).toBe(day);
});

test.each(['1999-12-31', '2026-03-15', '2025-02-29', '2026-3-1', '2026-03-14T00:00:00Z', '0226-01-01', ''])(
  'bills cannot be imported from %j on',
  (day) => {
    expect(() => readImportFrom(day, now)).toThrow(/^import_from: must be a day from 2000-01-01 to today/);
  },
);
