import { describe, expect, test } from 'vitest';
import { severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import { findingTypes } from './finding-types.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';

const types = findingTypes(defaultPolicy);

describe.each(types)('$type', ({ severities, isHardBlock, description, recommendedAction, hasLearnedTolerance }) => {
  test('lists its severities mildest first', () => {
    const ranks = severities.map(severityRank);
    expect(ranks.length).toBeGreaterThan(0);
    expect(ranks).toEqual([...new Set(ranks)].sort((left, right) => left - right));
  });
  test('is described in a sentence and says what to do', () => {
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(recommendedAction).toMatch(/^[A-Z].*\.$/);
  });
  test('blocks only where it can be CRITICAL, and is then never lowered by a learned tolerance', () => {
    if (isHardBlock) {
      expect(severities).toContain('CRITICAL');
      expect(hasLearnedTolerance).toBe(false);
    }
  });
});

test('types stand in order of family and name, each once', () => {
  const keys = types.map(({ family, type }) => `${family} ${type}`);
  expect(keys).toEqual([...new Set(keys)].toSorted());
});
