import { expect, test } from 'vitest';
import { readSystemWarnings, UNNAMED_WARNING, WARNINGS_MAX, withWarnings } from './connection-warnings.js';
import type { ConnectionWarning } from './connection-warnings.js';

test.each([
  [
    '[sig-001]: The signature is weak. | [api-002]: The call ends on 2026-12-01.',
    [
      { code: 'sig-001', message: 'The signature is weak.' },
      { code: 'api-002', message: 'The call ends on 2026-12-01.' },
    ],
  ],
  ['api-002: soon', [{ code: 'api-002', message: 'soon' }]],
  ['sig-001', [{ code: 'sig-001', message: expect.stringContaining('XAdES') }]],
  ['new-9', [{ code: 'new-9', message: 'KSeF sent warning new-9 without a description.' }]],
  ['Maintenance tonight', [{ code: UNNAMED_WARNING, message: 'Maintenance tonight' }]],
  [`${'x'.repeat(41)}: long`, [{ code: UNNAMED_WARNING, message: `${'x'.repeat(41)}: long` }]],
  [' | ', []],
])('the header %j is read', (header, warnings) => {
  expect(readSystemWarnings(header)).toEqual(warnings);
});

test('a warning shows neither a NIP, an address, nor a token', () => {
  const token = `20260301-EC-0000000001-0000000002-AB|nip-5265877635|${'0f'.repeat(32)}`;
  const read = JSON.stringify(
    readSystemWarnings(`[5265877635]: of 5265877635 | [a]: ${token} | [b]: see https://ksef.example/x eyJhbGciOi.abc`),
  );
  for (const part of ['5265877635', '0f'.repeat(32), 'ksef.example', 'eyJhbGciOi']) expect(read).not.toContain(part);
});

test(`${WARNINGS_MAX} warnings of a header are read, and no more`, () => {
  const header = Array.from({ length: WARNINGS_MAX + 1 }, (_, n) => `[w-${n}]: x`).join(' | ');
  expect(readSystemWarnings(header)).toHaveLength(WARNINGS_MAX);
});

const given = (code: string, day: number, message = code): ConnectionWarning => ({
  code,
  message,
  at: new Date(Date.UTC(2026, 0, day)),
});

test('a warning that is repeated is kept once, with its newest text and time', () => {
  const stored = withWarnings([given('a', 1), given('b', 2)], [given('a', 3, 'again')]);
  expect(stored).toEqual([given('a', 3, 'again'), given('b', 2)]);
  expect(withWarnings(stored, [given('a', 2, 'late')])).toEqual(stored);
});

test(`the newest ${WARNINGS_MAX} warnings are kept, newest first`, () => {
  const all = Array.from({ length: WARNINGS_MAX }, (_, n) => given(`w-${n}`, n + 1));
  const stored = withWarnings([], all);
  expect(stored).toEqual(all.toReversed());
  expect(withWarnings(stored, [given('new', 20)])).toEqual([given('new', 20), ...stored.slice(0, -1)]);
});
