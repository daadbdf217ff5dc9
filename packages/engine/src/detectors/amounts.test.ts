import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import type { Billed } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const typesOf = typesIn('AMT');

/** Bills the amounts in order, twenty days apart unless `dates` differs, and returns the last bill. */
function billAll(amounts: readonly string[], dates?: readonly string[], each: Bill = {}): Billed {
  const acme = ledger();
  const billed = amounts.map((gross_amount, index) => {
    const issue_date = dates?.[index];
    return acme.bill({ ...each, gross_amount, ...(issue_date === undefined ? {} : { issue_date }) });
  });
  return billed.at(-1) as Billed;
}

/** Bills the amounts in order and dismisses every finding. */
function billAllAccepted(amounts: readonly string[]): Billed {
  const acme = ledger();
  const billed = amounts.map((gross_amount) => {
    const one = acme.bill({ gross_amount });
    acme.dismiss(one);
    return one;
  });
  return billed.at(-1) as Billed;
}

/** These amounts are close to 1000 and none of them is round. Their median is 1000.40. */
const AROUND_1000 = ['950.10', '980.20', '1000.30', '1000.50', '1020.60', '1050.70', '990.80', '1010.90'];
const monthly = (count: number, day = 3): string[] =>
  Array.from({ length: count }, (_, month) => {
    const year = 2024 + Math.floor(month / 12);
    return `${year}-${String((month % 12) + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  });

describe('AMOUNT_OUTLIER', () => {
  test.each([
    ['twice the usual is nothing', '2200.10', undefined, undefined],
    // The robust z-score of the amount is 0.6745 ln(ratio) / 0.15. At a ratio of 2.5, it is 4.1.
    ['2.5 times', '2502.13', 'LOW', 60],
    ['four times', '4013.17', 'MEDIUM', 75],
    ['ten times', '10093.19', 'HIGH', 85],
  ])('%s', (_, amount, severity, confidence) => {
    const finding = findingIn(billAll([...AROUND_1000, amount]), 'AMOUNT_OUTLIER');
    if (severity === undefined) expect(finding).toBeUndefined();
    else expect(finding).toMatchObject({ severity, confidence, evidence: { sampleSize: 8, median: '1000.40' } });
  });

  test('states the ratio to the usual amount', () => {
    expect(findingIn(billAll([...AROUND_1000, '4100.17']), 'AMOUNT_OUTLIER')).toMatchObject({
      summary: 'EUR 4,100.17 is 4.1 times the EUR 1,000.40 that Acme Supplies Ltd usually bills.',
      recommendedAction:
        'Check the quantity and the price on the invoice, and its purchase order; the amount is 4.1 times the usual amount.',
      evidence: { z: 6.34, ratio: 4.1, mad: 0.15, window: { from: '2025-01-21', to: '2025-06-10' } },
    });
  });

  test('needs eight earlier amounts', () => {
    expect(typesOf(billAll([...AROUND_1000.slice(0, 7), '4100.17']))).not.toContain('AMOUNT_OUTLIER');
    expect(typesOf(billAll([...AROUND_1000, '4100.17']))).toContain('AMOUNT_OUTLIER');
  });

  test('needs a value of 200 in base currency', () => {
    const small = AROUND_1000.map((amount) => (Number(amount) / 20).toFixed(2));
    expect(typesOf(billAll([...small, '199.99']))).not.toContain('AMOUNT_OUTLIER');
    expect(typesOf(billAll([...small, '200.00']))).toContain('AMOUNT_OUTLIER');
  });

  test('compares the amount as stated where no rate exists, and says so in evidence', () => {
    const acme = ledger();
    for (const gross_amount of AROUND_1000) acme.bill({ gross_amount, currency: 'JPY' });
    const billed = acme.bill({ gross_amount: '4100', currency: 'JPY' }, { base: null });
    expect(findingIn(billed, 'AMOUNT_OUTLIER')?.evidence.observed).toMatchObject({ value: '4100', noRate: true });
  });

  test('compares only amounts of the last two years in the same currency', () => {
    const old = AROUND_1000.map((_, index) => addDays('2022-01-01', index));
    expect(typesOf(billAll([...AROUND_1000, '4100.17'], [...old, '2024-01-09']))).not.toContain('AMOUNT_OUTLIER');
    expect(typesOf(billAll([...AROUND_1000, '4100.17'], [...old, '2023-12-31']))).toContain('AMOUNT_OUTLIER');
    const acme = ledger();
    for (const gross_amount of AROUND_1000) acme.bill({ gross_amount, currency: 'USD' });
    expect(typesOf(acme.bill({ gross_amount: '4100.17' }))).toEqual([]);
  });

  test('compares a growing supplier with its newest twelve amounts', () => {
    const start = AROUND_1000.slice(0, 4);
    const grown = Array.from({ length: 12 }, (_, index) => `${3000 + index * 17}.13`);
    expect(typesOf(billAll([...start, ...grown, '4500.19']))).toEqual([]);
    const finding = findingIn(billAll([...start, ...grown, '12900.19']), 'AMOUNT_OUTLIER');
    expect(finding).toMatchObject({ severity: 'MEDIUM', evidence: { sampleSize: 12 } });
  });

  test('accepts a yearly bill that was sent the year before', () => {
    const days = monthly(14);
    const amounts = days.map((_, month) => (month === 1 ? '7000.13' : (AROUND_1000[month % 8] ?? '')));
    expect(findingIn(billAll([...amounts.slice(0, 13), '7400.17'], days), 'AMOUNT_OUTLIER')).toBeUndefined();
    const without = amounts.map((amount, month) => (month === 1 ? '1000.13' : amount));
    expect(findingIn(billAll([...without.slice(0, 13), '7400.17'], days), 'AMOUNT_OUTLIER')).toBeDefined();
  });

  test('is mild for an amount of a size that was billed twice before', () => {
    const once = [...AROUND_1000, '6000.13'];
    expect(findingIn(billAll([...once, '7000.17']), 'AMOUNT_OUTLIER')).toMatchObject({ severity: 'MEDIUM' });
    expect(findingIn(billAll([...once, '6100.13', '7000.17']), 'AMOUNT_OUTLIER')).toMatchObject({ severity: 'LOW' });
    expect(findingIn(billAll([...once, '6100.13', '8000.17']), 'AMOUNT_OUTLIER')).toMatchObject({ severity: 'MEDIUM' });
  });

  test('is not mild because a HIGH one was asked for before: only accepted bills make it so', () => {
    const twelvefold = [...AROUND_1000, '12000.13', '12100.13', '12050.13', '12090.17'];
    expect(findingIn(billAll(twelvefold), 'AMOUNT_OUTLIER')).toMatchObject({ severity: 'HIGH' });
    expect(findingIn(billAllAccepted(twelvefold), 'AMOUNT_OUTLIER')).toMatchObject({ severity: 'LOW' });
  });

  test('takes what other rows of the same scan ask for as known, because nobody could answer between them', () => {
    const acme = ledger();
    const severities = [...AROUND_1000, '12000.13', '12100.13', '12050.13'].map((gross_amount) => {
      const billed = acme.bill({ gross_amount }, { origin: { source: 'SCAN', scanId: 'scan-1' } });
      return findingIn(billed, 'AMOUNT_OUTLIER')?.severity;
    });
    expect(severities.slice(-3)).toEqual(['HIGH', 'HIGH', 'LOW']);
  });

  test('is not raised for a price list with a wide spread', () => {
    const prices = ['120.10', '480.20', '950.30', '2900.40'];
    expect(typesOf(billAll([...prices, ...prices, ...prices, '2900.40']))).toEqual([]);
  });
});

describe('AMOUNT_OUTLIER at a supplier whose amounts are spread widely', () => {
  // The median is about 398, and the spread is so wide that ten times the amount has a z below 3.5.
  const spread = ['510.40', '40.13', '1300.30', '95.20', '900.70', '130.50', '310.20', '1180.60'];
  test.each([
    ['three times the largest amount ever', '3900.90', undefined],
    ['more than that', '3900.91', 'MEDIUM'],
  ])('%s', (_, amount, severity) => {
    expect(findingIn(billAll([...spread, amount]), 'AMOUNT_OUTLIER')?.severity).toBe(severity);
  });

  test('names the largest earlier amount when the amount exceeds them all', () => {
    const finding = findingIn(billAll([...spread, '58000.13']), 'AMOUNT_OUTLIER');
    expect(finding).toMatchObject({
      severity: 'HIGH',
      confidence: 80,
      evidence: { parameters: { beyondAllTimes: 3, beyondAllRatioMin: 8 } },
    });
    expect(finding?.evidence.explanation).toContain(
      'The amount is more than 3 times the largest earlier amount of the supplier, EUR 1,300.30.',
    );
  });

  test('needs eight times the usual amount and eight earlier amounts', () => {
    const even = ['900.10', '905.20', '910.30', '1000.40', '1005.50', '1010.60', '1015.70', '2000.80'];
    expect(findingIn(billAll([...even, '6200.13']), 'AMOUNT_OUTLIER')?.evidence.parameters).not.toHaveProperty(
      'beyondAllTimes',
    );
    expect(findingIn(billAll([...spread.slice(1), '58000.13']), 'AMOUNT_OUTLIER')?.evidence.parameters).toMatchObject({
      fewAmountsTimes: 10,
    });
  });
});

describe('AMOUNT_MAGNITUDE_SHIFT', () => {
  const five = ['950.10', '980.20', '1000.35', '1020.60', '1050.70'];
  test.each([
    ['ten times an earlier amount', '10206.00', '1020.60', '10', 'HIGH'],
    ['a hundred times', '102060.00', '1020.60', '100', 'HIGH'],
    ['a tenth, which loses no money', '98.02', '980.20', '1/10', 'MEDIUM'],
    ['two per cent off ten times', '10717.10', '1050.70', '10', 'HIGH'],
  ])('%s', (_, amount, matchedAmount, factor, severity) => {
    expect(findingIn(billAll([...five, amount]), 'AMOUNT_MAGNITUDE_SHIFT')).toMatchObject({
      severity,
      confidence: 80,
      evidence: { matchedAmount, factor },
    });
  });

  test('names the best matching amount, and says whether it matches exactly', () => {
    const summaryOf = (amount: string) =>
      findingIn(billAll(['1000.10', '1003.30', '1006.20', '1009.70', '1012.40', amount]), 'AMOUNT_MAGNITUDE_SHIFT')
        ?.summary;
    expect(summaryOf('10033.00')).toContain(
      'EUR 10,033.00 is 10 times the EUR 1,003.30 that Acme Supplies Ltd billed on 2025-02-10.',
    );
    expect(summaryOf('10030.00')).toContain(
      'EUR 10,030.00 is about 10 times the EUR 1,003.30 that Acme Supplies Ltd billed on 2025-02-10.',
    );
    expect(summaryOf('100.62')).toContain(
      'EUR 100.62 is 1/10 of the EUR 1,006.20 that Acme Supplies Ltd billed on 2025-03-02.',
    );
  });

  test('is not raised for more than two per cent, for four amounts and for a hundredth', () => {
    expect(typesOf(billAll([...five, '10721.00']))).not.toContain('AMOUNT_MAGNITUDE_SHIFT');
    expect(typesOf(billAll([...five.slice(0, 4), '10206.00']))).not.toContain('AMOUNT_MAGNITUDE_SHIFT');
    expect(typesOf(billAll([...five, '10.21']))).not.toContain('AMOUNT_MAGNITUDE_SHIFT');
  });

  test('is not raised where amounts are spread so widely that a tenth of any is another', () => {
    const spread = ['15.10', '90.40', '310.20', '1130.70', '1600.30', '3900.10', '240.60', '520.30'];
    expect(typesOf(billAll([...spread, '9050.00']))).not.toContain('AMOUNT_MAGNITUDE_SHIFT');
    expect(typesOf(billAll([...spread, '31.00']))).not.toContain('AMOUNT_MAGNITUDE_SHIFT');
  });

  test('treats amounts as similar up to a ratio of four, a tenth at either end aside', () => {
    const shifted = (amounts: readonly string[]) => typesOf(billAll(amounts)).includes('AMOUNT_MAGNITUDE_SHIFT');
    expect(shifted(['500.10', '900.10', '1000.35', '1020.60', '2000.40', '10100.00'])).toBe(true);
    expect(shifted(['500.10', '900.10', '1000.35', '1020.60', '2000.50', '10100.00'])).toBe(false);
    const many = [...AROUND_1000, '15.10', '9000.20'];
    expect(shifted([...many, '10100.00'])).toBe(true);
  });

  test('needs four equal digits where amounts are spread', () => {
    const spread = ['15.10', '90.40', '310.25', '1130.70', '1600.30', '3900.10', '240.60', '520.00'];
    expect(typesOf(billAll([...spread, '3102.50']))).toContain('AMOUNT_MAGNITUDE_SHIFT');
    expect(typesOf(billAll([...spread, '5200.00']))).not.toContain('AMOUNT_MAGNITUDE_SHIFT');
  });

  test.each([
    [
      'ten pieces where it sells by the piece',
      ['752.76', '292.13', '3011.04', '404.67', '1505.52', '292.13', '7527.60'],
    ],
    ['rounded for each line', ['752.76', '292.13', '3011.05', '404.67', '1505.51', '292.13', '7527.60']],
    ['an amount that it has billed before', ['621.30', '62.13', '310.65', '4690.98', '479.43', '2235.65', '62.13']],
  ])('is only noted for %s', (_, amounts) => {
    expect(findingIn(billAll(amounts), 'AMOUNT_MAGNITUDE_SHIFT')).toMatchObject({ severity: 'LOW' });
  });

  test('is a slip where one other amount alone is a multiple', () => {
    const amounts = ['752.76', '292.13', '3011.04', '404.67', '1511.52', '292.13', '7527.60'];
    expect(findingIn(billAll(amounts), 'AMOUNT_MAGNITUDE_SHIFT')).toMatchObject({ severity: 'HIGH' });
  });

  test('is not raised where little money is at stake', () => {
    const coffee = five.map((amount) => (Number(amount) / 100).toFixed(2));
    expect(typesOf(billAll([...coffee, '102.06']))).toEqual([]);
  });
});

describe('RECURRING_AMOUNT_CHANGED', () => {
  const rent = Array.from({ length: 6 }, () => '1000.37');
  test.each([
    ['five per cent more is nothing', '1050.38', undefined],
    ['more than five per cent', '1050.40', 'LOW'],
    ['25 per cent more', '1250.46', 'LOW'],
    ['more than 25 per cent', '1250.47', 'MEDIUM'],
    ['less than half, which asks for no contract', '400.37', 'LOW'],
  ])('%s', (_, amount, severity) => {
    const finding = findingIn(billAll([...rent, amount], monthly(7)), 'RECURRING_AMOUNT_CHANGED');
    expect(finding?.severity).toBe(severity);
  });

  test('shows the series and the change', () => {
    const finding = findingIn(billAll([...rent, '1500.00'], monthly(7)), 'RECURRING_AMOUNT_CHANGED');
    expect(finding).toMatchObject({
      confidence: 80,
      summary:
        'Acme Supplies Ltd billed EUR 1,000.37 on each of its last 6 invoices and now bills EUR 1,500.00 (+49.9%).',
      evidence: { oldAmount: '1000.37', changePct: 49.9 },
    });
    expect(finding?.evidence['series']).toHaveLength(6);
  });

  test('treats a raise in January or April as an indexation', () => {
    const from = (month: number) => monthly(month + 7).slice(month);
    for (const start of [6, 9]) {
      const finding = findingIn(billAll([...rent, '1500.00'], from(start)), 'RECURRING_AMOUNT_CHANGED');
      expect(finding).toMatchObject({ severity: 'LOW', confidence: 70 });
    }
    expect(findingIn(billAll([...rent, '1500.00'], from(7)), 'RECURRING_AMOUNT_CHANGED')?.severity).toBe('MEDIUM');
  });

  test('needs six bills within two per cent, at monthly or quarterly intervals', () => {
    const changed = (amounts: readonly string[], dates: readonly string[]) =>
      typesOf(billAll([...amounts, '1500.13'], dates)).includes('RECURRING_AMOUNT_CHANGED');
    const every = (days: number) => Array.from({ length: 7 }, (_, index) => addDays('2024-01-03', index * days));
    expect(changed(rent.slice(1), monthly(6))).toBe(false);
    expect(changed([...rent.slice(1), '1020.37'], monthly(7))).toBe(true);
    expect(changed([...rent.slice(1), '1021.37'], monthly(7))).toBe(false);
    for (const days of [25, 35, 85, 95]) expect(changed(rent, every(days))).toBe(true);
    for (const days of [24, 36, 84, 96]) expect(changed(rent, every(days))).toBe(false);
  });

  /** Returns the result for six rents with other bills in between, by day. The last bill is the checked one. */
  const changedAmong = (...others: readonly (readonly [amount: string, day: string])[]) => {
    const months = monthly(8);
    const rents = rent.map((amount, month) => [amount, months[month < 4 ? month : month + 1] ?? ''] as const);
    const regular = rent.map((amount, month) => [amount, months[month] ?? ''] as const);
    const build = (bills: readonly (readonly [string, string])[], due: string) => {
      const ordered = [...bills, ...others].toSorted((left, right) => (left[1] < right[1] ? -1 : 1));
      const all = [...ordered, ['1500.13', due] as const];
      const billed = billAll(
        all.map(([amount]) => amount),
        all.map(([, day]) => day),
      );
      return typesOf(billed).includes('RECURRING_AMOUNT_CHANGED');
    };
    return { regular: build(regular, '2024-07-03'), withMonthLeftOut: build(rents, '2024-08-03') };
  };

  test('allows one missing bill or one other bill in a series, not both', () => {
    expect(changedAmong()).toEqual({ regular: true, withMonthLeftOut: true });
    const extra = ['310.13', '2024-05-20'] as const;
    expect(changedAmong(extra)).toEqual({ regular: true, withMonthLeftOut: false });
    expect(changedAmong(['310.13', '2024-02-20'], extra).regular).toBe(false);
    const twoLeftOut = rent.map((_, index) => addDays('2024-01-03', index * 30 + (index > 2 ? 30 : 0)));
    expect(typesOf(billAll([...rent, '1500.13'], [...twoLeftOut, '2024-08-31']))).not.toContain(
      'RECURRING_AMOUNT_CHANGED',
    );
  });

  test('is not raised for bills that vary from month to month', () => {
    const bills = [...rent.slice(1), '1180.19', '1000.37', '1400.13'];
    expect(typesOf(billAll(bills, monthly(8)))).not.toContain('RECURRING_AMOUNT_CHANGED');
  });

  test('reports a raise once', () => {
    expect(typesOf(billAll([...rent, '1500.13', '1500.13'], monthly(8)))).not.toContain('RECURRING_AMOUNT_CHANGED');
  });

  test('accepts a yearly final bill that was sent the year before, and reports a raise of the advances', () => {
    const advances = (finalBill: string, last: string) =>
      findingIn(
        billAll([...rent, finalBill, ...Array.from({ length: 11 }, () => '1000.37'), last], monthly(19)),
        'RECURRING_AMOUNT_CHANGED',
      );
    expect(advances('2100.13', '2300.17')).toBeUndefined();
    expect(advances('2100.13', '2700.17')).toMatchObject({ severity: 'LOW' });
    expect(advances('1000.37', '1251.17')).toMatchObject({ severity: 'MEDIUM' });
  });
});

describe('AMOUNT_ROUND', () => {
  const uneven = (count: number) => Array.from({ length: count }, (_, index) => `${1000 + index * 7}.13`);
  test.each([
    ['a multiple of 1000 from 10 000 on', '12000.00', true],
    ['a multiple of 100 below', '1100.00', true],
    ['a multiple of 100 from 10 000 on', '12100.00', false],
    ['below 1000', '900.00', false],
    ['a cent more', '12000.01', false],
  ])('%s', (_, amount, isRaised) => {
    expect(typesOf(billAll([...uneven(10), amount])).includes('AMOUNT_ROUND')).toBe(isRaised);
  });

  test('is INFO for a young supplier and LOW for one with ten bills', () => {
    expect(findingIn(billAll([...uneven(9), '3000.00']), 'AMOUNT_ROUND')).toMatchObject({ severity: 'INFO' });
    expect(findingIn(billAll([...uneven(10), '3000.00']), 'AMOUNT_ROUND')).toMatchObject({
      severity: 'LOW',
      confidence: 40,
      evidence: { roundShare: 0 },
    });
  });

  test.each([
    [0, 'EUR 3,000.00 is a round amount; there is no earlier invoice from Acme Supplies Ltd.'],
    [1, 'EUR 3,000.00 is a round amount; the only earlier invoice from Acme Supplies Ltd is not for one.'],
    [4, 'EUR 3,000.00 is a round amount; none of the 4 earlier invoices from Acme Supplies Ltd is for one.'],
  ])('says after %d invoices what the supplier usually bills', (count, summary) => {
    expect(findingIn(billAll([...uneven(count), '3000.00']), 'AMOUNT_ROUND')?.summary).toBe(summary);
  });

  test('is not raised where a fifth of the amounts is round, and for a rent', () => {
    expect(typesOf(billAll([...uneven(8), '2000.00', '3000.00', '4000.00']))).not.toContain('AMOUNT_ROUND');
    expect(typesOf(billAll([...uneven(9), '2000.00', '4000.00']))).toContain('AMOUNT_ROUND');
    expect(typesOf(billAll([...uneven(9), '2000.00', '2000.00']))).not.toContain('AMOUNT_ROUND');
  });
});

test('AMOUNT_ROUND names the step in the currency of the bill', () => {
  const stepOf = (gross_amount: string, currency: string) => {
    const base = { currency: 'EUR', amount: '2000.00', rate: '1', source: 'ECB' } as const;
    return findingIn(ledger().bill({ gross_amount, currency }, { base }), 'AMOUNT_ROUND')?.evidence.explanation[0];
  };
  expect(stepOf('12000.00', 'EUR')).toBe('The amount is a multiple of EUR 1,000.00.');
  expect(stepOf('2100.00', 'EUR')).toBe('The amount is a multiple of EUR 100.00.');
  expect(stepOf('700.000', 'KWD')).toBe('The amount is a multiple of KWD 100.000.');
  expect(stepOf('710.000', 'KWD')).toBeUndefined();
});

describe('AMOUNT_BELOW_THRESHOLD', () => {
  test.each([
    ['the limit itself', '5000.00', undefined],
    ['a cent less', '4999.99', '5000.00'],
    ['95 per cent', '4750.00', '5000.00'],
    ['a cent less than 95 per cent', '4749.99', undefined],
    ['another limit', '98500.17', '100000.00'],
  ])('%s', (_, amount, threshold) => {
    const finding = findingIn(ledger().bill({ gross_amount: amount }), 'AMOUNT_BELOW_THRESHOLD');
    if (threshold === undefined) expect(finding).toBeUndefined();
    else expect(finding).toMatchObject({ severity: 'INFO', confidence: 40, evidence: { threshold } });
  });

  test('also compares the value in the base currency', () => {
    const base = { currency: 'EUR', amount: '4830.11', rate: '0.23', source: 'ECB' } as const;
    const billed = ledger().bill({ gross_amount: '21000.13', currency: 'PLN' }, { base });
    expect(findingIn(billed, 'AMOUNT_BELOW_THRESHOLD')).toMatchObject({
      summary: 'PLN 21,000.13 (EUR 4,830.11) is just under the approval limit of EUR 5,000.00.',
      evidence: { threshold: '5000.00', thresholdCurrency: 'EUR' },
    });
  });

  test('is not raised for a price that was billed before, and where nothing is at stake', () => {
    expect(typesOf(billAll(['4900.13', '4900.13']))).toEqual([]);
    const base = { currency: 'EUR', amount: '12.40', rate: '0.0025', source: 'ECB' } as const;
    expect(typesOf(ledger().bill({ gross_amount: '4900.13', currency: 'HUF' }, { base }))).toEqual([]);
  });
});

describe('SPLIT_BELOW_THRESHOLD', () => {
  /** Bills amounts of one supplier in March, each with its day and optional changes. */
  function split(...bills: readonly (readonly [amount: string, day: number, more?: Bill])[]) {
    const acme = ledger();
    const billed = bills.map(([gross_amount, day, more], index) =>
      acme.bill({
        gross_amount,
        issue_date: `2025-03-${String(day).padStart(2, '0')}`,
        invoice_number: `R${7000 + index * 13}`,
        ...more,
      }),
    );
    return findingIn(billed.at(-1) as Billed, 'SPLIT_BELOW_THRESHOLD');
  }
  const order = (purchase_order_ref: string) => ({ purchase_order_ref });

  test('two bills within a week', () => {
    expect(split(['4600.13', 3], ['4710.17', 10])).toMatchObject({
      severity: 'LOW',
      confidence: 60,
      summary:
        'Acme Supplies Ltd sent 2 invoices within 7 days, each under the approval limit of EUR 5,000.00; together they come to EUR 9,310.30.',
      evidence: { sum: '9310.30', currency: 'EUR', threshold: '5000.00', days: 7 },
      relatedInvoiceIds: [expect.any(String)],
    });
    expect(split(['4600.13', 3], ['4710.17', 11])).toBeUndefined();
  });

  test.each<[string, string, string, boolean]>([
    ['from 90 per cent on', '4500.00', '4710.17', true],
    ['a cent less', '4499.99', '4710.17', false],
    ['at the limit', '5000.00', '4710.17', false],
    ['under different limits', '4710.17', '9300.13', false],
  ])('%s', (_, first, second, isRaised) => {
    expect(split([first, 3], [second, 5]) !== undefined).toBe(isRaised);
  });

  test.each<[string, Bill, Bill, Bill, string, number]>([
    ['with orders of their own', order('PO-4501'), order('PO-4502'), order('PO-4503'), 'MEDIUM', 78],
    ['without orders', {}, {}, {}, 'HIGH', 82],
    ['with one order, a bulk delivery', order('PO-4501'), order('PO-4501'), order('PO-4501'), 'LOW', 78],
    [
      'with consecutive numbers',
      { ...order('PO-4501'), invoice_number: 'R-99' },
      { ...order('PO-4502'), invoice_number: 'R-100' },
      { ...order('PO-4503'), invoice_number: 'R-101' },
      'HIGH',
      82,
    ],
    [
      'with one order and consecutive numbers',
      { ...order('PO-4501'), invoice_number: 'R-99' },
      { ...order('PO-4501'), invoice_number: 'R-100' },
      { ...order('PO-4501'), invoice_number: 'R-101' },
      'MEDIUM',
      82,
    ],
  ])('three bills %s', (_, first, second, third, severity, confidence) => {
    const finding = split(['4600.13', 3, first], ['4710.17', 5, second], ['4830.19', 7, third]);
    expect(finding).toMatchObject({ severity, confidence });
    expect(finding?.evidence['group']).toHaveLength(3);
  });

  test('is INFO for two bills on one order', () => {
    expect(split(['4600.13', 3, order('PO-1')], ['4710.17', 5, order('PO-1')])).toMatchObject({ severity: 'INFO' });
  });

  test('does not count a copy as a part', () => {
    expect(split(['4600.13', 3, { invoice_number: 'R-7001' }], ['4600.13', 3, { invoice_number: 'R-7001 COPY' }])).toBe(
      undefined,
    );
  });

  test('does not add bills in another currency', () => {
    expect(split(['4600.13', 3, { currency: 'USD' }], ['4710.17', 5])).toBeUndefined();
  });

  test('is not raised where the prices of the supplier lie in the band', () => {
    const before = Array.from({ length: 10 }, (_, index) => {
      return ['4800.13', 1, { issue_date: addDays('2024-10-01', index * 9) }] as const;
    });
    expect(split(...before, ['4710.17', 3], ['4805.13', 5])).toBeUndefined();
    expect(split(...before, ['4710.17', 3], ['4805.13', 5], ['4815.13', 6])).toMatchObject({ severity: 'LOW' });
  });

  test('uses the week with more bills when a bill arrives late', () => {
    const finding = split(['4600.13', 1], ['4710.17', 9], ['4720.17', 12], ['4830.19', 7]);
    expect(finding?.evidence['group']).toMatchObject([
      { issueDate: '2025-03-07' },
      { issueDate: '2025-03-09' },
      { issueDate: '2025-03-12' },
    ]);
  });
});

test('AMOUNT_ZERO: nothing is billed', () => {
  const billed = ledger().bill({ gross_amount: '0.00' });
  expect(findingIn(billed, 'AMOUNT_ZERO')).toMatchObject({ severity: 'LOW', confidence: 90 });
  expect(billed.analysis.decision).toBe('PASS');
  expect(typesOf(ledger().bill({ gross_amount: '0.01' }))).toEqual([]);
});

test('credit notes are not compared with amounts or limits', () => {
  for (const amount of ['-10206.00', '-4900.00', '-3000.00']) {
    expect(typesOf(billAll([...AROUND_1000, amount]))).toEqual([]);
  }
});
