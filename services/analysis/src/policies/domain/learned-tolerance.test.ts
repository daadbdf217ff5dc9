import { describe, expect, test } from 'vitest';
import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { analyze } from '../../decisions/domain/analyze.js';
import type { EvidenceValue } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { requireEvidenceContract } from '@invoicecontrol/engine/testing/evidence-contract';
import { analysisFacts } from '../../testing/analysis-facts.js';
import type { AnalysisFinding } from '../../records/domain/analysis.js';
import type { Disposition } from '../../records/domain/finding-disposition.js';
import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import {
  isTolerable,
  signatureOf,
  tolerancesFor,
  toleranceFrom,
  tolerated,
  withTolerance,
} from './learned-tolerance.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';

const subject = { supplierId: 's', type: 'SUSPECTED_DUPLICATE', signature: 'TYPO/EQ/SAME' };
const said = (disposition: Disposition, day: string, reviewedBy?: string) => ({
  disposition,
  reviewedAt: new Date(`${day}T12:00:00Z`),
  ...(reviewedBy === undefined ? {} : { reviewedBy }),
});

describe('a tolerance is learned', () => {
  const three = ['2026-01-10', '2026-02-10', '2026-03-10'].map((day) => said('FALSE_POSITIVE', day));

  const oneDay = (...people: (string | undefined)[]) =>
    people.map((person) => said('FALSE_POSITIVE', '2026-03-10', person));

  test('from three on one day by two people, whom it counts', () => {
    expect(toleranceFrom(subject, oneDay('ann', 'bob', 'ann'))).toMatchObject({ falsePositives: 3, reviewers: 2 });
  });

  test.each<[string, ReturnType<typeof said>[]]>([
    ['one person on one day', oneDay('ann', 'ann', 'ann')],
    ['a person and API keys on one day', oneDay('ann', undefined, undefined)],
    ['one person within 29 days', [...oneDay('ann', 'ann'), said('FALSE_POSITIVE', '2026-04-08', 'ann')]],
  ])('not from %s', (_, reviews) => {
    expect(toleranceFrom(subject, reviews)).toBeUndefined();
  });

  test('from one person over thirty days', () => {
    const reviews = [...oneDay('ann', 'ann'), said('FALSE_POSITIVE', '2026-04-09', 'ann')];
    expect(toleranceFrom(subject, reviews)).toMatchObject({ reviewers: 1 });
  });

  test.each(['IDENT/EQ/SAME', 'SUFFIX/EQ/SAME', 'FORMAT/TRANSP/NEAR', 'OCR/EQ/FAR', 'EXTRA/ROUND/SAME'])(
    'never of pairs that are copies by number and amount: %s',
    (signature) => {
      expect(toleranceFrom({ ...subject, signature }, three)).toBeUndefined();
    },
  );

  test('of a number that was used before with another amount', () => {
    expect(
      toleranceFrom({ ...subject, type: 'INVOICE_NUMBER_REUSED', signature: 'IDENT/DIFF/FAR' }, three),
    ).toBeDefined();
  });

  test('from three false positives within a year, and holds a year from the last of them', () => {
    expect(toleranceFrom(subject, three)).toEqual({
      ...subject,
      falsePositives: 3,
      reviewers: 1,
      learnedOn: '2026-03-10',
      expiresOn: '2027-03-10',
    });
  });

  test.each<[string, ReturnType<typeof said>[]]>([
    ['two', three.slice(1)],
    ['three of which one is older than a year', [said('FALSE_POSITIVE', '2025-03-10'), ...three.slice(1)]],
    ['three and a confirmation', [...three, said('CONFIRMED', '2026-01-01')]],
    ['three and a remedied one', [...three, said('RESOLVED', '2026-06-01')]],
    ['nothing', []],
  ])('not from %s', (_, reviews) => {
    expect(toleranceFrom(subject, reviews)).toBeUndefined();
  });

  test('when the confirmation lies more than a year back', () => {
    expect(toleranceFrom(subject, [...three, said('CONFIRMED', '2025-03-10')])).toBeDefined();
  });

  test('never for types that block, never for accounts', () => {
    const kind = (type: FindingType) => isTolerable({ type, family: catalogue[type].family }, defaultPolicy);
    for (const type of defaultPolicy.hardBlocks) expect(kind(type)).toBe(false);
    expect(kind('BANK_COUNTRY_MISMATCH')).toBe(false);
    expect(kind('SUSPECTED_DUPLICATE')).toBe(true);
  });
});

describe('the tolerances of an organization', () => {
  const learned = (signature: string, expiresOn = '2027-01-01', supplierId = 's'): LearnedTolerance => ({
    ...subject,
    supplierId,
    signature,
    falsePositives: 3,
    reviewers: 2,
    learnedOn: '2026-01-01',
    expiresOn,
  });

  test('replace the same subject, remove it, and drop those that have expired', () => {
    const old = learned('A', '2026-05-31');
    const other = learned('B');
    expect(withTolerance([old, other], learned('B'), learned('B', '2027-02-02'), '2026-06-01')).toEqual([
      learned('B', '2027-02-02'),
    ]);
    expect(withTolerance([other], learned('B'), undefined, '2026-06-01')).toEqual([]);
  });

  test('are at most twenty per supplier and type: the one that expires first is dropped', () => {
    const days = Array.from({ length: 20 }, (_, index) => `2027-01-${String(index + 1).padStart(2, '0')}`);
    const full = [...days.map((day) => learned(`S${day}`, day)), learned('S', '2026-12-31', 'another')];
    const next = withTolerance(full, learned('NEW'), learned('NEW', '2027-02-01'), '2026-06-01');
    expect(next).toHaveLength(21);
    expect(next.map(({ signature }) => signature)).not.toContain('S2027-01-01');
    expect(next.map(({ supplierId }) => supplierId)).toContain('another');
  });

  test('hold for their supplier until the last day', () => {
    const tolerance = learned('A', '2027-01-01');
    expect(tolerancesFor([tolerance], 's', '2027-01-01')).toEqual([tolerance]);
    expect(tolerancesFor([tolerance], 's', '2027-01-02')).toEqual([]);
    expect(tolerancesFor([tolerance], 'another', '2026-06-01')).toEqual([]);
  });

  test('hold no longer when they were learned from one person on one day, or lower copies', () => {
    const { reviewers: _unknown, ...old } = learned('TYPO/EQ/SAME');
    expect(tolerancesFor([old, learned('SUFFIX/EQ/SAME')], 's', '2026-06-01')).toEqual([]);
  });
});

