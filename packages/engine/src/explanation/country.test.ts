import { expect, test } from 'vitest';
import { countryName } from './country.js';

test.each([
  ['DE', 'Germany'],
  ['NL', 'the Netherlands'],
  ['GB', 'the United Kingdom'],
  ['US', 'the United States'],
  ['CZ', 'Czechia'],
  ['ZZZ', 'ZZZ'],
  ['', ''],
])('the country %s is called %s', (code, name) => {
  expect(countryName(code)).toBe(name);
});
