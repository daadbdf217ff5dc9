import { describe, expect, test } from 'vitest';
import type { Bill } from './bill.js';
import { mutations } from './duplicates.js';
import { labelledHistory } from './history.js';
import { hardNegatives } from './population.js';

describe('a labelled history', () => {
  const bills = labelledHistory({ seed: 21 });

  test('is the same for the same seed and differs for another', () => {
    const invoices = (seed: number): unknown[] =>
      labelledHistory({ seed, suppliers: 20, months: 6 }).map(({ invoice, arrival, mutation, hardNegative }) => [
        invoice,
        arrival,
        mutation,
        hardNegative,
      ]);
    expect(invoices(5)).toEqual(invoices(5));
    expect(invoices(5)).not.toEqual(invoices(6));
  });

  test('has every mutation and every hard negative often enough to be measured', () => {
    const rare = (kinds: readonly string[], kindOf: (bill: Bill) => string | undefined): string[] =>
      kinds.filter((kind) => bills.filter((bill) => kindOf(bill) === kind).length < 10);
    expect(rare(Object.keys(mutations), ({ mutation }) => mutation)).toEqual([]);
    expect(rare(Object.keys(hardNegatives), ({ hardNegative }) => hardNegative)).toEqual([]);
  });

  test('consists mostly of plain clean invoices', () => {
    const plain = bills.filter(
      ({ mutation, hardNegative, anomaly }) =>
        mutation === undefined && hardNegative === undefined && anomaly === undefined,
    );
    expect(plain.length / bills.length).toBeGreaterThan(0.55);
  });
});
