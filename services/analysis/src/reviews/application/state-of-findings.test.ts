import { expect, test } from 'vitest';
import { STATE_WRITES_MAX, stateOfFindings } from './state-of-findings.js';

const NOW = Date.UTC(2026, 2, 1, 12);

/** State of findings that were written at the given distances in milliseconds before now. */
function stateOf(
  agesMs: readonly number[],
  { currency = 'EUR', organizationId = 'one', version = 1, companyId = 'main' } = {},
) {
  const writes = agesMs.map((ageMs, index) => ({
    findingId: `f${String(index)}`,
    version,
    storedAt: new Date(NOW - ageMs),
  }));
  const query = { companyId, createdFrom: undefined, createdTo: undefined };
  return stateOfFindings({ latestChanges: async (_, limit) => writes.slice(0, limit) }, organizationId, {
    baseCurrency: currency,
    query,
  });
}

test('the state depends on the organization, the currency, the filters and each write of the last minute, and on no earlier one', async () => {
  const state = await stateOf([0, 10, 60_000]);
  expect(state).toMatch(/^[\w-]{22}$/);
  expect(await stateOf([0, 10, 60_000])).toBe(state);
  expect(await stateOf([0, 10, 60_000, 60_001])).toBe(state);
  const others = await Promise.all([
    stateOf([]),
    stateOf([0, 10]),
    stateOf([0, 11, 60_000]),
    stateOf([0, 10, 60_000], { version: 2 }),
    stateOf([0, 10, 60_000], { currency: 'USD' }),
    stateOf([0, 10, 60_000], { organizationId: 'two' }),
    stateOf([0, 10, 60_000], { companyId: 'other' }),
  ]);
  expect(new Set([state, ...others]).size).toBe(others.length + 1);
});

test(`${STATE_WRITES_MAX} writes in a minute have a state, and one more has none`, async () => {
  const ages = (count: number) => Array.from({ length: count }, (_, index) => index);
  expect(await stateOf(ages(STATE_WRITES_MAX))).toBeDefined();
  expect(await stateOf(ages(STATE_WRITES_MAX + 1))).toBeUndefined();
  expect(await stateOf([...ages(STATE_WRITES_MAX), 60_001])).toBeDefined();
});
