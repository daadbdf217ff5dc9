import { describe, expect, test } from 'vitest';
import type { Count } from './audit.js';
import { auditWebhooks } from './webhook-audit.js';
import type { DeliveryRecord, WebhookArrival, WebhookBooks } from './webhook-audit.js';

const NOW_MS = Date.UTC(2026, 2, 14, 9, 30);
const BODY = '{"id":"evt_1"}';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Two events of one organization with one endpoint: one delivered at once, one failed. */
function sample() {
  const attempt = { series: 1, outcome: 'HTTP_ERROR', interruptions: 0 };
  const arrival = (eventId: string, isAccepted: boolean): Mutable<WebhookArrival> => ({
    path: '/hook',
    eventId,
    body: `{"id":"${eventId}"}`,
    arrivedAtMs: NOW_MS,
    t: NOW_MS / 1_000,
    isVerified: true,
    isAccepted,
    isCut: false,
  });
  const delivered: Mutable<DeliveryRecord> = {
    _id: 'dlv_1',
    endpointId: 'endpoint',
    eventId: 'evt_1',
    state: 'DELIVERED',
    failures: 0,
    attemptCount: 1,
    attempts: [{ ...attempt, outcome: 'SUCCESS' }],
  };
  const failed: Mutable<DeliveryRecord> = {
    ...delivered,
    _id: 'dlv_2',
    eventId: 'evt_2',
    state: 'FAILED',
    failures: 5,
    attemptCount: 5,
    attempts: Array.from({ length: 5 }, () => attempt),
  };
  const payload = { organizationId: 'organization', eventTime: '2026-03-14T09:00:00Z' };
  return {
    endpoints: [
      {
        _id: 'endpoint',
        organizationId: 'organization',
        url: 'http://127.0.0.1:4100/hook',
        status: 'ACTIVE',
        activeSince: new Date(NOW_MS - 3_600_000),
        events: ['invoice.analysis.completed', 'finding.created'].map((type) => ({
          type,
          since: new Date(NOW_MS - 3_600_000),
        })),
      },
    ],
    events: [
      { _id: 'evt_1', organizationId: 'organization', body: BODY },
      { _id: 'evt_2', organizationId: 'organization', body: '{"id":"evt_2"}' },
    ],
    deliveries: [delivered, failed],
    arrivals: [arrival('evt_1', true), ...Array.from({ length: 5 }, () => arrival('evt_2', false))],
    published: [
      { id: 'evt_1', name: 'invoice_analyzed', payload },
      { id: 'evt_2', name: 'finding_created', payload },
      { id: 'evt_3', name: 'finding_assigned', payload },
      { id: 'evt_4', name: 'finding_created', payload: { ...payload, eventTime: '2026-03-14T08:00:00Z' } },
      { id: 'evt_6', name: 'finding_reviewed', payload },
      { id: 'evt_5', name: 'finding_created', payload: { ...payload, organizationId: 'another' } },
    ],
    readAtMs: NOW_MS,
  };
}
type Sample = ReturnType<typeof sample>;

const auditOf = (books: Sample): readonly Count[] => auditWebhooks(books as WebhookBooks).map(({ count }) => count);
const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined) throw new Error('there is none');
  return item;
};

test('reports nothing in books without a fault', () => {
  expect(auditWebhooks(sample() as WebhookBooks)).toEqual([]);
});

test('allows a repeated request within an attempt whose connection ended without an answer', () => {
  const books = sample();
  books.arrivals.push({ ...first(books.arrivals), isAccepted: false, isCut: true });
  expect(auditOf(books)).toEqual([]);
});

test('allows a repeated request for each interruption, and an interruption that was never sent', () => {
  const books = sample();
  first(books.deliveries).attempts = [{ series: 1, outcome: 'SUCCESS', interruptions: 2 }];
  expect(auditOf(books)).toEqual([]);
  books.arrivals.push(first(books.arrivals), first(books.arrivals));
  expect(auditOf(books)).toEqual([]);
});

