import { expect, test } from 'vitest';
import { csvText } from './csv.js';

const cellOf = (value: string): string => csvText(['x'], [[value]]).slice('x\r\n'.length, -'\r\n'.length);

test('lines end with CR LF, and cells with separators, quotes or line breaks are quoted', () => {
  expect(
    csvText(
      ['a', 'b'],
      [
        ['1,5', 'say "no"'],
        ['two\nlines', 'a;b'],
      ],
    ),
  ).toBe('a,b\r\n"1,5","say ""no"""\r\n"two\nlines","a;b"\r\n');
});

test.each(['=1+1', '+1', '-A1', '@SUM(A1)', ' =1', '\u200b=1', '＝1', '\tx', '\rx', '-1+cmd|x', '-1,5', '+12.50'])(
  'a cell that a spreadsheet could execute is a text: %j',
  (value) => {
    expect(cellOf(value).replace(/^"/, '')).toBe(
      `'${value}`.replaceAll('"', '""') + (/[",;\r\n]/.test(value) ? '"' : ''),
    );
  },
);

test.each(['-12.50', '0', '12', 'A-1', 'Müller & Söhne', '2026-03-05', ''])('%j stays as it is', (value) => {
  expect(cellOf(value)).toBe(value);
});
