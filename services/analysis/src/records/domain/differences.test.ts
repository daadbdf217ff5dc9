import { describe, expect, test } from 'vitest';
import { differencesBetween, isSameResult } from './differences.js';
import type { Analysis, AnalysisFinding } from './analysis.js';

const finding = (key: string, changes: Partial<AnalysisFinding> = {}): AnalysisFinding => ({
  type: 'SUSPECTED_DUPLICATE',
  family: 'DUP',
  severity: 'HIGH',
  confidence: 94,
  summary: 'alike',
  recommendedAction: null,
  evidence: { key, rule: 'SUSPECTED_DUPLICATE@1.0.0', parameters: {}, observed: {}, explanation: [] },
  relatedInvoiceIds: [],
  subjects: [],
  disposition: 'OPEN',
  ...changes,
});
const analysis = (findings: AnalysisFinding[], changes: Partial<Analysis> = {}): Analysis => ({
  decision: 'REVIEW',
  riskScore: 56,
  findings,
  versions: { riskEngine: '1.0.0', policy: 'default-1+o0' },
  ...changes,
});

test('equal analyses have no differences, whatever the order of their findings', () => {
  expect(differencesBetween(analysis([finding('a'), finding('b')]), analysis([finding('b'), finding('a')]))).toEqual(
    [],
  );
});

test('lists decision, score and versions, then every finding that was added, removed or changed', () => {
  const before = analysis([finding('a'), finding('b'), finding('c')]);
  const after = analysis([finding('b', { severity: 'MEDIUM', confidence: 47 }), finding('c'), finding('d')], {
    decision: 'PASS',
    riskScore: 14,
    versions: { riskEngine: '1.1.0', policy: 'default-1+o1' },
  });
  const type = 'SUSPECTED_DUPLICATE';
  expect(differencesBetween(before, after)).toEqual([
    { field: 'decision', from: 'REVIEW', to: 'PASS' },
    { field: 'risk_score', from: '56', to: '14' },
    { field: 'versions.risk_engine', from: '1.0.0', to: '1.1.0' },
    { field: 'versions.policy', from: 'default-1+o0', to: 'default-1+o1' },
    { field: 'findings', from: `${type} HIGH 94% OPEN`, findingType: type, evidenceKey: 'a' },
    {
      field: 'findings',
      from: `${type} HIGH 94% OPEN`,
      to: `${type} MEDIUM 47% OPEN`,
      findingType: type,
      evidenceKey: 'b',
    },
    { field: 'findings', to: `${type} HIGH 94% OPEN`, findingType: type, evidenceKey: 'd' },
  ]);
});

test('a replay is equal when only the engine version differs, and different for any other byte', () => {
  const stored = analysis([finding('a')]);
  const newer = { riskEngine: '1.1.0', policy: 'default-1+o0' };
  const renamed = finding('a', { evidence: { ...finding('a').evidence, rule: 'SUSPECTED_DUPLICATE@1.1.0' } });
  expect(isSameResult(stored, analysis([renamed], { versions: newer }))).toBe(true);
  expect(isSameResult(stored, analysis([finding('a', { summary: 'alike.' })]))).toBe(false);
  expect(isSameResult(stored, analysis([finding('a')], { riskScore: 57 }))).toBe(false);
});

describe('a replay by another engine version', () => {
  const versions = { riskEngine: '1.1.0', policy: 'default-1+o0' };
  const row = (points: number, note: string) => ({ with: 'i', field: 'number', relation: 'SUFFIX', points, note });
  const worded = (key: string, words: string, changes: Partial<AnalysisFinding> = {}, points = 6.5): AnalysisFinding =>
    finding(key, {
      summary: `${words}.`,
      recommendedAction: `Check ${words}.`,
      evidence: {
        ...finding(key).evidence,
        explanation: [`${words}.`, `${words} again.`],
        comparisons: [row(points, words)],
      },
      ...changes,
    });
  const stored = analysis([worded('a', 'alike'), worded('b', 'equal')]);

  test('is equal when it says the same in other words, in whatever order these bring', () => {
    const reworded = [worded('b', 'a copy'), worded('a', 'similar')];
    expect(isSameResult(stored, analysis(reworded, { versions }))).toBe(true);
    expect(isSameResult(stored, analysis(reworded))).toBe(false);
  });

  test.each<[string, AnalysisFinding[]]>([
    ['a finding is missing', [worded('a', 'alike')]],
    ['a finding has another severity', [worded('a', 'alike', { severity: 'MEDIUM' }), worded('b', 'equal')]],
    ['a finding has another disposition', [worded('a', 'alike', { disposition: 'CONFIRMED' }), worded('b', 'equal')]],
    ['a value of the evidence differs', [worded('a', 'alike', {}, 7), worded('b', 'equal')]],
  ])('is different when %s', (_, findings) => {
    expect(isSameResult(stored, analysis(findings, { versions }))).toBe(false);
  });
});
