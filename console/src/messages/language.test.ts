import { expect, test } from 'vitest';
import { languageCookie, languageOf } from './language.js';

test.each([
  ['the first language of the browser that the app has', '', ['fr-FR', 'pl-PL', 'de'], 'pl'],
  ['a language with a region', '', ['de-AT'], 'de'],
  ['English for other languages', '', ['fr', 'it-IT'], 'en'],
  ['English for a browser that states none', '', [], 'en'],
  ['the chosen language before those of the browser', 'ic_language=pl', ['de'], 'pl'],
  ['the chosen language among other cookies', 'a=1; ic_language=de; b=2', ['pl'], 'de'],
  ['the language of the browser if the chosen one is not known', 'ic_language=fr', ['de'], 'de'],
  ['the language of the browser if another cookie ends with the name', 'my_ic_language=pl', ['de'], 'de'],
  ['nothing inherited', 'ic_language=toString', ['__proto__'], 'en'],
])('the app is shown in %s', (_, cookies, preferred, language) => {
  expect(languageOf(cookies, preferred)).toBe(language);
});

test('a chosen language is read back from its cookie', () => {
  const cookie = languageCookie('pl');
  expect(languageOf(cookie.split(';')[0] ?? '', ['de'])).toBe('pl');
  expect(cookie).toContain('Path=/app;');
});
