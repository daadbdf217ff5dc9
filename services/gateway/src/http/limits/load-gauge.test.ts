import { describe, expect, test } from 'vitest';
import { isFileRoute } from '../description/route.js';
import { routes } from '../../routes/table.js';
import { IN_FLIGHT_MAX, isOverloaded, LAG_IN_FLIGHT_MIN, LAG_MS_MAX, LoadGauge, STUCK_MS } from './load-gauge.js';

describe('an overloaded gateway', () => {
  test('refuses reads first, writes at twice the load, nothing at the limit itself', () => {
    const refused = (inFlight: number, lagMs: number) =>
      ['GET', 'HEAD', 'POST', 'DELETE'].filter((method) => isOverloaded(method, { inFlight, lagMs }));
    expect(refused(IN_FLIGHT_MAX, LAG_MS_MAX)).toEqual([]);
    expect(refused(IN_FLIGHT_MAX + 1, 0)).toEqual(['GET', 'HEAD']);
    expect(refused(LAG_IN_FLIGHT_MIN, LAG_MS_MAX + 1)).toEqual(['GET', 'HEAD']);
    expect(refused(LAG_IN_FLIGHT_MIN, 2 * LAG_MS_MAX + 1)).toEqual(['GET', 'HEAD', 'POST', 'DELETE']);
    expect(refused(2 * IN_FLIGHT_MAX + 1, 0)).toEqual(['GET', 'HEAD', 'POST', 'DELETE']);
  });

  test('refuses nothing for a lag that its few requests cannot have caused', () => {
    expect(isOverloaded('GET', { inFlight: LAG_IN_FLIGHT_MIN - 1, lagMs: 10_000 })).toBe(false);
  });

  test('takes requests again once enough have ended', () => {
    const gauge = new LoadGauge();
    for (let count = 0; count <= IN_FLIGHT_MAX; count += 1) gauge.begin();
    expect(() => gauge.refuseOverload('GET')).toThrow('overloaded');
    gauge.end();
    expect(() => gauge.refuseOverload('GET')).not.toThrow();
  });
});

describe('a gauge above its bound', () => {
  test('is stuck once no request has ended for longer than any route may take', () => {
    let nowMs = 1_000_000;
    const gauge = new LoadGauge({ now: () => new Date(nowMs) });
    for (let count = 0; count < IN_FLIGHT_MAX; count += 1) gauge.begin();
    nowMs += STUCK_MS;
    expect(gauge.isStuck()).toBe(false);
    gauge.begin();
    expect(gauge.isStuck()).toBe(true);
    gauge.end();
    gauge.begin();
    nowMs += STUCK_MS - 1;
    expect(gauge.isStuck()).toBe(false);
    nowMs += 1;
    expect(gauge.isStuck()).toBe(true);
  });

  test('waits longer than any route gives its owner; files are not counted', () => {
    for (const route of routes.filter((one) => !isFileRoute(one))) {
      expect(route.timeoutMs ?? 0).toBeLessThan(STUCK_MS);
    }
  });
});
