import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { catalogue, severities } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { runEngine, runEngineOnBooks } from '@invoicecontrol/engine/run-engine';
import { decide } from '@invoicecontrol/engine/scoring/decision';
import type { ScoredFinding } from '@invoicecontrol/engine/scoring/score';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';
import { analysisFacts } from '../../testing/analysis-facts.js';
import { analyze } from './analyze.js';
import { decideFindings } from '../../records/domain/analysis.js';
import type { Analysis, AnalysisFacts, AnalysisFinding } from '../../records/domain/analysis.js';
import { dispositionOf, pairKeysOf } from '../../records/domain/finding-disposition.js';
import type { ReviewFact } from '../../records/domain/finding-disposition.js';

const supplier = {
  name: 'Acme Supplies Ltd',
  tax_id: 'DE136695976',
  bank_account: { iban: 'DE89370400440532013000' },
};
const OTHER_ACCOUNT = { iban: 'FR1420041010050500013M02606' };

describe('reviews', () => {
  function changedAccount(reviews: (finding: Finding, facts: Facts) => ReviewFact[]): Analysis {
    const history = inMemoryHistory();
    for (let index = 0; index < 4; index += 1) {
      history.bill(invoiceOf({ supplier, invoice_number: `Q${index * 7919}`, gross_amount: `${900 + index}.00` }));
    }
    const facts = history.factsOf(
      invoiceOf({ supplier: { ...supplier, bank_account: OTHER_ACCOUNT }, invoice_number: 'ZZ-1' }),
    );
    const finding = runEngine(facts, defaultPolicy).find(({ type }) => type === 'BANK_ACCOUNT_CHANGED') as Finding;
    return analyze(analysisFacts(facts, { reviews: reviews(finding, facts) }), defaultPolicy);
  }
  const review = (finding: Finding, changes: Partial<ReviewFact>): ReviewFact => ({
    evidenceKey: finding.evidence.key,
    disposition: 'FALSE_POSITIVE',
    invoiceId: null,
    pairKeys: [],
    ...changes,
  });
  const changedIn = (analysis: Analysis): AnalysisFinding | undefined =>
    analysis.findings.find(({ type }) => type === 'BANK_ACCOUNT_CHANGED');

  test('a false positive holds for every invoice with its evidence key', () => {
    expect(changedAccount(() => []).decision).toBe('BLOCK');
    const analysis = changedAccount((finding) => [review(finding, { invoiceId: 'another invoice' })]);
    expect(changedIn(analysis)?.disposition).toBe('FALSE_POSITIVE');
    expect(analysis.decision).not.toBe('BLOCK');
  });

  test('an accepted risk holds for the reviewed invoice alone', () => {
    const own = changedAccount((finding, { invoice }) => [
      review(finding, { disposition: 'ACCEPTED_RISK', invoiceId: invoice.invoiceId }),
    ]);
    const other = changedAccount((finding) => [
      review(finding, { disposition: 'ACCEPTED_RISK', invoiceId: 'another' }),
    ]);
    expect(changedIn(own)?.disposition).toBe('ACCEPTED_RISK');
    expect(changedIn(other)?.disposition).toBe('OPEN');
    expect(other.decision).toBe('BLOCK');
  });
});

describe('a reviewed pair', () => {
  const second = (count: number): Facts => {
    const history = inMemoryHistory();
    for (let index = 1; index < count; index += 1) history.bill(invoiceOf({ supplier }));
    return history.factsOf(invoiceOf({ supplier }));
  };
  const duplicateIn = ({ findings }: { findings: readonly Finding[] }): Finding =>
    findings.find(({ type }) => type === 'DUPLICATE_INVOICE') as Finding;
  const cleared = (pairKeys: readonly string[]): ReviewFact => ({
    evidenceKey: 'of another finding',
    disposition: 'FALSE_POSITIVE',
    invoiceId: 'elsewhere',
    pairKeys,
  });

  test('stays a false positive when the invoice is analyzed again', () => {
    const facts = second(2);
    const pairs = pairKeysOf(duplicateIn({ findings: runEngine(facts, defaultPolicy) }));
    expect(pairs).toHaveLength(1);
    const again = analyze(analysisFacts(facts, { reviews: [cleared(pairs)] }), defaultPolicy);
    expect(again).toMatchObject({ decision: 'PASS', riskScore: 0 });
    expect(duplicateIn(again)).toMatchObject({ disposition: 'FALSE_POSITIVE' });
  });

  test('is left out of a later finding, which names the other pairs', () => {
    const facts = second(3);
    const [first = ''] = pairKeysOf(duplicateIn({ findings: runEngine(facts, defaultPolicy) }));
    const again = analyze(analysisFacts(facts, { reviews: [cleared([first])] }), defaultPolicy);
    expect(duplicateIn(again)).toMatchObject({ disposition: 'OPEN' });
    expect(duplicateIn(again).relatedInvoiceIds).toHaveLength(1);
    expect(again.decision).toBe('BLOCK');
  });
});

