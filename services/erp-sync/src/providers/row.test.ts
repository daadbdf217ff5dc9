import { describe, expect, test } from 'vitest';
import { present, readRows, Row, RowFault } from './row.js';

describe('a field', () => {
  test.each([undefined, null, false, ''])('that is %p is absent', (value) => {
    const row = new Row({ field: value });
    expect([row.text('field'), row.amount('field'), row.day('field'), row.row('field')]).toEqual(
      Array(4).fill(undefined),
    );
    expect(row.rows('field')).toEqual([]);
  });

  test.each([
    [123.45, '123.45'],
    [0, '0'],
    [100, '100'],
    [-7.5, '-7.5'],
    [0.1, '0.1'],
    [-0, '0'],
    [0.1 + 0.2, '0.3'],
    [1.0000004999, '1'],
    [0.1234567, '0.123457'],
    [999_999_999_999.99, '999999999999.99'],
  ])('%p is the amount %s, with the digits that were sent, and at most six decimals', (sent, amount) => {
    expect(new Row({ Total: sent }).amount('Total')).toBe(amount);
  });

  test.each([[1e21], [1e-7], ['12.50'], [{}], [[1]], [true]])('%p is no amount', (sent) => {
    expect(() => new Row({ Total: sent }).amount('Total')).toThrow(RowFault);
  });

  test('of a wrong type is refused by its name, without its value', () => {
    const row = new Row({ Name: { secret: 1 }, Line: 'x', Addr: [], Active: 'yes', At: 'yesterday' });
    expect(() => row.text('Name')).toThrow('Name is not text.');
    expect(() => row.rows('Line')).toThrow('Line is not a list.');
    expect(() => row.row('Addr')).toThrow('Addr is not an object.');
    expect(() => row.boolean('Active')).toThrow('Active is neither true nor false.');
    expect(() => row.instant('At')).toThrow('At is not a date with a time.');
    expect(() => row.requiredText('Id')).toThrow('Id is missing.');
  });

  test('with a time in any zone is the instant in UTC, and a day loses its time alone', () => {
    const row = new Row({ At: '2026-01-02T10:00:00-08:00', Day: '2026-01-02T23:30:00' });
    expect(row.instant('At')).toEqual(new Date('2026-01-02T18:00:00.000Z'));
    expect(row.day('Day')).toBe('2026-01-02');
  });

  test('has at most 10,000 entries', () => {
    const entries = (length: number) => new Row({ Line: Array.from({ length }, () => ({})) });
    expect(entries(10_000).rows('Line')).toHaveLength(10_000);
    expect(() => entries(10_001).rows('Line')).toThrow('Line has more than 10000 entries.');
  });
});

test('an invalid row costs itself alone, and is named by an id that may be shown', () => {
  const rows = [{ Id: 1 }, { Id: '2', Total: 'x' }, { Id: 'a b', Total: 'x' }, 'none', null, { Id: '3', skip: true }];
  const read = readRows(rows, 'Id', (row) => {
    if (row.boolean('skip') === true) return undefined;
    return present({ id: row.requiredText('Id'), total: row.amount('Total') });
  });
  expect(read).toEqual({
    records: [{ id: '1' }],
    invalid: [
      { externalId: '2', message: 'Total is not a number.' },
      { message: 'Total is not a number.' },
      { message: 'The row from the ERP is not an object.' },
      { message: 'The row from the ERP is not an object.' },
    ],
  });
});

test('the text of a whole number is its digits, and blanks around a text are cut off', () => {
  const row = new Row({ Id: 56, Name: '  Norton  ', Blank: '   ' });
  expect([row.text('Id'), row.text('Name'), row.text('Blank')]).toEqual(['56', 'Norton', undefined]);
});
