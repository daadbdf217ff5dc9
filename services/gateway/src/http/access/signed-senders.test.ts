import { expect, test } from 'vitest';
import { KNOWN_MS, SENDERS_MAX, SignedSenders } from './signed-senders.js';

let nowMs = Date.parse('2026-03-01T12:00:00Z');
const clock = { now: () => new Date(nowMs) };

test('an address is known for thirty days after its last right signature, and its /64 with it', () => {
  const senders = new SignedSenders(clock);
  expect(senders.has('2001:db8::1')).toBe(false);
  senders.add('2001:db8::1');
  expect(senders.has('2001:db8::2')).toBe(true);
  nowMs += KNOWN_MS - 1;
  expect(senders.has('2001:db8::1')).toBe(true);
  nowMs += 1;
  expect(senders.has('2001:db8::1')).toBe(false);
});

test(`${SENDERS_MAX} addresses are known; one more evicts the one that sent the longest ago`, () => {
  const senders = new SignedSenders(clock);
  const address = (index: number) => `10.0.${index >> 8}.${index & 255}`;
  for (let index = 0; index < SENDERS_MAX; index += 1) senders.add(address(index));
  senders.add(address(0));
  expect(senders.has(address(1))).toBe(true);
  senders.add(address(SENDERS_MAX));
  expect(senders.has(address(0))).toBe(true);
  expect(senders.has(address(1))).toBe(false);
  expect(senders.has(address(SENDERS_MAX))).toBe(true);
});
