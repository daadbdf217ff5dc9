import { describe, expect, test } from 'vitest';
import { addedTo, backlogOf } from './outages.js';
import type { WebhookBooks } from './webhook-audit.js';

const BEGAN_MS = Date.UTC(2026, 2, 14, 9);
const RETURNED_MS = BEGAN_MS + 600_000;

/**
 * Creates a sample with one event before, one during and one after the outage. The event during the outage arrives 12 s
 * after the broker has returned.
 */
function sample(): WebhookBooks {
  const times = [BEGAN_MS - 1_000, BEGAN_MS + 1_000, RETURNED_MS + 1_000];
  const arrivedAtMs = [BEGAN_MS, RETURNED_MS + 12_000, RETURNED_MS + 70_000];
  const endpoint = (_id: string) => ({ _id, url: `http://127.0.0.1:4100/${_id}` });
  const ids = times.map((_, index) => `evt_${index}`);
  return {
    endpoints: [endpoint('steady-0'), endpoint('flaky-0')],
    deliveries: ids.flatMap((eventId) => [
      { endpointId: 'steady-0', eventId },
      { endpointId: 'flaky-0', eventId },
    ]),
    arrivals: ids.map((eventId, index) => ({ path: '/steady-0', eventId, arrivedAtMs: arrivedAtMs[index] })),
    published: ids.map((id, index) => ({
      id,
      name: 'finding_created',
      payload: { eventTime: new Date(times[index] ?? 0).toISOString() },
    })),
  } as unknown as WebhookBooks;
}

const during = { beganAtMs: BEGAN_MS, returnedAtMs: RETURNED_MS };
const isSteady = (path: string): boolean => path.startsWith('/steady-');

describe('the backlog of an outage', () => {
  test('is drained when the last event of the outage has arrived where it is always accepted', () => {
    expect(backlogOf(sample(), during, isSteady)).toEqual({ deliveries: 1, drainedAfterMs: 12_000 });
  });

  test('counts the first arrival of a delivery that comes twice', () => {
    const books = sample();
    const [, second] = books.arrivals;
    if (second === undefined) throw new Error('there is none');
    const arrivals = [...books.arrivals, { ...second, arrivedAtMs: RETURNED_MS + 50_000 }];
    expect(backlogOf({ ...books, arrivals }, during, isSteady).drainedAfterMs).toBe(12_000);
  });

  test('is never drained while one is missing, and at once when there was none', () => {
    expect(backlogOf({ ...sample(), arrivals: [] }, during, isSteady).drainedAfterMs).toBe(Number.POSITIVE_INFINITY);
    expect(backlogOf({ ...sample(), deliveries: [] }, during, isSteady)).toEqual({ deliveries: 0, drainedAfterMs: 0 });
  });
});

test('answers of an outage are those that came since it began', () => {
  const since = new Map([['202', 4]]);
  const now = new Map([
    ['503', 1],
    ['202', 9],
    ['200', 0],
  ]);
  expect(addedTo(now, since)).toEqual({ '202': 5, '503': 1 });
});
