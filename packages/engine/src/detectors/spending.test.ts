import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import type { Billed } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

/** Bills the amounts in order, `daysBetween` days apart, and returns the amount finding of each bill. */
function outliersOf(amounts: readonly string[], daysBetween = 20, each: Bill = {}) {
  const acme = ledger();
  return amounts.map((gross_amount, index) =>
    findingIn(
      acme.bill({ ...each, gross_amount, issue_date: addDays('2024-01-08', index * daysBetween) }),
      'AMOUNT_OUTLIER',
    ),
  );
}

describe('a large amount of a supplier with fewer than eight earlier ones', () => {
  test.each<[string, readonly string[], string | undefined]>([
    ['is at least MEDIUM at ten times the largest', ['210.40', '2104.00'], 'MEDIUM'],
    ['counts the largest, not the usual amount', ['90.10', '85.30', '640.20', '5100.70'], undefined],
    ['is HIGH from EUR 10 000 on', ['910.40', '10000.00'], 'HIGH'],
    ['is HIGH at 250 times, after any number of small bills', ['48.10', '51.20', '49.90', '12750.30'], 'HIGH'],
    ['is HIGH after seven', ['48.1', '51.2', '49.9', '50.3', '50.6', '47.7', '52.4', '12750.30'], 'HIGH'],
    ['is nothing below ten times', ['210.40', '2103.90'], undefined],
    ['is nothing where little is at stake: a small first order', ['12.10', '13.20', '1999.99'], undefined],
    ['is nothing for a deposit of a tenth and its final bill', ['500.10', '4500.90'], undefined],
    ['is nothing on the first bill, which other rules judge', ['25000.30'], undefined],
  ])('%s', (_, amounts, severity) => {
    expect(outliersOf(amounts).at(-1)?.severity).toBe(severity);
  });

  test('names the largest earlier amount and how many there were', () => {
    expect(outliersOf(['48.10', '51.20', '49.90', '12750.30']).at(-1)).toMatchObject({
      summary: 'EUR 12,750.30 is 249 times the largest amount that Acme Supplies Ltd billed before, EUR 51.20.',
      evidence: {
        ratio: 249,
        sampleSize: 3,
        explanation: [
          'The largest of 3 earlier invoices of the supplier is for EUR 51.20.',
          'The supplier has sent too few invoices to tell how much its amounts usually vary.',
        ],
      },
    });
  });

  test('is compared with amounts in other currencies too', () => {
    const acme = ledger();
    for (const gross_amount of ['101.10', '99.20']) acme.bill({ gross_amount });
    const options = { ratesPerEuro: { SEK: '11.5' }, base: null };
    const billed = (gross_amount: string): Billed => acme.bill({ gross_amount, currency: 'SEK' }, options);
    // SEK 24000 are EUR 2086.96, and ten times EUR 101.10 are SEK 11626.50.
    expect(findingIn(billed('2400.00'), 'AMOUNT_OUTLIER')).toBeUndefined();
    expect(findingIn(billed('24000.00'), 'AMOUNT_OUTLIER')?.severity).toBe('MEDIUM');
    expect(findingIn(billed('2300.00'), 'AMOUNT_OUTLIER')).toBeUndefined();
  });

  test('is compared at rates of more than six decimals, as fixed parities give them', () => {
    const acme = ledger();
    const options = { ratesPerEuro: { USD: '1.1321', AED: '4.15763725' }, base: null };
    const largest = '999999999999999.99';
    acme.bill({ gross_amount: '101.10', currency: 'AED' }, options);
    const finding = findingIn(acme.bill({ gross_amount: largest, currency: 'USD' }, options), 'AMOUNT_OUTLIER');
    expect(finding?.summary).toMatch(
      /^USD 999,999,999,999,999\.99 is [0-9,.]+ times the largest amount that Acme Supplies Ltd billed before, AED 101\.10\.$/,
    );
    expect(() => acme.bill({ gross_amount: largest, currency: 'AED' }, options)).not.toThrow();
  });

  test('is measured in euros', () => {
    const acme = ledger();
    const options = { ratesPerEuro: { SEK: '11.5' }, base: null };
    acme.bill({ gross_amount: '500.00', currency: 'SEK' }, options);
    expect(
      findingIn(acme.bill({ gross_amount: '22999.00', currency: 'SEK' }, options), 'AMOUNT_OUTLIER'),
    ).toBeUndefined();
  });

  test('is asked about once below EUR 10 000', () => {
    const severities = outliersOf(['48.10', '51.20', '2100.30', '2150.30', '1980.10']);
    expect(severities.map((finding) => finding?.severity)).toEqual([
      undefined,
      undefined,
      'MEDIUM',
      undefined,
      undefined,
    ]);
  });

  test('of EUR 10 000 or more stays unusual on the next bills, until a person has answered', () => {
    const severities = outliersOf(['48.10', '51.20', '12750.30', '12780.30', '12790.10', '12810.70', '12850.00']);
    expect(severities.map((finding) => finding?.severity)).toEqual([
      undefined,
      undefined,
      'HIGH',
      'HIGH',
      'HIGH',
      'HIGH',
      'HIGH',
    ]);
  });
});

