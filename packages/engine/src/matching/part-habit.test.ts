import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import type { Billed, BillOptions } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const duplicatesOf = typesIn('DUP');
const FEE = '707.30';

/**
 * Creates a bill for each month, dated on the fifth. With `withSecond`, each month has a second bill under the same
 * invoice number with -2.
 */
function monthly(months: number, { withSecond }: { readonly withSecond: boolean }) {
  const acme = ledger();
  for (let month = 1; month <= months; month += 1) {
    const name = `2025-${String(month).padStart(2, '0')}`;
    const number = `5117/${name}`;
    acme.bill({ invoice_number: number, issue_date: `${name}-05`, gross_amount: FEE });
    if (withSecond) acme.bill({ invoice_number: `${number}-2`, issue_date: `${name}-20`, gross_amount: FEE });
  }
  return acme;
}

describe('a digit behind a number', () => {
  test('is that of the second bill of the month, from the first month on and in each', () => {
    const acme = ledger();
    for (let month = 1; month <= 12; month += 1) {
      const name = `2025-${String(month).padStart(2, '0')}`;
      for (const [number, day] of [
        [`5117/${name}`, '05'],
        [`5117/${name}-2`, '20'],
      ] as const) {
        const billed = acme.bill({ invoice_number: number, issue_date: `${name}-${day}`, gross_amount: FEE });
        expect(duplicatesOf(billed)).toEqual([]);
      }
    }
  });

  test.each<[string, boolean, Bill]>([
    ['on the day of the bill', true, { invoice_number: '5117/2025-07-2', issue_date: '2025-07-05' }],
    ['some days after the bill', true, { invoice_number: '5117/2025-07-2', issue_date: '2025-07-09' }],
    [
      'from a supplier that never sends a second bill',
      false,
      { invoice_number: '5117/2025-07-2', issue_date: '2025-07-20' },
    ],
    ['as a letter', true, { invoice_number: '5117/2025-07-A', issue_date: '2025-07-20' }],
  ])('marks a copy %s', (_, withSecond, copy) => {
    const acme = monthly(7, { withSecond: false });
    const other = monthly(6, { withSecond: true });
    other.bill({ invoice_number: '5117/2025-07', issue_date: '2025-07-05', gross_amount: FEE });
    const billed = (withSecond ? other : acme).bill({ ...copy, gross_amount: FEE });
    expect(findingIn(billed, 'SUSPECTED_DUPLICATE')).toMatchObject({ severity: 'HIGH' });
  });

  test('marks a copy of a number without a month over an amount that does not recur, whatever the supplier did before', () => {
    const acme = ledger();
    for (const [index, number] of ['4101', '4117', '4139'].entries()) {
      acme.bill({
        invoice_number: number,
        issue_date: `2025-0${index + 1}-03`,
        gross_amount: `${900 + index * 31}.00`,
      });
      acme.bill({
        invoice_number: `${number}-2`,
        issue_date: `2025-0${index + 1}-18`,
        gross_amount: `${40 + index}.00`,
      });
    }
    acme.bill({ invoice_number: '4156', issue_date: '2025-04-03', gross_amount: '1374.23' });
    const copy = acme.bill({ invoice_number: '4156-2', issue_date: '2025-04-18', gross_amount: '1374.23' });
    expect(findingIn(copy, 'SUSPECTED_DUPLICATE')).toMatchObject({ severity: 'HIGH' });
  });

  test('counts deliveries at one price where the supplier has sent such numbers before', () => {
    const acme = ledger();
    for (const [index, number] of ['4101', '4117', '4139'].entries()) {
      acme.bill({ invoice_number: number, issue_date: `2025-0${index + 1}-03`, gross_amount: FEE });
      acme.bill({
        invoice_number: `${number}-2`,
        issue_date: `2025-0${index + 1}-18`,
        gross_amount: `${40 + index}.00`,
      });
    }
    acme.bill({ invoice_number: '4156', issue_date: '2025-04-03', gross_amount: FEE });
    expect(duplicatesOf(acme.bill({ invoice_number: '4156-2', issue_date: '2025-04-18', gross_amount: FEE }))).toEqual(
      [],
    );
  });

  describe('within days of the bill it counts on from', () => {
    const shifts = (acme: ReturnType<typeof ledger>, week: number, options?: BillOptions): Billed => {
      const shift = { issue_date: addDays('2025-01-03', week * 7), gross_amount: FEE };
      acme.bill({ ...shift, invoice_number: `2025W${10 + week}` }, options);
      return acme.bill({ ...shift, invoice_number: `2025W${10 + week}/2` }, options);
    };
    const ofScan = (row: number): BillOptions => ({
      origin: { source: 'SCAN', scanId: '0192a000-0000-7000-8000-00000000d001', rowNo: row, position: row },
    });

    test('is that of the second shift, once two people have dismissed the question about it', () => {
      const acme = ledger();
      for (let week = 0; week < 4; week += 1) {
        const billed = shifts(acme, week);
        if (week < 2) continue;
        expect(findingIn(billed, 'SUSPECTED_DUPLICATE')).toMatchObject({ severity: 'HIGH' });
        acme.dismiss(billed, { reviewer: `person-${week}` });
      }
      expect(duplicatesOf(shifts(acme, 4))).toEqual([]);
    });

    test('marks a copy as long as nobody has answered', () => {
      const acme = ledger();
      for (let week = 0; week < 6; week += 1) {
        const billed = shifts(acme, week);
        expect(findingIn(billed, 'SUSPECTED_DUPLICATE')).toMatchObject({ severity: 'HIGH' });
      }
    });

    test('is asked about three times in one scan, and not for amounts that do not recur', () => {
      const acme = ledger();
      const found = Array.from({ length: 6 }, (_, week) => duplicatesOf(shifts(acme, week, ofScan(week))).length);
      expect(found).toEqual([1, 1, 1, 0, 0, 0]);
      const once = { issue_date: '2025-02-20', gross_amount: '1377.12' };
      acme.bill({ ...once, invoice_number: '2025W41' }, ofScan(20));
      const copy = acme.bill({ ...once, invoice_number: '2025W41/2' }, ofScan(21));
      expect(findingIn(copy, 'SUSPECTED_DUPLICATE')).toMatchObject({ severity: 'HIGH' });
    });

    test('marks a copy again once a person has confirmed one', () => {
      const acme = ledger();
      const [first] = Array.from({ length: 4 }, (_, week) => shifts(acme, week, ofScan(week)));
      acme.amend(first?.facts.invoice.invoiceId ?? '', { confirmedAs: 'DUPLICATE' });
      expect(duplicatesOf(shifts(acme, 5, ofScan(5)))).toEqual(['SUSPECTED_DUPLICATE']);
    });
  });
});
