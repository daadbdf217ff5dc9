import { describe, expect, test } from '@jest/globals';
import { toFinding } from './evidence.js';
import type { Finding } from './evidence.js';

function findingAbout(supplier: string): Finding {
  const raised = {
    type: 'DUPLICATE_INVOICE',
    severity: 'CRITICAL',
    confidence: 99,
    summary: `1042 of ${supplier} repeats 1041.`,
    actionValues: { supplier, number: '1041', date: '2025-03-10' },
    key: 'key',
    parameters: {},
    observed: {},
    explanation: [],
  } as const;
  return toFinding(raised, '1.0.0', 'OPEN');
}

describe('the sentences of a finding', () => {
  test('stay one line whatever the invoice states', () => {
    const finding = findingAbout('Acme\r\n\tTools');
    expect(finding.summary).toBe('1042 of Acme Tools repeats 1041.');
    expect(finding.recommendedAction).toContain('Confirm with Acme Tools that');
  });

  test('are not rearranged by a name that turns the direction of writing', () => {
    expect(findingAbout('\u202eslooT\u2066 emcA').summary).toBe('1042 of slooT emcA repeats 1041.');
  });

  test('have at most 2000 characters', () => {
    const { summary } = findingAbout('🙂'.repeat(3_000));
    expect([...summary]).toHaveLength(2_000);
    expect(summary).toMatch(/^1042 of 🙂+…$/u);
  });
});
