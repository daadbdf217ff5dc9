import { expect, test } from 'vitest';
import { ErpFault } from './faults.js';
import { outcomeOf, RUN_ERRORS_MAX, runLog, statusOf, toRunError } from './run.js';

const now = new Date('2026-01-03T00:00:00Z');
const faultless = { needsAPerson: false, isInterrupted: false };

const upstream = toRunError({ code: 'UPSTREAM_ERROR', message: 'The ERP responded with an error.' }, 'vendors');

test('a run that read everything succeeded, also when there was nothing', () => {
  const log = runLog();
  log.begin('vendors', undefined);
  log.complete('vendors', '2026-01-01T00:00:00Z');
  expect(statusOf(log, false)).toBe('SUCCEEDED');
  expect(outcomeOf(log, {}, now)).toEqual({ status: 'SUCCEEDED', ...faultless });
});

test('one failed stream makes a run PARTIAL, none good makes it FAILED', () => {
  const log = runLog();
  log.begin('vendors', undefined);
  log.failed(upstream);
  expect(statusOf(log, false)).toBe('FAILED');
  log.begin('bills', undefined);
  log.complete('bills', '2026-01-01T00:00:00Z');
  expect(statusOf(log, false)).toBe('PARTIAL');
  const error = { code: 'UPSTREAM_ERROR', message: upstream.message };
  expect(outcomeOf(log, {}, now)).toEqual({ status: 'PARTIAL', error, ...faultless });
});

test('a page that was stored makes a run PARTIAL although no stream was read to its end', () => {
  const log = runLog();
  log.begin('vendors', undefined);
  log.count('vendors', { fetched: 2, created: 1, failed: 1 });
  log.failed(upstream);
  expect(statusOf(log, false)).toBe('PARTIAL');
});

test('a run that needs a person failed, whatever was read before', () => {
  const log = runLog();
  log.complete('vendors', '2026-01-01T00:00:00Z');
  expect(statusOf(log, true)).toBe('FAILED');
  const fault = new ErpFault('AUTH_FAILED', 'The ERP refuses the credentials.', 60_000);
  expect(outcomeOf(log, { fault }, now)).toEqual({
    status: 'FAILED',
    error: { code: 'AUTH_FAILED', message: fault.message },
    needsAPerson: true,
    notBefore: new Date('2026-01-03T00:01:00Z'),
    isInterrupted: false,
  });
});

test.each(['PAUSED', 'DISCONNECTED'] as const)(
  'a run whose connection was %s is CANCELED without an error, whatever its log has',
  (broken) => {
    const log = runLog();
    log.failed(upstream);
    expect(outcomeOf(log, { broken }, now)).toEqual({ status: 'CANCELED', ...faultless });
  },
);

test.each([
  [5, 'SUCCEEDED'],
  [6, 'PARTIAL'],
] as const)('%d invalid rows of 100 make a run %s', (failed, status) => {
  const log = runLog();
  log.begin('bills', undefined);
  log.count('bills', { fetched: 100, created: 100 - failed, failed });
  for (let row = 0; row < failed; row++)
    log.rowFailed('bills', 'The currency is not an ISO 4217 currency code.', String(row));
  log.complete('bills', '2026-01-01T00:00:00Z');
  expect(statusOf(log, false)).toBe(status);
  expect(outcomeOf(log, {}, now).error?.code).toBe(status === 'PARTIAL' ? 'RECORD_INVALID' : undefined);
});

test('keeps the first errors, and the fault that ended a stream after them', () => {
  const log = runLog();
  for (let row = 0; row <= RUN_ERRORS_MAX; row++) log.rowFailed('vendors', 'The name is missing.', String(row));
  expect(log.errors).toHaveLength(RUN_ERRORS_MAX);
  log.failed(upstream);
  expect(log.errors).toHaveLength(RUN_ERRORS_MAX);
  expect(log.errors.at(-1)).toEqual(upstream);
  expect(log.errors[0]).toMatchObject({ code: 'RECORD_INVALID', externalId: '0', retryable: false });
});

test('counts of a stream add up', () => {
  const log = runLog();
  log.begin('orders', '2026-01-01T00:00:00Z');
  log.count('orders', { fetched: 10, created: 4, updated: 3, unchanged: 2, failed: 1 });
  log.count('orders', { fetched: 1, deleted: 1 });
  log.complete('orders', '2026-01-02T00:00:00Z');
  expect(log.streams).toEqual({
    orders: {
      fetched: 11,
      created: 4,
      updated: 3,
      unchanged: 2,
      deleted: 1,
      failed: 1,
      cursorFrom: '2026-01-01T00:00:00Z',
      cursorTo: '2026-01-02T00:00:00Z',
    },
  });
});
