import { expect, test } from 'vitest';
import { ConnectionError, NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import type { TopologyDescription } from 'mongodb';
import { isOutage } from './outage.js';

test.each<[string, Error]>([
  ['a broken connection to MongoDB', new MongoNetworkError('connection 3 to 127.0.0.1:1 closed')],
  ['a MongoDB that cannot be found', new MongoServerSelectionError('not found', {} as TopologyDescription)],
  ['a NATS that refuses connections', new ConnectionError('connection refused')],
  ['a NATS that does not answer', new TimeoutError()],
  ['a NATS without its streams', new RequestError('', { cause: new NoRespondersError('a.subject') })],
])('%s is an outage', (_, error) => {
  expect(isOutage(error)).toBe(true);
});

test('a programming error is not an outage', () => {
  expect(isOutage(new TypeError('no such field'))).toBe(false);
});
