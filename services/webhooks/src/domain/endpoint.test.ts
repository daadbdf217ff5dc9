import { describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { hasWebhooks, judgeFailing, readEventTypes, receives, subscribe } from './endpoint.js';
import type { Endpoint } from './endpoint.js';

const DAY_MS = 24 * 3_600_000;
const start = new Date('2026-03-01T00:00:00Z');
const days = (count: number): Date => new Date(start.getTime() + count * DAY_MS);
const endpoint: Endpoint = {
  id: 'e',
  organizationId: 'o',
  version: 1,
  url: 'https://a.example/',
  events: [{ type: 'scan.completed', since: start }],
  status: 'ACTIVE',
  activeSince: start,
  createdAt: start,
  secrets: [],
  failingSince: undefined,
  failuresInRow: 0,
  goneAt: undefined,
  noticedAt: undefined,
};

test.each([
  ['FREE', false],
  ['CORE', false],
  ['CONTROL', false],
  ['SCALE', true],
  ['ENTERPRISE', true],
  ['', false],
])('the plan %s has webhooks: %s', (plan, has) => expect(hasWebhooks(plan)).toBe(has));

describe('the events of an endpoint', () => {
  test('count once each', () => {
    expect(readEventTypes(['scan.completed', 'finding.created', 'scan.completed'])).toEqual([
      'scan.completed',
      'finding.created',
    ]);
  });

  test.each([[[]], [['Scan.Completed']], [['*']], [['finding.*']], [['scan.completed', '']]])('refuse %j', (names) => {
    expect(() => readEventTypes(names)).toThrow(DomainError);
  });

  test('count from when they were added, and from when the endpoint was switched on', () => {
    const changed = { ...endpoint, events: subscribe(endpoint.events, ['finding.created', 'scan.completed'], days(2)) };
    expect(receives(changed, 'finding.created', days(1))).toBe(false);
    expect(receives(changed, 'finding.created', days(2))).toBe(true);
    expect(receives(changed, 'scan.completed', days(1))).toBe(true);
    expect(receives({ ...changed, activeSince: days(3) }, 'scan.completed', days(2))).toBe(false);
    expect(receives({ ...changed, status: 'DISABLED' }, 'scan.completed', days(5))).toBe(false);
    expect(receives(changed, 'finding.reviewed', days(5))).toBe(false);
  });

  test('begin with the millisecond in which the request to create it came', () => {
    expect(receives(endpoint, 'scan.completed', start)).toBe(true);
    expect(receives(endpoint, 'scan.completed', new Date(start.getTime() - 1))).toBe(false);
  });
});

describe('an endpoint that only fails', () => {
  const limits = { noticeAfterMs: DAY_MS, disableAfterMs: 5 * DAY_MS };
  const failing = { ...endpoint, failingSince: start, failuresInRow: 20 };

  test('is told of after a day, once', () => {
    expect(judgeFailing(failing, limits, days(0.9))).toBe('NOTHING');
    expect(judgeFailing(failing, limits, days(1))).toBe('NOTICE');
    expect(judgeFailing({ ...failing, noticedAt: days(1) }, limits, days(2))).toBe('NOTHING');
  });

  test('is switched off after five days and at least 20 failures', () => {
    expect(judgeFailing({ ...failing, noticedAt: days(1) }, limits, days(5))).toBe('DISABLE');
    expect(judgeFailing(failing, limits, days(5))).toBe('NOTICE');
    expect(judgeFailing({ ...failing, noticedAt: days(1), failuresInRow: 19 }, limits, days(9))).toBe('NOTHING');
  });

  test('is left alone when it is not ACTIVE or has succeeded', () => {
    expect(judgeFailing({ ...failing, status: 'DISABLED' }, limits, days(9))).toBe('NOTHING');
    expect(judgeFailing({ ...failing, failingSince: undefined }, limits, days(9))).toBe('NOTHING');
  });
});
