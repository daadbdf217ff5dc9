import { describe, expect, test } from 'vitest';
import { toFinding } from './evidence.js';
import type { Finding } from './evidence.js';

function findingAbout(supplier: string): Finding {
  const raised = {
    type: 'DUPLICATE_INVOICE',
    severity: 'CRITICAL',
    confidence: 99,
    summary: `1042 of ${supplier} repeats 1041.`,
    actionValues: { supplier, number: '1041', date: '2025-03-10' },
    about: ['key'],
    explanation: [],
  } as const;
  return toFinding(raised, '1.0.0');
}

describe('what a finding shows of an invoice', () => {
  const shown = (text: string): Finding =>
    toFinding(
      {
        type: 'PO_MISSING',
        severity: 'LOW',
        confidence: 80,
        summary: 'x.',
        about: ['key'],
        observed: { name: text },
        explanation: [`${text} was read.`],
        extra: { list: [{ name: text }], entries: Array.from({ length: 500 }, () => 1) },
        relatedInvoiceIds: Array.from({ length: 500 }, (_, index) => `invoice-${index}`),
      },
      '1.0.0',
    );

  test('is the beginning of a long text, in whole characters', () => {
    const { evidence } = shown('🙂'.repeat(121));
    const beginning = `${'🙂'.repeat(119)}…`;
    expect(evidence.observed).toEqual({ name: beginning });
    expect(evidence['list']).toEqual([{ name: beginning }]);
  });

  test('is the whole text up to 120 characters', () => {
    expect(shown('🙂'.repeat(120)).evidence.observed).toEqual({ name: '🙂'.repeat(120) });
  });

  test('is explained in sentences of at most 400 characters', () => {
    const [explanation = ''] = shown('N'.repeat(1_000)).evidence.explanation;
    expect(explanation).toBe(`${'N'.repeat(399)}…`);
  });

  test('has at most 64 entries in a list, and as many related invoices', () => {
    const { evidence, relatedInvoiceIds } = shown('x');
    expect(evidence['entries']).toHaveLength(64);
    expect(relatedInvoiceIds).toHaveLength(64);
  });
});

describe('the sentences of a finding', () => {
  test('stay one line whatever the invoice states', () => {
    const finding = findingAbout('Acme\r\n\tTools');
    expect(finding.summary).toBe('1042 of Acme Tools repeats 1041.');
    expect(finding.recommendedAction).toContain('Confirm with Acme Tools that');
    expect(findingAbout('Acme  Tools \u00a0 Ltd').summary).toBe('1042 of Acme Tools Ltd repeats 1041.');
    expect(findingAbout('N'.repeat(400)).recommendedAction).toContain(`Confirm with ${'N'.repeat(119)}… that`);
  });

  test('end in one full stop, also after a name that ends in one', () => {
    const raised = {
      type: 'PO_SUPPLIER_MISMATCH',
      severity: 'MEDIUM',
      confidence: 75,
      summary: 'Rossi bills the order of Galli S.r.l..',
      about: ['key'],
      explanation: ['It belongs to Galli S.r.l.. Ask them.', 'The text goes on...'],
    } as const;
    const { summary, evidence } = toFinding(raised, '1.0.0');
    expect(summary).toBe('Rossi bills the order of Galli S.r.l.');
    expect(evidence.explanation).toEqual(['It belongs to Galli S.r.l. Ask them.', 'The text goes on...']);
    expect(findingAbout('Galli S.r.l.').summary).toBe('1042 of Galli S.r.l. repeats 1041.');
  });

  test('keep their order when a name holds characters that change the writing direction', () => {
    expect(findingAbout('\u202eslooT\u2066 emcA').summary).toBe('1042 of slooT emcA repeats 1041.');
  });

  test('have at most 2000 characters', () => {
    const { summary } = findingAbout('🙂'.repeat(3_000));
    expect([...summary]).toHaveLength(2_000);
    expect(summary).toMatch(/^1042 of 🙂+…$/u);
  });
});