describe('amounts that rise step by step', () => {
  const doubling = (count: number, start = 100): string[] =>
    Array.from({ length: count }, (_, step) => `${start * 2 ** step}.10`);

  test('are asked about from ten times the first ones on, with every further step', () => {
    expect(outliersOf(doubling(10)).map((finding) => finding?.severity)).toEqual([
      // The amounts 100 to 1600 raise no finding.
      ...Array.from({ length: 5 }, () => undefined),
      // The amounts 3200 and 6400 raise a finding of severity MEDIUM.
      'MEDIUM',
      'MEDIUM',
      // The amounts 12800 to 51200 raise a finding of severity HIGH.
      'HIGH',
      'HIGH',
      'HIGH',
    ]);
  });

  test('are found in smaller steps, and with other bills between', () => {
    for (const [step, bills] of [
      [1.3, 12],
      [1.1, 30],
    ] as const) {
      const slowly = Array.from({ length: bills }, (_, index) => (300 * step ** index).toFixed(2));
      expect(outliersOf(slowly).at(-1)?.severity).toBe('MEDIUM');
    }
    const between = doubling(7).flatMap((amount) => [amount, '95.20']);
    expect(outliersOf([...between, '12800.90']).at(-1)?.severity).toBe('HIGH');
  });

  test('names the first amounts and the steps', () => {
    expect(outliersOf(doubling(6)).at(-1)).toMatchObject({
      summary:
        'EUR 3,200.10 is 15.9 times the EUR 200.10 that Acme Supplies Ltd billed at first; its amounts have risen step by step.',
      evidence: {
        explanation: [
          '5 of the last 5 invoices were each the largest of the supplier so far.',
          'The largest earlier amount of the supplier is EUR 1,600.10.',
        ],
      },
    });
  });

  test.each<[string, readonly string[]]>([
    [
      'a business that grows to five times its first orders',
      ['600.1', '900.2', '1300.3', '1800.4', '2400.5', '3100.6'],
    ],
    ['a price list with a wide spread', ['2900.4', '120.1', '4800.2', '950.3', '310.5', '5100.6', '130.7', '5300.8']],
    ['little money', doubling(5)],
    ['a large order between small ones', ['300.1', '320.2', '310.3', '900.4', '330.5', '325.6', '2900.7']],
  ])('are not: %s', (_, amounts) => {
    expect(outliersOf(amounts).every((finding) => finding === undefined)).toBe(true);
  });
});

describe('many bills within a short time', () => {
  const weekly = Array.from({ length: 24 }, (_, week) => `${900 + ((week * 37) % 90)}.10`);

  /** Bills once a week for five months, then the given amount every day. */
  function thenDaily(amount: (day: number) => string, days: number) {
    const acme = ledger();
    weekly.forEach((gross_amount, week) =>
      acme.bill({ gross_amount, issue_date: addDays('2024-01-08', week * 7), purchase_order_ref: `PO-${7100 + week}` }),
    );
    return Array.from({ length: days }, (_, day) =>
      findingIn(
        acme.bill({
          gross_amount: amount(day),
          issue_date: addDays('2024-07-01', day),
          purchase_order_ref: `PO-${9100 + day * 7}`,
        }),
        'AMOUNT_OUTLIER',
      ),
    );
  }

  test('are asked about from three times the most of any earlier month on, although each is only twice the usual', () => {
    const findings = thenDaily((day) => `${1880 + day * 3}.20`, 28);
    const first = findings.findIndex((finding) => finding !== undefined);
    expect(first).toBeGreaterThan(3);
    expect(findings[first]).toMatchObject({
      severity: 'HIGH',
      summary: expect.stringMatching(
        /^Acme Supplies Ltd billed EUR [\d,]+\.\d\d on \d+ invoices within 30 days, 3(\.\d)? times as much as in any earlier 30 days\.$/,
      ) as unknown,
      recommendedAction:
        'Check the quantity and the price on the invoice, and its purchase order; compare the invoices of these 30 days with contracts and deliveries.',
    });
    // Bills that wait for a review do not count, so that the other bills stay below three times the largest sum.
    const passed = findings.filter((finding) => finding === undefined).length;
    expect(passed * 1880).toBeLessThan(3 * 5 * 990);
  });

  test('are not: ordinary rows of a file around one row that is many times too high and has its own finding', () => {
    const acme = ledger();
    const row = (gross_amount: string, issue_date: string): string | undefined =>
      findingIn(
        acme.bill(
          { gross_amount, issue_date, purchase_order_ref: `PO-${issue_date}` },
          { origin: { source: 'SCAN', scanId: 'scan-1' } },
        ),
        'AMOUNT_OUTLIER',
      )?.summary;
    weekly.forEach((amount, week) => row(amount, addDays('2024-01-08', week * 7)));
    expect(row('38400.10', '2024-07-01')).toMatch(/38,400\.10/);
    const ordinary = [2, 5, 9, 12, 16, 20].map((day) => row(`${940 + day}.30`, addDays('2024-07-01', day)));
    expect(ordinary).toEqual(ordinary.map(() => undefined));
    // Many rows whose amounts are too high together raise a finding, whether or not one of them is far higher.
    const many = [21, 22, 23, 24, 25, 26, 27, 28].map((day) => row(`${1900 + day}.30`, addDays('2024-07-01', day)));
    expect(many.some((summary) => summary?.includes('within 30 days'))).toBe(true);
  });

  test('are not: a busy month, and many small bills', () => {
    expect(thenDaily((day) => `${930 + day * 3}.20`, 9).every((finding) => finding === undefined)).toBe(true);
    expect(thenDaily((day) => `${40 + day}.20`, 25).every((finding) => finding === undefined)).toBe(true);
  });
});
