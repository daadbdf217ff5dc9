import { expect, test } from 'vitest';
import { csvOf } from './csv.js';

test('a cell that a spreadsheet would calculate is kept as text, and a negative amount as a number', () => {
  const cells = ['=1+1', '+49', '@SUM(A1)', '-cmd', '\tx', '-12.50', '1190.00', 3];
  expect(csvOf([cells])).toBe("'=1+1,'+49,'@SUM(A1),'-cmd,'\tx,-12.50,1190.00,3\r\n");
});

test('quotation marks, commas and line breaks stay in their cell', () => {
  expect(csvOf([['a "b", c', 'd\ne'], ['f']])).toBe('"a ""b"", c","d\ne"\r\nf\r\n');
});
