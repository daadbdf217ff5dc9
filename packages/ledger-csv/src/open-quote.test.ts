import { expect, test } from 'vitest';
import { countLineBreaks, findOpenQuote } from './open-quote.js';

test.each([
  ['a cell of one line', 'a,"b",c\n'],
  ['a cell of several lines', 'a,"b\nc\r\nd",e\n'],
  ['doubled quotation marks', 'a,"say ""b""\n""c"" again",d\n'],
  ['an empty cell', '"",a,""\n'],
  ['blanks before the cell', 'a,  "b\nc",d\n'],
  ['a quotation mark inside an unquoted cell', '5" pipe,b\n'],
  ['quotation marks that are not doubled on one line', '"Oak" & Sons,b\n'.replace('Sons,', 'Sons",')],
  ['no line break at the end', 'a,"b"'],
])('a record with %s has no open quote', (_, raw) => {
  expect(findOpenQuote(raw, ',')).toBeUndefined();
});

test.each([
  ['to the end of the file', 'a,"b\nc,d\n', { linesBefore: 0, column: 1 }],
  ['below empty lines', '\n\r\na,"b\n', { linesBefore: 2, column: 1 }],
  ['behind a cell of several lines', 'a,"b\nc","d\ne\n', { linesBefore: 1, column: 2 }],
  ['up to a quoted cell of a later row', 'a,"b\nc,"d"\n', { linesBefore: 0, column: 1 }],
  ['up to a quoted cell at the beginning of a later row', 'a,"b\n"c",d\n', { linesBefore: 0, column: 1 }],
  ['with a quotation mark that is not doubled on its own line', '"b" c,d\ne,"f"\n', { linesBefore: 0, column: 0 }],
  ['behind a doubled one', 'a,"b ""c\nd,e\n', { linesBefore: 0, column: 1 }],
])('a quote that is open %s is found where it opens', (_, raw, found) => {
  expect(findOpenQuote(raw, ',')).toEqual(found);
});

test.each([
  ['', 0],
  ['a\nb', 1],
  ['a\r\nb\rc\n', 3],
])('the line breaks of %j are %i', (text, count) => {
  expect(countLineBreaks(text)).toBe(count);
});
