import { describe, expect, test } from '@jest/globals';
import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { analyze } from './analysis.js';
import { analysisFacts } from '../testing/analysis-facts.js';
import type { AnalysisFinding } from './analysis.js';
import type { Disposition } from './finding-disposition.js';
import type { LearnedTolerance } from './learned-tolerance.js';
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

const subject = { supplierId: 's', type: 'SUSPECTED_DUPLICATE', signature: 'SUFFIX/EQ/SAME' };
const said = (disposition: Disposition, day: string) => ({ disposition, reviewedAt: new Date(`${day}T12:00:00Z`) });

describe('a tolerance is learned', () => {
  const three = ['2026-01-10', '2026-02-10', '2026-03-10'].map((day) => said('FALSE_POSITIVE', day));

  test('from three false positives within a year, and holds a year from the last of them', () => {
    expect(toleranceFrom(subject, three)).toEqual({
      ...subject,
      falsePositives: 3,
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
});

describe('a tolerated finding', () => {
  const history = inMemoryHistory();
  history.bill(invoiceOf({ invoice_number: 'KX-4821' }));
  const facts = history.factsOf(invoiceOf({ invoice_number: 'KX-4821A' }));
  const before = analyze(analysisFacts(facts), defaultPolicy).findings.find(
    ({ type }) => type === 'SUSPECTED_DUPLICATE',
  ) as AnalysisFinding;
  const tolerance: LearnedTolerance = {
    supplierId: facts.supplier.supplierId,
    type: 'SUSPECTED_DUPLICATE',
    signature: signatureOf(before),
    falsePositives: 3,
    learnedOn: '2026-01-01',
    expiresOn: '2027-01-01',
  };

  test('has the relations of its best pair as signature; one that compares nothing has none', () => {
    expect(signatureOf(before)).toBe('SUFFIX/EQ/SAME');
    expect(signatureOf({ evidence: { ...before.evidence, comparisons: [] } })).toBe('ANY');
  });

  test('is one severity lower and half as confident, and says so', () => {
    const after = analyze(analysisFacts(facts, { tolerances: [tolerance] }), defaultPolicy);
    const finding = after.findings.find(({ type }) => type === 'SUSPECTED_DUPLICATE');
    expect(finding).toMatchObject({
      severity: 'MEDIUM',
      confidence: Math.floor(before.confidence / 2),
      evidence: {
        tolerance: { signature: 'SUFFIX/EQ/SAME', severityBefore: 'HIGH', confidenceBefore: before.confidence },
      },
    });
    expect(after.riskScore).toBeLessThan(analyze(analysisFacts(facts), defaultPolicy).riskScore);
  });

  test('is not changed for another signature or type, and keeps the lowest severity', () => {
    expect(tolerated(before, [{ ...tolerance, signature: 'IDENT/EQ/SAME' }], defaultPolicy)).toBe(before);
    expect(tolerated(before, [{ ...tolerance, type: 'INVOICE_NUMBER_REUSED' }], defaultPolicy)).toBe(before);
    expect(tolerated({ ...before, severity: 'INFO' }, [tolerance], defaultPolicy).severity).toBe('INFO');
  });
});
