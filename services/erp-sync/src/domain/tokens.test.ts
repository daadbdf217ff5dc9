import { expect, test } from 'vitest';
import { decodeTokens, encodeTokens, isUsable, PREVIOUS_TOKEN_MS, refreshed, RENEW_BEFORE_END_MS } from './tokens.js';
import type { ConnectionTokens } from './tokens.js';

const now = new Date('2026-03-14T09:30:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const tokens: ConnectionTokens = {
  accessToken: 'a1',
  accessExpiresAt: later(1_800_000),
  refreshToken: 'r1',
  remoteConnectionId: 'x1',
};
const granted = (refreshToken: string) => ({
  accessToken: 'a2',
  accessExpiresAt: later(3_600_000),
  refreshToken,
});

test('a refresh keeps the refresh token before it for 30 minutes, and what the consent has told', () => {
  expect(refreshed(tokens, granted('r2'), now)).toEqual({
    ...granted('r2'),
    previous: { refreshToken: 'r1', until: later(PREVIOUS_TOKEN_MS) },
    remoteConnectionId: 'x1',
  });
});

test('a refresh that gives the same refresh token keeps the one before as long as it may be used', () => {
  const second = refreshed(tokens, granted('r2'), now);
  const inTime = refreshed(second, granted('r2'), later(PREVIOUS_TOKEN_MS - 1));
  expect(inTime.previous).toEqual({ refreshToken: 'r1', until: later(PREVIOUS_TOKEN_MS) });
  expect(refreshed(second, granted('r2'), later(PREVIOUS_TOKEN_MS)).previous).toBeUndefined();
});

test('an access token is used until two minutes before its end', () => {
  const end = tokens.accessExpiresAt.getTime() - RENEW_BEFORE_END_MS;
  expect(isUsable(tokens, new Date(end - 1))).toBe(true);
  expect(isUsable(tokens, new Date(end))).toBe(false);
});

test('tokens are read as they were written', () => {
  const all = refreshed(tokens, granted('r2'), now);
  expect(decodeTokens(encodeTokens(all))).toEqual(all);
  expect(decodeTokens(encodeTokens(tokens))).toEqual(tokens);
});