describe('a tolerated finding', () => {
  const history = inMemoryHistory();
  history.bill(invoiceOf({ invoice_number: 'KX-4821' }));
  const factsOf = (invoice_number: string) => history.factsOf(invoiceOf({ invoice_number }));
  const facts = factsOf('KX-7821');
  const duplicateOf = (of: Facts, tolerances: readonly LearnedTolerance[] = []): AnalysisFinding =>
    analyze(analysisFacts(of, { tolerances }), defaultPolicy).findings.find(
      ({ type }) => type === 'SUSPECTED_DUPLICATE',
    ) as AnalysisFinding;
  const before = duplicateOf(facts);
  const tolerance: LearnedTolerance = {
    supplierId: facts.supplier.supplierId,
    type: 'SUSPECTED_DUPLICATE',
    signature: signatureOf(before),
    falsePositives: 3,
    reviewers: 2,
    learnedOn: '2026-01-01',
    expiresOn: '2027-01-01',
  };

  test('has the relations of its best pair as signature; one that compares nothing has none', () => {
    expect(signatureOf(before)).toBe('TYPO/EQ/SAME');
    expect(signatureOf({ evidence: { ...before.evidence, comparisons: [] } })).toBe('ANY');
  });

  test('is one severity lower and half as confident, and says by whose reviews and until when', () => {
    const finding = duplicateOf(facts, [tolerance]);
    const confidence = Math.floor(before.confidence / 2);
    expect(finding).toMatchObject({
      severity: 'MEDIUM',
      confidence,
      summary: `${before.summary} Earlier reviews lowered the severity from HIGH.`,
      evidence: {
        tolerance: {
          signature: 'TYPO/EQ/SAME',
          reviewers: 2,
          severityBefore: 'HIGH',
          confidenceBefore: before.confidence,
        },
      },
    });
    expect(finding.evidence.explanation).toEqual([
      `The severity was lowered from HIGH to MEDIUM and the confidence from ${before.confidence}% to ${confidence}%: 2 reviewers dismissed 3 findings like this one from the supplier, the last on 2026-01-01. This applies until 2027-01-01.`,
      ...before.evidence.explanation,
    ]);
    requireEvidenceContract([finding]);
    const score = (tolerances: readonly LearnedTolerance[]) =>
      analyze(analysisFacts(facts, { tolerances }), defaultPolicy).riskScore;
    expect(score([tolerance])).toBeLessThan(score([]));
  });

  test('is not changed when one of its pairs is a copy by number and amount', () => {
    history.bill(invoiceOf({ invoice_number: 'KX-5555', gross_amount: '310.20', issue_date: '2025-06-01' }));
    const copy = duplicateOf(factsOf('KX-4821A'));
    const ofCopy = { ...tolerance, signature: signatureOf(copy) };
    expect(ofCopy.signature).toBe('SUFFIX/EQ/SAME');
    expect(tolerated(copy, [ofCopy], defaultPolicy)).toBe(copy);
    const rows = before.evidence['comparisons'] as readonly EvidenceValue[];
    const copyRows = copy.evidence['comparisons'] as readonly { [name: string]: EvidenceValue }[];
    const comparisons = [...rows, ...copyRows.map((row) => ({ ...row, with: 'another' }))];
    const both = { ...before, evidence: { ...before.evidence, comparisons } };
    expect(signatureOf(both)).toBe('TYPO/EQ/SAME');
    expect(tolerated(both, [tolerance], defaultPolicy)).toBe(both);
  });

  test('is what it was in old facts, whose tolerances do not say by whom they were learned', () => {
    const { reviewers: _unknown, ...old } = tolerance;
    const copy = duplicateOf(factsOf('KX-4821A'));
    const after = tolerated(copy, [{ ...old, signature: 'SUFFIX/EQ/SAME' }], defaultPolicy);
    expect(after).toEqual({
      ...copy,
      severity: 'MEDIUM',
      confidence: Math.floor(copy.confidence / 2),
      evidence: {
        ...copy.evidence,
        tolerance: {
          signature: 'SUFFIX/EQ/SAME',
          falsePositives: 3,
          learnedOn: '2026-01-01',
          expiresOn: '2027-01-01',
          severityBefore: 'HIGH',
          confidenceBefore: copy.confidence,
        },
      },
    });
  });

  test('is not changed for another signature or type, and keeps the lowest severity', () => {
    expect(tolerated(before, [{ ...tolerance, signature: 'IDENT/EQ/SAME' }], defaultPolicy)).toBe(before);
    expect(tolerated(before, [{ ...tolerance, type: 'INVOICE_NUMBER_REUSED' }], defaultPolicy)).toBe(before);
    const lowest = tolerated({ ...before, severity: 'INFO' }, [tolerance], defaultPolicy);
    expect(lowest.severity).toBe('INFO');
    expect(lowest.summary).toContain('Earlier reviews lowered the confidence.');
  });
});
