import { expect, test } from 'vitest';
import { isSessionToken, newSessionToken } from './session-token.js';

test('a session token begins with ics_ and has 43 base62 characters, no more and no fewer', () => {
  const token = newSessionToken();
  expect(token).toMatch(/^ics_[0-9A-Za-z]{43}$/);
  expect(isSessionToken(token)).toBe(true);
  for (const other of [
    '',
    'ics_',
    token.slice(0, -1),
    `${token}x`,
    ` ${token}`,
    `${token}\n`,
    `${token.slice(0, -1)}_`,
    token.replace('ics_', 'rec_'),
  ]) {
    expect({ other, isToken: isSessionToken(other) }).toEqual({ other, isToken: false });
  }
});
