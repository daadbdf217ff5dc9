import { describe, expect, test } from '@jest/globals';
import { DomainError } from '@invoicecontrol/errors';
import { ConnectionError, NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import type { TopologyDescription } from 'mongodb';
import { pauseAfter } from './redelivery.js';

test('a handler that fails gets seven more tries, with pauses that grow to a minute; then the event is put aside', () => {
  const pauses = Array.from({ length: 8 }, (_, index) => pauseAfter(new TypeError('no such field'), index + 1));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, undefined]);
});

describe.each<[string, Error]>([
  ['a connection that broke', new MongoNetworkError('connection 3 to 127.0.0.1:1 closed')],
  ['a database that is not found', new MongoServerSelectionError('away', {} as TopologyDescription)],
  ['a broker that is away', new ConnectionError('connection refused')],
  ['a broker that does not answer', new TimeoutError()],
  ['a broker without its streams', new RequestError('', { cause: new NoRespondersError('a.subject') })],
  ['a service that is away', new DomainError('unavailable', 'Repeat in a moment.')],
])('%s', (_, error) => {
  test('never puts an event aside, however often it comes', () => {
    for (const deliveries of [8, 9, 1_000, 100_000]) expect(pauseAfter(error, deliveries)).toBe(10_000);
  });

  test('is met again soon at first', () => {
    expect([1, 2, 3, 4, 5].map((deliveries) => pauseAfter(error, deliveries))).toEqual([
      1_000, 2_000, 4_000, 8_000, 10_000,
    ]);
  });
});
