import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { catalogue, severities } from '../explanation/catalogue.js';
import type { FindingType } from '../explanation/catalogue.js';
import { decide, isHardBlock } from './decision.js';
import type { ScoredFinding } from './score.js';
import { defaultPolicy, policyVersion } from '../policy/policy.js';
import { scoreFindings } from './score.js';

function finding(
  severity: ScoredFinding['severity'],
  confidence: number,
  family: ScoredFinding['family'] = 'DUP',
  changes: Partial<ScoredFinding> = {},
): ScoredFinding {
  return { type: 'SUSPECTED_DUPLICATE', family, severity, confidence, ...changes };
}

const outcome = (findings: readonly ScoredFinding[]) => decide(findings, defaultPolicy);

describe('the worked scores', () => {
  test.each<[string, ScoredFinding[], string, number]>([
    ['an exact duplicate', [finding('CRITICAL', 99, 'DUP', { type: 'DUPLICATE_INVOICE' })], 'BLOCK', 91],
    ['a changed account', [finding('HIGH', 90, 'BANK')], 'REVIEW', 54],
    [
      'a changed account with shorter terms',
      [finding('CRITICAL', 95, 'BANK', { type: 'BANK_ACCOUNT_CHANGED' }), finding('LOW', 75, 'DATE')],
      'BLOCK',
      88,
    ],
    [
      'three small signs',
      [finding('LOW', 75, 'DATE'), finding('LOW', 75, 'AMT'), finding('LOW', 75, 'NUM')],
      'PASS',
      17,
    ],
    ['an invalid tax id', [finding('MEDIUM', 90, 'SUP')], 'REVIEW', 27],
    ['notices only', [finding('INFO', 100, 'SUP'), finding('INFO', 60, 'BANK')], 'PASS', 0],
    ['nothing', [], 'PASS', 0],
  ])('%s', (_, findings, decision, score) => {
    expect(outcome(findings)).toEqual({ decision, riskScore: score });
  });
});

describe('within a family', () => {
  test('the strongest counts in full and each other for a tenth', () => {
    // The strongest finding counts in full and the other one a tenth: 5400 + floor(2250 / 10) = 5625.
    expect(scoreFindings([finding('HIGH', 90), finding('MEDIUM', 75)], defaultPolicy)).toBe(56);
  });
  test('the sum is capped, so one family alone never reaches 100', () => {
    expect(
      scoreFindings(
        Array.from({ length: 50 }, () => finding('CRITICAL', 100)),
        defaultPolicy,
      ),
    ).toBe(99);
  });
});

describe('the number follows the decision', () => {
  test('a hard block with a low score shows at least 80', () => {
    const hardBlock = finding('CRITICAL', 90, 'BANK', { type: 'BANK_ACCOUNT_CHANGED' });
    const lenient = { ...defaultPolicy, weights: { ...defaultPolicy.weights, CRITICAL: 50 } };
    expect(decide([hardBlock], lenient)).toEqual({ decision: 'BLOCK', riskScore: 80 });
  });
  test('a finding that forces REVIEW shows at least 25', () => {
    expect(outcome([finding('MEDIUM', 60)])).toEqual({ decision: 'REVIEW', riskScore: 25 });
  });
  test('an uncertain medium finding alone passes', () => {
    expect(outcome([finding('MEDIUM', 59)])).toEqual({ decision: 'PASS', riskScore: 18 });
  });
  test('a critical finding of another type blocks by its score only', () => {
    expect(outcome([finding('CRITICAL', 80)]).decision).toBe('REVIEW');
    expect(outcome([finding('CRITICAL', 90)]).decision).toBe('BLOCK');
  });
});

const anyFinding: fc.Arbitrary<ScoredFinding> = fc
  .record({
    type: fc.constantFrom(...(Object.keys(catalogue) as FindingType[])),
    severity: fc.constantFrom(...severities),
    confidence: fc.integer({ min: 40, max: 100 }),
    family: fc.constantFrom('DUP', 'BANK', 'SUP', 'AMT', 'TAX', 'DATE'),
  })
  .map((parts) => parts as ScoredFinding);
const anyFindings = fc.array(anyFinding, { maxLength: 12 });
const rank = { PASS: 0, REVIEW: 1, BLOCK: 2 } as const;

describe('for any findings', () => {
  test('score and decision are in one band', () => {
    fc.assert(
      fc.property(anyFindings, (findings) => {
        const { decision, riskScore: score } = outcome(findings);
        const band = score >= 80 ? 'BLOCK' : score >= 25 ? 'REVIEW' : 'PASS';
        expect(decision).toBe(band);
        expect(score).toBeLessThanOrEqual(100);
      }),
    );
  });
  test('one more never lowers score or decision', () => {
    fc.assert(
      fc.property(anyFindings, anyFinding, (findings, added) => {
        const before = outcome(findings);
        const after = outcome([...findings, added]);
        expect(after.riskScore).toBeGreaterThanOrEqual(before.riskScore);
        expect(rank[after.decision]).toBeGreaterThanOrEqual(rank[before.decision]);
      }),
      { numRuns: 200 },
    );
  });
  test('their order changes nothing', () => {
    const shuffled = anyFindings.chain((findings) =>
      fc.tuple(fc.constant(findings), fc.shuffledSubarray(findings, { minLength: findings.length })),
    );
    fc.assert(
      fc.property(shuffled, ([findings, other]) => {
        expect(outcome(other)).toEqual(outcome(findings));
      }),
    );
  });
});

test('a finding blocks on its own when its type may, it is critical, and it is certain enough', () => {
  const blocking = finding('CRITICAL', 90, 'DUP', { type: 'DUPLICATE_INVOICE' });
  expect(isHardBlock(blocking, defaultPolicy)).toBe(true);
  expect(isHardBlock({ ...blocking, confidence: 89 }, defaultPolicy)).toBe(false);
  expect(isHardBlock({ ...blocking, severity: 'HIGH' }, defaultPolicy)).toBe(false);
  expect(isHardBlock({ ...blocking, type: 'SUSPECTED_DUPLICATE' }, defaultPolicy)).toBe(false);
});

test('an analysis names its policy by id, version and overlay', () => {
  expect(policyVersion(defaultPolicy)).toMatch(/^default-3\+[0-9a-f]{12}\.o0$/);
});
