import { describe, expect, test } from 'vitest';
import { severityRank } from './explanation/catalogue.js';
import { inMemoryHistory } from './testing/in-memory-history.js';
import { syntheticHistory } from './testing/synthetic-history.js';

/** Minimum values of the detection reference, section 13, for findings of MEDIUM and above. */
const PRECISION_MIN = 0.96;
const RECALL_MIN = 0.97;
const FALSE_ALARMS_PER_1000_MAX = 2;

const PAIR_TYPES: readonly string[] = [
  'DUPLICATE_INVOICE',
  'SUSPECTED_DUPLICATE',
  'DUPLICATE_ACROSS_SUPPLIERS',
  'CROSS_COMPANY_DUPLICATE',
];

/** Maximum share of clean bills with a finding of MEDIUM or above outside the family DUP. */
const HELD_SHARE_MAX = 0.007;

test('passes nearly all clean bills, whatever their kind, and blocks none', () => {
  const history = inMemoryHistory();
  const checked = syntheticHistory(3, 12, 0).map(
    ({ invoice }) => history.bill(invoice, { asOf: invoice.issue_date }).analysis,
  );
  const held = checked.filter(({ findings }) =>
    findings.some(({ family, severity }) => family !== 'DUP' && severityRank(severity) >= severityRank('MEDIUM')),
  );
  expect(held.length / checked.length).toBeLessThanOrEqual(HELD_SHARE_MAX);
  expect(checked.filter(({ decision }) => decision === 'BLOCK')).toEqual([]);
});

describe.each([1, 2])(
  'the engine, on a generated history (seed %i) of copies and of clean bills that resemble copies',
  (seed) => {
    const history = inMemoryHistory();
    const checked = syntheticHistory(seed, 8, 0.04).map(({ invoice, isCopy }) => ({
      isCopy,
      isRaised: history
        .bill(invoice)
        .analysis.findings.some(
          ({ type, severity }) => PAIR_TYPES.includes(type) && severityRank(severity) >= severityRank('MEDIUM'),
        ),
    }));
    const copies = checked.filter(({ isCopy }) => isCopy);
    const found = copies.filter(({ isRaised }) => isRaised);
    const falseAlarms = checked.filter(({ isCopy, isRaised }) => !isCopy && isRaised);

    test('finds nearly every copy', () => {
      expect(copies.length).toBeGreaterThan(100);
      expect(found.length / copies.length).toBeGreaterThanOrEqual(RECALL_MIN);
    });
    test('reports almost nothing but copies', () => {
      expect(found.length / (found.length + falseAlarms.length)).toBeGreaterThanOrEqual(PRECISION_MIN);
      expect((falseAlarms.length * 1000) / checked.length).toBeLessThanOrEqual(FALSE_ALARMS_PER_1000_MAX);
    });
  },
);
