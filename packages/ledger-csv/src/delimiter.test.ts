import { describe, expect, test } from 'vitest';
import { delimiters, findLayout } from './delimiter.js';

const header = ['Supplier', 'Invoice no', 'Date', 'Gross'];
const none = new Map();

describe('the delimiter', () => {
  test.each(delimiters)('%j is found', (delimiter) => {
    const text = `${header.join(delimiter)}\nA, B; C | D${delimiter}1${delimiter}2025-01-31${delimiter}1,5\n`;
    expect(findLayout(text, none)).toEqual({ delimiter, header, recordsAbove: 0 });
  });

  test('is found despite more frequent delimiters in the cells', () => {
    const text = `${header.join(';')}\n${'"a,b,c,d,e,f";1;2025-01-31;1.234,56\n'.repeat(20)}`;
    expect(findLayout(text, none).delimiter).toBe(';');
  });

  test('is the one that yields the columns named by --map', () => {
    const text = 'Col A|B;C|D\n1|2;3|4\n';
    expect(findLayout(text, new Map([['supplierName', 'B;C']] as const)).header).toEqual(['Col A', 'B;C', 'D']);
  });

  test('yields the most columns when no name is known', () => {
    expect(findLayout('x\ty\tz\n1\t2,5\t3\n', none)).toEqual({
      delimiter: '\t',
      header: ['x', 'y', 'z'],
      recordsAbove: 0,
    });
  });
});

test('the heading is found below titles, empty lines and a sep= line', () => {
  const text = `sep=;\n"Ledger; 2025";;;\n\n${header.join(';')}\nA;1;2025-01-31;5\n`;
  expect(findLayout(text, none)).toEqual({ delimiter: ';', header, recordsAbove: 2 });
});