test('allows arrivals while the books are read, which no attempt shows yet', () => {
  const books = sample();
  books.arrivals.push({ ...first(books.arrivals), arrivedAtMs: NOW_MS + 1 });
  expect(auditOf(books)).toEqual([]);
});

test('allows waiting deliveries of a deleted endpoint to be canceled, also while they are being sent', () => {
  const books = sample();
  Object.assign(first(books.endpoints), { status: 'DELETED' });
  Object.assign(first(books.deliveries), { state: 'CANCELED', attempts: [], attemptCount: 0 });
  expect(auditOf(books)).toEqual([]);
});

describe('counts', () => {
  const faults: readonly (readonly [invariant: string, Count, string, (books: Sample) => void])[] = [
    [
      'I1',
      'lost',
      'an event without a delivery',
      ({ published }) => void published.push({ ...first(published), id: 'evt_7' }),
    ],
    ['I1', 'lost', 'a delivery that no receiver accepted', ({ arrivals }) => void (first(arrivals).isAccepted = false)],
    ['I1', 'lost', 'a delivery that was skipped', ({ deliveries }) => void (first(deliveries).state = 'SKIPPED')],
    [
      'I1',
      'lost',
      'a canceled delivery of an endpoint',
      ({ deliveries }) => void (first(deliveries).state = 'CANCELED'),
    ],
    [
      'I1',
      'lost',
      'a delivery without its endpoint',
      ({ deliveries }) => void deliveries.push({ ...first(deliveries), endpointId: 'none' }),
    ],
    ['I1', 'stuck', 'a delivery without an end', ({ deliveries }) => void (first(deliveries).state = 'PENDING')],
    [
      'I1',
      'changed',
      'a delivery that failed early',
      ({ deliveries }) => void ((deliveries[1] ?? first(deliveries)).failures = 4),
    ],
    [
      'I1',
      'changed',
      'a delivery with two successes',
      ({ deliveries }) => {
        const { attempts } = first(deliveries);
        Object.assign(first(deliveries), { attempts: [...attempts, ...attempts], attemptCount: 2 });
      },
    ],
    [
      'I2',
      'unannounced',
      'a delivery of what was not subscribed to',
      ({ deliveries, arrivals }) => {
        deliveries.push({ ...first(deliveries), _id: 'dlv_3', eventId: 'evt_6' });
        arrivals.push({ ...first(arrivals), eventId: 'evt_6' });
      },
    ],
    [
      'I2',
      'unannounced',
      'a foreign id',
      ({ arrivals }) => void arrivals.push({ ...first(arrivals), eventId: 'evt_other' }),
    ],
    [
      'I2',
      'unannounced',
      "another organization's event",
      ({ arrivals }) => void arrivals.push({ ...first(arrivals), eventId: 'evt_5' }),
    ],
    ['I3', 'changed', 'other bytes', ({ arrivals }) => void (first(arrivals).body = `${BODY} `)],
    ['I4', 'unsigned', 'a request without a signature', ({ arrivals }) => void (first(arrivals).isVerified = false)],
    ['I4', 'unsigned', 'a signature of another time', ({ arrivals }) => void (first(arrivals).t = NOW_MS / 1_000 - 60)],
    ['I5', 'doubled', 'a request that nothing explains', ({ arrivals }) => void arrivals.push(first(arrivals))],
    ['I5', 'doubled', 'two deliveries of one event', ({ deliveries }) => void deliveries.push(first(deliveries))],
    [
      'I7',
      'stuck',
      'a lapsed lease',
      ({ deliveries }) => void Object.assign(first(deliveries), { claim: 'c', leaseUntil: new Date(NOW_MS - 61_000) }),
    ],
  ];

  test.each(faults)('%s as %s: %s', (_invariant, count, _name, breakIt) => {
    const books = sample();
    breakIt(books);
    expect(new Set(auditOf(books))).toEqual(new Set([count]));
  });
});
