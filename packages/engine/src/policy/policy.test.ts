import { expect, test } from '@jest/globals';
import { catalogue } from '../explanation/catalogue.js';
import { shortDigest } from '../facts/digest.js';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { defaultPolicy } from './policy.js';

test('the numbers of default-3 never change: analyses name it', () => {
  expect(shortDigest(canonicalJson(defaultPolicy), 16)).toBe('0f506201ae4d636a07a833062e5350b1');
});

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
