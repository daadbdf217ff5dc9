import { expect, test } from 'vitest';
import { readTraceparent } from './trace-context.js';

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test.each([
  [valid, valid],
  ['01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', undefined],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', undefined],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', undefined],
  ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01', undefined],
  ['nonsense', undefined],
  [undefined, undefined],
])('trace context %s is read as %s', (header, read) => {
  expect(readTraceparent(header)).toBe(read);
});
