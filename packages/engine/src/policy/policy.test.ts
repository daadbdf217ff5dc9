import { expect, test } from 'vitest';
import { catalogue } from '../explanation/catalogue.js';
import { defaultPolicy, isUndigestedVersion, policyName, policyVersion } from './policy.js';

test('the name of a policy changes with every one of its numbers', () => {
  const names = numbersOf(defaultPolicy).map((path) => policyName(withOtherNumber(defaultPolicy, path)));
  expect(names.length).toBeGreaterThan(200);
  expect(new Set([policyName(defaultPolicy), ...names]).size).toBe(names.length + 1);
});

test('the name of a policy is the same whatever the order of its members and its overlay', () => {
  const reversed = Object.fromEntries(Object.entries(defaultPolicy).toReversed()) as unknown as typeof defaultPolicy;
  expect(policyName({ ...reversed, overlay: 7 })).toBe(policyName(defaultPolicy));
});

test('a version has the name of the numbers and the overlay, and the earlier form is recognised', () => {
  expect(policyVersion({ ...defaultPolicy, overlay: 12 })).toMatch(/^default-3\+[0-9a-f]{12}\.o12$/);
  expect(policyVersion({ ...defaultPolicy, overlay: 12 })).toBe(`${policyName(defaultPolicy)}.o12`);
  expect(isUndigestedVersion('default-3+o12')).toBe(true);
  expect(isUndigestedVersion(policyVersion(defaultPolicy))).toBe(false);
});

/** Returns the paths of all numbers inside a value. */
function numbersOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'number') return path.length === 1 ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => numbersOf(member, [...path, name]));
}

function withOtherNumber<Value>(value: Value, [name, ...rest]: readonly string[]): Value {
  if (name === undefined) return ((value as number) + 1) as Value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[name] = withOtherNumber(copy[name], rest);
  return copy as Value;
}

test('every hard block is a type of the catalogue', () => {
  for (const type of defaultPolicy.hardBlocks) expect(Object.keys(catalogue)).toContain(type);
});

test('confidences are percentages and recurrence steps grow', () => {
  const { duplicates, bank, amounts, taxes, dates, currencies, buyers } = defaultPolicy;
  const levels = [duplicates, bank, amounts, taxes, dates, currencies, buyers].flatMap((family) =>
    Object.values(family.levels),
  );
  for (const { confidence } of levels) {
    expect(confidence).toBeGreaterThan(0);
    expect(confidence).toBeLessThanOrEqual(100);
  }
  const steps = defaultPolicy.duplicates.halfPoints.recurrence;
  expect(steps.map(({ othersMax }) => othersMax)).toEqual(
    steps.map(({ othersMax }) => othersMax).toSorted((a, b) => a - b),
  );
});
