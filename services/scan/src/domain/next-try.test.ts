import { describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { FAULTS_MAX, nextTry } from './next-try.js';

const fault = new DomainError('internal', 'a fault');
const outages = [new DomainError('unavailable', 'down'), new DomainError('deadline', 'late')];

describe('a scan whose try came to nothing', () => {
  test.each([
    [0, 1, 5, true],
    [1, 2, 10, true],
    [2, 3, 900, false],
    [3, 4, 900, false],
    [40, 41, 900, false],
  ])(
    'after %d faults counts %d and is tried again after %d s; keeps its turn: %s',
    (before, faults, seconds, keeps) => {
      expect(nextTry(fault, before)).toEqual({ reason: 'FAULT', faults, pauseMs: seconds * 1_000, keepsTurn: keeps });
    },
  );

  test.each(outages)('because of an outage ($kind) keeps its turn, and the outage is not counted', (outage) => {
    for (let faults = 0; faults < FAULTS_MAX; faults++) {
      expect(nextTry(outage, faults)).toEqual({ reason: 'OUTAGE', faults, pauseMs: 10_000, keepsTurn: true });
    }
  });

  test.each(outages)('and that was set aside before gives its turn back after an outage ($kind) too', (outage) => {
    expect(nextTry(outage, FAULTS_MAX)).toMatchObject({ reason: 'OUTAGE', faults: FAULTS_MAX, keepsTurn: false });
  });

  test('because its organization was deleted waits without its turn, and is not called faulty', () => {
    const deleted = new DomainError('not_found', 'No such organization.');
    expect(nextTry(deleted, 0)).toEqual({ reason: 'DELETED', faults: 0, pauseMs: 300_000, keepsTurn: false });
  });

  test.each([
    new TypeError('x is undefined'),
    new DomainError('usage_exceeded', 'no'),
    new DomainError('concurrent_change', 'no'),
  ])('because of anything else has a fault: %p', (error) => {
    expect(nextTry(error, 0).reason).toBe('FAULT');
  });
});
