import { describe, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Organization } from '../domain/organization.js';
import { FAILURES_MAX, registerOrganizations } from './register-organizations.js';

const NOW = new Date('2026-01-05T10:00:00Z');

/** Returns the announced organizations and the time of the next turn, if some of them fail. */
async function registered(count: number, fails: (id: string) => boolean) {
  const items = Array.from({ length: count }, (_, index) => ({ id: `o-${index}` }) as Organization);
  const told: string[] = [];
  let next: Date | undefined;
  const run = registerOrganizations({
    organizations: { listAll: () => Promise.resolve({ items, nextPageToken: '' }) },
    register: {
      register(id) {
        if (fails(id)) return Promise.reject(new Error('refused'));
        told.push(id);
        return Promise.resolve();
      },
    },
    turn: {
      take: () => Promise.resolve(true),
      moveTo(at) {
        next = at;
        return Promise.resolve();
      },
    },
    clock: { now: () => NOW },
    logger: createLogger({ service: 'test', level: 'silent' }),
  })(new AbortController().signal);
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { told, next, error };
}

describe('billing', () => {
  test('is told of every other organization where one fails, and of all again in five minutes', async () => {
    const { told, next, error } = await registered(20, (id) => id === 'o-0');
    expect(told).toHaveLength(19);
    expect(next).toEqual(new Date('2026-01-05T10:05:00Z'));
    expect(error).toEqual(
      new Error('Not every organization could be registered with the billing service: the registration of 1 failed.'),
    );
  });
  test('is told of the rest after as many failures as are borne, and not after more', async () => {
    const borne = await registered(FAILURES_MAX + 50, (id) => Number(id.slice(2)) < FAILURES_MAX);
    expect(borne.told).toHaveLength(50);
    const { told } = await registered(FAILURES_MAX + 50, (id) => Number(id.slice(2)) < FAILURES_MAX + 1);
    expect(told.length).toBeLessThan(49);
  });
});
