import { describe, expect, test } from 'vitest';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import { ownCompanies } from './analyze.js';
import type { Bill } from './bill.js';
import { histories, sets } from './histories/catalogue.js';
import { randomFrom } from './random.js';
import { score, share } from './score.js';

describe.each(Object.entries(histories))('the written history %s', (name, { write, companies = ownCompanies }) => {
  const isEuropean = name in sets.european;
  // No rule is known for tax ids outside Europe, nor for a number that states no country.
  const rightIds = isEuropean ? ['VALID'] : ['VALID', 'UNCHECKED'];
  const bills = write(randomFrom(7));
  const clean = bills.filter(({ mutation, anomaly }) => mutation === undefined && anomaly === undefined);

  test('is the same for the same seed', () => {
    expect(write(randomFrom(7))).toEqual(bills);
  });

  test('has thousands of bills, three to six copies in a hundred, and all kinds often enough to be measured', () => {
    const copies = bills.filter(({ mutation }) => mutation !== undefined);
    const kinds = countsOf(copies, ({ mutation }) => mutation);
    const unrelated = [...kinds.keys()].filter((kind) => kind.startsWith('unrelated: '));
    expect(bills.length).toBeGreaterThan(3_000);
    expect(copies.length / bills.length).toBeGreaterThan(0.03);
    expect(copies.length / bills.length).toBeLessThan(0.06);
    expect([...kinds].filter(([, count]) => count < 5)).toEqual([]);
    expect(unrelated.length / kinds.size).toBeGreaterThan(0.3);
    expect(unrelated.length / kinds.size).toBeLessThan(0.5);
    expect(countsOf(clean, ({ hardNegative }) => hardNegative).size).toBeGreaterThanOrEqual(10);
    expect(countsOf(bills, ({ anomaly }) => anomaly?.name).size).toBeGreaterThanOrEqual(10);
  });

  test('has one original and at least one copy for each claim that was billed again', () => {
    const originals = countsOf(
      bills.filter(({ mutation }) => mutation === undefined),
      ({ claim }) => claim,
    );
    expect([...originals.values()].filter((count) => count !== 1)).toEqual([]);
    expect(bills.filter(({ mutation, claim }) => mutation !== undefined && !originals.has(claim))).toEqual([]);
  });

  test('has clean bills of which no two are one by number, day, amount and supplier', () => {
    const keys = clean.map(({ invoice, companyId }) =>
      [invoice.supplier.name, invoice.invoice_number, invoice.issue_date, invoice.gross_amount, companyId].join('|'),
    );
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test('states valid tax ids and accounts where nothing was planted', () => {
    const wrong = clean.filter(({ invoice: { supplier } }) => {
      const { body = '', country = '' } = parseTaxId(supplier.tax_id ?? '') ?? {};
      const iban = supplier.bank_account?.iban;
      const isWrongAccount = iban !== undefined && readBankAccount({ iban }).problems.length > 0;
      return isWrongAccount || (supplier.tax_id !== undefined && !rightIds.includes(taxIdValidity(body, country)));
    });
    expect(wrong).toEqual([]);
  });

  test('states no tax id for some of the suppliers, in Europe for a tenth', () => {
    const suppliers = new Map(clean.map(({ invoice: { supplier } }) => [supplier.name, supplier.tax_id]));
    const withoutTaxId = [...suppliers.values()].filter((taxId) => taxId === undefined);
    expect(withoutTaxId.length).toBeGreaterThan(0);
    if (isEuropean) expect(withoutTaxId.length / suppliers.size).toBeCloseTo(0.1, 1);
  });

  test('is addressed to companies of the organization, and arrives on or after the day of issue where nothing was planted', () => {
    const known = new Set(companies.map(({ companyId }) => companyId));
    expect(bills.filter(({ companyId }) => !known.has(companyId))).toEqual([]);
    expect(clean.filter(({ arrival, invoice }) => arrival < invoice.issue_date)).toEqual([]);
  });
});

// Each history takes seconds, so two of nine are scored here; `npm run bench:detection` scores all and prints the aims. The floors are
// below the reached figures, because a history is one draw.
test.each(['dach-manufacturing', 'french-italian-agrifood'])(
  'the written history %s has its wrong bills and nearly all related copies found, most unrelated ones, and no clean bill blocked',
  (name) => {
    const { write, companies = ownCompanies, ...options } = histories[name] ?? noHistory(name);
    const result = score(write(randomFrom(7)), { ...options, companies, hasReviewer: true });
    expect([...result.anomalies].filter(([, { hits, of }]) => hits < of)).toEqual([]);
    expect(share(result.relatedRecall)).toBeGreaterThanOrEqual(0.98);
    expect(share(result.unrelatedRecall)).toBeGreaterThanOrEqual(0.7);
    expect(share(result.plainNotPassed)).toBeLessThanOrEqual(0.007);
    expect(result.blocked.hits).toBe(0);
  },
);

function noHistory(name: string): never {
  throw new RangeError(`there is no history "${name}"`);
}

function countsOf(bills: readonly Bill[], nameOf: (bill: Bill) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const bill of bills) {
    const name = nameOf(bill);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
