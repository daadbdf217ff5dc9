import { describe, expect, test } from 'vitest';
import { deliveryId, settle } from './delivery.js';

const at = new Date('2026-03-14T09:30:00Z');
const now = new Date('2026-03-14T09:30:01Z');
const circumstances = { at, now, random: 0.5, schedule: { waitsMs: [1_000, 2_000, 3_000, 4_000], floorMs: 5_000 } };

describe('an attempt', () => {
  test('that succeeds makes the delivery DELIVERED', () => {
    const result = { outcome: 'SUCCESS', statusCode: 204, durationMs: 12, excerpt: '' } as const;
    expect(settle({ series: 1, failures: 2, tries: 1 }, result, circumstances)).toEqual({
      attempt: { series: 1, n: 3, at, outcome: 'SUCCESS', statusCode: 204, durationMs: 12, interruptions: 0 },
      state: 'DELIVERED',
      failures: 2,
      nextAttemptAt: undefined,
      excerpt: '',
    });
  });

  test('that fails is counted, and the fifth makes the delivery FAILED', () => {
    const result = { outcome: 'CONNECT_ERROR', durationMs: 1 } as const;
    const states = [0, 1, 2, 3, 4].map((failures) => {
      const {
        state,
        failures: after,
        nextAttemptAt,
      } = settle({ series: 2, failures, tries: 1 }, result, circumstances);
      return [state, after, nextAttemptAt && nextAttemptAt.getTime() - now.getTime()];
    });
    expect(states).toEqual([
      ['PENDING', 1, 1_000],
      ['PENDING', 2, 2_000],
      ['PENDING', 3, 3_000],
      ['PENDING', 4, 4_000],
      ['FAILED', 5, undefined],
    ]);
  });

  test('that was interrupted keeps its number and tells how often', () => {
    const result = { outcome: 'SUCCESS', statusCode: 200, durationMs: 1 } as const;
    const { attempt } = settle({ series: 1, failures: 0, tries: 4 }, result, circumstances);
    expect(attempt).toMatchObject({ n: 1, interruptions: 3 });
  });
});

describe('the id of a delivery', () => {
  test('is the same for every repeat, and another for each endpoint and event', () => {
    // Stored deliveries have ids of this form. If the function returned other ids, the events of these deliveries would
    // be delivered again.
    expect(deliveryId('evt_1', 'a')).toBe('dlv_sxy7gartfkwl2gbc3lamf33z7p');
    expect(deliveryId('evt_1', 'a')).toMatch(/^dlv_[a-z2-7]{26}$/);
    expect(new Set([deliveryId('evt_1', 'a'), deliveryId('evt_1', 'b'), deliveryId('evt_2', 'a')]).size).toBe(3);
  });
});
