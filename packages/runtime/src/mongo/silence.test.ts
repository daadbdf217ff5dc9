import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SILENT_AFTER_MS, watchSilence } from './silence.js';
import type { DatabaseSilence } from './silence.js';

const primary = { reply: { isWritablePrimary: true } };
const secondary = { reply: { isWritablePrimary: false } };

let silence: DatabaseSilence;
beforeEach(() => {
  vi.useFakeTimers();
  silence = watchSilence();
});
afterEach(() => {
  silence.stop();
  vi.useRealTimers();
});

/** Moves the simulated time forward, and calls `hear` every tenth of a second. */
function pass(ms: number, hear: () => void): void {
  for (let passed = 0; passed < ms; passed += 100) {
    vi.advanceTimersByTime(100);
    hear();
  }
}

test('a database that answers neither heartbeats nor commands is silent, and is heard again with a heartbeat', () => {
  silence.hearHeartbeat(primary);
  pass(SILENT_AFTER_MS + 200, () => {});
  expect(silence.isSilent()).toBe(true);
  silence.hearHeartbeat(primary);
  expect(silence.isSilent()).toBe(false);
});

test('a busy database that answers commands, but heartbeats too late, is not silent', () => {
  silence.hearHeartbeat(primary);
  pass(10 * SILENT_AFTER_MS, () => silence.hearReply());
  expect(silence.isSilent()).toBe(false);
});

test('a set without a primary is silent, although its members answer heartbeats', () => {
  silence.hearHeartbeat(primary);
  pass(SILENT_AFTER_MS + 200, () => silence.hearHeartbeat(secondary));
  expect(silence.isSilent()).toBe(true);
});

test('a database that was never heard of is not called silent: a load balancer sends no heartbeats', () => {
  pass(10 * SILENT_AFTER_MS, () => {});
  expect(silence.isSilent()).toBe(false);
});
