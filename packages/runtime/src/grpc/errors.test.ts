import { expect, test } from 'vitest';
import { DomainError, errorTable } from '@invoicecontrol/errors';
import type { ErrorKind } from '@invoicecontrol/errors';
import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { toDomainError, toStatus } from './errors.js';

class StoreUnavailable extends Error {}

function overTheWire(error: unknown): DomainError {
  const status = toStatus(error, (cause) => cause instanceof StoreUnavailable);
  return toDomainError(Object.assign(new Error('rpc'), status) as ServiceError);
}

test.each(Object.keys(errorTable) as ErrorKind[])('kind %s is preserved between services', (kind) => {
  const details = [{ path: 'a.b', message: 'is wrong' }];
  const arrived = overTheWire(new DomainError(kind, 'A sentence.', { details, retryAfterSeconds: 3 }));
  expect(arrived).toMatchObject({ kind, publicMessage: 'A sentence.', details, retryAfterSeconds: 3 });
});

test.each([true, false])('whether a refusal is the stored answer to an earlier request arrives: %j', (isReplayed) => {
  expect(overTheWire(new DomainError('unprocessable', 'A sentence.', { isReplayed })).isReplayed).toBe(isReplayed);
});

test('an unexpected error does not reveal its cause', () => {
  const arrived = overTheWire(new Error('password is hush'));
  expect(arrived.kind).toBe('internal');
  expect(arrived.publicMessage).not.toContain('hush');
});

test('a service whose store is unavailable is unavailable, and does not say where the store is', () => {
  const arrived = overTheWire(new StoreUnavailable('connect ECONNREFUSED 10.1.2.3:27017'));
  expect(arrived.kind).toBe('unavailable');
  expect(arrived.publicMessage).not.toContain('10.1.2.3');
});

test.each([
  [status.UNAVAILABLE, 'unavailable'],
  [status.DEADLINE_EXCEEDED, 'deadline'],
  [status.RESOURCE_EXHAUSTED, 'internal'],
  [status.NOT_FOUND, 'not_found'],
])('status %d of another server becomes %s', (code, kind) => {
  const error = Object.assign(new Error('x'), { code, details: 'x', metadata: new Metadata() }) as ServiceError;
  expect(toDomainError(error).kind).toBe(kind);
});
