import { expect, test } from 'vitest';
import { parseUrl } from './url.js';

/** Number of calls after which V8 has certainly compiled the tested function. */
const CALLS = 50_000;

test.each([
  'https://bücher.example/',
  'https://exam\u00adple.com/',
  'https://ｅｘａｍｐｌｅ.com/',
  'https://example.com/ß',
])('%s is a URL, at the first call and after many', (text) => {
  const href = parseUrl(text)?.href;
  expect(href).toMatch(/^https:/);
  for (let count = 0; count < CALLS; count += 1) parseUrl('https://example.com/');
  expect(parseUrl(text)?.href).toBe(href);
});

test.each(['', 'example.com', 'https://', 'https://[::1', '//example.com'])('%j is no URL', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
