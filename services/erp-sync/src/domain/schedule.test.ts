import { expect, test } from 'vitest';
import { nextSlot, retryRunId, scheduledRunId } from './schedule.js';

const connections = Array.from(
  { length: 200 },
  (_, index) => `0192a000-0000-7000-8000-${String(index).padStart(12, '0')}`,
);
const [connectionId = ''] = connections;
const now = new Date('2026-03-02T10:20:30.400Z');

test('the next slot is after now, at most one interval away, and the same for every replica', () => {
  for (const id of connections) {
    const slot = nextSlot(id, now, 3_600);
    expect(slot.getTime()).toBeGreaterThan(now.getTime());
    expect(slot.getTime() - now.getTime()).toBeLessThanOrEqual(3_600_000);
    expect(nextSlot(id, new Date(slot.getTime() - 1), 3_600)).toEqual(slot);
    expect(nextSlot(id, slot, 3_600).getTime()).toBe(slot.getTime() + 3_600_000);
  }
});

test('slots of many connections are spread over the hour', () => {
  const minutes = new Set(connections.map((id) => nextSlot(id, now, 3_600).getUTCMinutes()));
  expect(minutes.size).toBeGreaterThan(40);
});

test('after a downtime of many hours only the newest slot is ahead', () => {
  const later = new Date(now.getTime() + 50 * 3_600_000);
  expect(nextSlot(connectionId, later, 3_600).getTime() - later.getTime()).toBeLessThanOrEqual(3_600_000);
});

test('a slot has one run id, another slot and another connection have others', () => {
  const slot = nextSlot(connectionId, now, 3_600);
  const next = nextSlot(connectionId, slot, 3_600);
  const ids = [
    scheduledRunId(connectionId, slot, 3_600),
    scheduledRunId(connectionId, next, 3_600),
    scheduledRunId(connections[1] ?? '', slot, 3_600),
    scheduledRunId(connectionId, new Date(slot.getTime() + 1), 3_600),
  ];
  expect(new Set(ids).size).toBe(4);
  expect(scheduledRunId(connectionId, new Date(slot), 3_600)).toBe(ids[0]);
});

test('slots shorter than an hour have an id each', () => {
  let slot = now;
  const ids = new Set<string>();
  for (let index = 0; index < 100; index++) {
    slot = nextSlot(connectionId, slot, 5);
    ids.add(scheduledRunId(connectionId, slot, 5));
  }
  expect(ids.size).toBe(100);
});

test('an abandoned run is continued by one run', () => {
  expect(retryRunId(connectionId, 'a')).toBe(retryRunId(connectionId, 'a'));
  expect(retryRunId(connectionId, 'a')).not.toBe(retryRunId(connectionId, 'b'));
});
