import { describe, expect, test } from 'vitest';
import { idleEndOf, isActiveSession, SESSION_IDLE_MS, SESSION_MS } from './session.js';

const start = new Date('2026-03-02T10:00:00.000Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const session = { lastSeenAt: start, expiresAt: after(SESSION_MS), endedAt: undefined };

describe('a session', () => {
  test('ends half an hour after its last use, to the millisecond', () => {
    expect(SESSION_IDLE_MS).toBe(30 * 60_000);
    expect(isActiveSession(session, after(SESSION_IDLE_MS - 1))).toBe(true);
    expect(isActiveSession(session, after(SESSION_IDLE_MS))).toBe(false);
  });

  test('ends twelve hours after its start although it is used, to the millisecond', () => {
    expect(SESSION_MS).toBe(12 * 3_600_000);
    const used = { ...session, lastSeenAt: after(SESSION_MS - 1) };
    expect(isActiveSession(used, after(SESSION_MS - 1))).toBe(true);
    expect(isActiveSession(used, after(SESSION_MS))).toBe(false);
    expect(idleEndOf(used)).toEqual(after(SESSION_MS));
  });

  test('does not come back after it was ended', () => {
    expect(isActiveSession({ ...session, endedAt: start }, start)).toBe(false);
  });
});