test('a review of a finding about the books holds when it is raised again', () => {
  const payment = {
    paymentId: 'p',
    vendorId: 'v',
    vendorName: 'Acme',
    day: 20_000,
    amountMinor: '100000',
    dueMinor: '1',
    currency: 'EUR',
    invoiceIds: [],
    isReturned: false,
  };
  const books = {
    companyId: 'c',
    vendors: [],
    vendorCount: 0,
    accountChanges: [],
    bills: [],
    payments: [payment],
    credits: [],
    duplicatePairs: new Set<string>(),
    creditedPairs: new Map<string, string>(),
  };
  const [finding] = runEngineOnBooks(books, defaultPolicy);
  if (finding === undefined) throw new Error('nothing was raised');
  const review = { evidenceKey: finding.evidence.key, disposition: 'RESOLVED', invoiceId: null, pairKeys: [] } as const;
  expect(finding.family).toBe('SCAN');
  expect(dispositionOf(finding, [review], null)).toBe('RESOLVED');
  expect(dispositionOf(finding, [], null)).toBe('OPEN');
});

describe('score and decision', () => {
  test.each(['FALSE_POSITIVE', 'ACCEPTED_RISK', 'RESOLVED', 'SUPERSEDED'] as const)(
    'a %s finding weighs nothing',
    (disposition) => {
      const finding = { type: 'DUPLICATE_INVOICE', family: 'DUP', severity: 'CRITICAL', confidence: 99 } as const;
      expect(decideFindings([{ ...finding, disposition }], defaultPolicy)).toEqual({ decision: 'PASS', riskScore: 0 });
      expect(decideFindings([{ ...finding, disposition: 'OPEN' }], defaultPolicy).decision).toBe('BLOCK');
    },
  );

  test('are REVIEW for an unknown currency even when a learned tolerance lowers it, and PASS once it is a false positive', () => {
    const mild = { type: 'CURRENCY_UNKNOWN', family: 'CUR', severity: 'LOW', confidence: 10 } as const;
    expect(decideFindings([{ ...mild, disposition: 'OPEN' }], defaultPolicy).decision).toBe('REVIEW');
    expect(decideFindings([{ ...mild, disposition: 'FALSE_POSITIVE' }], defaultPolicy).decision).toBe('PASS');
  });

  test('are as if findings that are false positives had not been raised', () => {
    const anyFinding: fc.Arbitrary<ScoredFinding> = fc.record({
      type: fc.constantFrom(...(Object.keys(catalogue) as FindingType[])),
      severity: fc.constantFrom(...severities),
      confidence: fc.integer({ min: 40, max: 100 }),
      family: fc.constantFrom('DUP', 'BANK', 'SUP', 'AMT', 'TAX', 'DATE'),
    });
    const anyFindings = fc.array(anyFinding, { maxLength: 12 });
    fc.assert(
      fc.property(anyFindings, anyFindings, (findings, dismissed) => {
        const all = [
          ...findings.map((one) => ({ ...one, disposition: 'OPEN' as const })),
          ...dismissed.map((one) => ({ ...one, disposition: 'FALSE_POSITIVE' as const })),
        ];
        expect(decideFindings(all, defaultPolicy)).toEqual(decide(findings, defaultPolicy));
      }),
    );
  });
});

test('the analysis of known facts is the recorded one', () => {
  const recorded = new URL('../../../../../packages/engine/src/testing/golden-analysis.json', import.meta.url);
  const golden = JSON.parse(readFileSync(recorded, 'utf8')) as { facts: AnalysisFacts; analysis: unknown };
  const { findings, ...analysis } = analyze(golden.facts, defaultPolicy);
  const shown = findings.map(({ subjects: _, ...finding }) => finding);
  expect(JSON.parse(canonicalJson({ ...analysis, findings: shown }))).toEqual(golden.analysis);
});
