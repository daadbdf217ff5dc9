import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import type { Billed } from '../testing/in-memory-history.js';
import { findingIn, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const typesOf = typesIn('DATE');
const asOf = '2025-06-15';

const billOn = (issue_date: string, changes: Bill = {}): Billed => ledger().bill({ issue_date, ...changes }, { asOf });

describe('ISSUE_DATE_FUTURE', () => {
  test.each([
    ['today', '2025-06-15', undefined],
    ['tomorrow, which it is already in the east', '2025-06-16', undefined],
    ['in two days', '2025-06-17', 'LOW'],
    ['in seven days', '2025-06-22', 'LOW'],
    ['in eight days', '2025-06-23', 'MEDIUM'],
  ])('dated %s', (_, issue_date, severity) => {
    expect(findingIn(billOn(issue_date), 'ISSUE_DATE_FUTURE')?.severity).toBe(severity);
  });

  test('offers the date with day and month exchanged, when that is a recent day', () => {
    expect(findingIn(billOn('2025-12-03'), 'ISSUE_DATE_FUTURE')).toMatchObject({
      confidence: 95,
      summary: 'Q7919 is dated 2025-12-03, 171 days in the future.',
      recommendedAction: 'Reject the invoice, or correct its issue date to 2025-03-12 if day and month are swapped.',
      evidence: { daysAhead: 171, swappedCandidate: '2025-03-12' },
    });
    for (const unswappable of ['2025-12-13', '2025-12-12', '2025-10-11', '2027-12-03']) {
      expect(findingIn(billOn(unswappable), 'ISSUE_DATE_FUTURE')).toMatchObject({
        recommendedAction: 'Reject the invoice, or correct its issue date to the day on which it was issued.',
        evidence: { swappedCandidate: null },
      });
    }
  });
});

describe('ISSUE_DATE_STALE', () => {
  test.each([
    ['365 days ago', addDays(asOf, -365), undefined],
    ['366 days ago', addDays(asOf, -366), 'LOW'],
    ['five years ago', addDays(asOf, -1826), 'LOW'],
    ['more than five years ago', addDays(asOf, -1827), 'MEDIUM'],
  ])('dated %s', (_, issue_date, severity) => {
    expect(findingIn(billOn(issue_date), 'ISSUE_DATE_STALE')?.severity).toBe(severity);
  });

  test('is not raised for rows of a scan and bills of the ERP', () => {
    for (const source of ['SCAN', 'ERP'] as const) {
      expect(typesOf(ledger().bill({ issue_date: '2019-01-01' }, { asOf, origin: { source } }))).toEqual([]);
    }
    const upload = ledger().bill({ issue_date: '2019-01-01' }, { asOf, origin: { source: 'UPLOAD' } });
    expect(typesOf(upload)).toEqual(['ISSUE_DATE_STALE']);
  });
});

describe('DUE_DATE_BEFORE_ISSUE', () => {
  test.each([
    ['a day before', '2025-06-09', true],
    ['on the same day', '2025-06-10', false],
  ])('due %s', (_, due_date, isRaised) => {
    const finding = findingIn(billOn('2025-06-10', { due_date }), 'DUE_DATE_BEFORE_ISSUE');
    if (isRaised) expect(finding).toMatchObject({ severity: 'MEDIUM', confidence: 95, evidence: { days: 1 } });
    else expect(finding).toBeUndefined();
  });

  test('is not raised for a credit note, which repeats the due date of its invoice', () => {
    expect(typesOf(billOn('2025-06-10', { due_date: '2025-05-10', gross_amount: '-100.00' }))).toEqual([]);
  });

  test('is LOW for a supplier who is usually paid in advance', () => {
    const acme = ledger();
    const prepaid = (day: number): Billed =>
      acme.bill({ issue_date: `2025-05-${day}`, due_date: `2025-05-${day - 5}` }, { asOf });
    for (const day of [15, 17, 19]) {
      expect(findingIn(prepaid(day), 'DUE_DATE_BEFORE_ISSUE')?.severity).toBe('MEDIUM');
    }
    expect(findingIn(prepaid(21), 'DUE_DATE_BEFORE_ISSUE')?.severity).toBe('LOW');
  });
});

describe('PAYMENT_TERMS_CHANGED', () => {
  /**
   * Bills a supplier with these payment terms in days, then once with other terms, and returns the last bill's finding.
   */
  function after(terms: readonly number[], newDays: number, changes: Bill = {}) {
    const acme = ledger();
    let issue_date = '2025-01-01';
    for (const days of terms) {
      issue_date = addDays(issue_date, 7);
      acme.bill({ issue_date, due_date: addDays(issue_date, days) }, { asOf });
    }
    issue_date = addDays(issue_date, 7);
    return acme.bill({ issue_date, due_date: addDays(issue_date, newDays), ...changes }, { asOf });
  }
  const found = (terms: readonly number[], newDays: number) =>
    findingIn(after(terms, newDays), 'PAYMENT_TERMS_CHANGED');
  const usual = (days: number, count = 4): number[] => Array.from({ length: count }, () => days);

  test.each([
    ['30 to 17 days', 30, 17, undefined],
    ['30 to 16 days', 30, 16, 'LOW'],
    ['30 to 4 days', 30, 4, 'LOW'],
    ['30 to 3 days', 30, 3, 'MEDIUM'],
    ['30 to no day', 30, 0, 'MEDIUM'],
    ['29 to 3 days', 29, 3, 'LOW'],
    ['14 to 8 days', 14, 8, undefined],
    ['14 to 7 days', 14, 7, 'LOW'],
    ['longer terms', 14, 60, undefined],
  ])('from %s', (_, usualDays, newDays, severity) => {
    expect(found(usual(usualDays), newDays)?.severity).toBe(severity);
  });

  test('shows both terms', () => {
    expect(found(usual(30), 10)).toMatchObject({
      confidence: 75,
      summary: 'Acme Supplies Ltd asks for payment in 10 days instead of in 30 days.',
      evidence: { usualDays: 30, newDays: 10 },
    });
  });

  test('needs four terms of which three in five are the same', () => {
    expect(found(usual(30, 3), 10)).toBeUndefined();
    expect(found([...usual(30, 3), 45, 60], 10)).toBeDefined();
    expect(found([...usual(30, 3), 45, 60, 50], 10)).toBeUndefined();
  });

  test('is not raised for terms that were used twice before, such as a discount', () => {
    expect(found([...usual(30, 6), 10], 10)).toBeDefined();
    expect(found([...usual(30, 6), 10, 8], 10)).toBeUndefined();
  });

  test('is not raised for a due date before the issue date or a credit note', () => {
    expect(typesOf(after(usual(30), -1))).toEqual(['DUE_DATE_BEFORE_ISSUE']);
    expect(typesOf(after(usual(30), 0, { gross_amount: '-100.00' }))).toEqual([]);
  });
});

describe('ISSUE_DATE_WEEKEND', () => {
  const SATURDAY = '2025-06-14';
  const SUNDAY = '2025-06-08';
  const FRIDAY = '2025-06-13';
  /** Bills a supplier on Wednesdays, on the given number of Saturdays, and on one more day. */
  function after(bills: number, ofSaturdays: number, issue_date: string, tax_id = 'DE136695976') {
    const acme = ledger();
    const by = { name: 'Acme', tax_id };
    for (let index = 0; index < bills; index += 1) {
      acme.bill({ by, issue_date: addDays('2024-06-05', index * 7 + (index < ofSaturdays ? 3 : 0)) }, { asOf });
    }
    return findingIn(acme.bill({ by, issue_date }, { asOf }), 'ISSUE_DATE_WEEKEND');
  }

  test.each([
    [SATURDAY, 'Saturday'],
    [SUNDAY, 'Sunday'],
    [FRIDAY, undefined],
  ])('%s', (issue_date, weekday) => {
    const finding = after(20, 0, issue_date);
    expect(finding?.evidence['weekday']).toBe(weekday);
    if (weekday !== undefined) expect(finding).toMatchObject({ severity: 'INFO', confidence: 40 });
  });

  test('means Friday and Saturday in the Gulf', () => {
    expect(after(20, 0, FRIDAY, 'SA300000000000003')?.evidence['weekday']).toBe('Friday');
    expect(after(20, 0, SUNDAY, 'SA300000000000003')).toBeUndefined();
  });

  test('needs twenty bills, of which less than two in a hundred are of weekends', () => {
    expect(after(19, 0, SATURDAY)).toBeUndefined();
    expect(after(20, 1, SATURDAY)).toBeUndefined();
    expect(after(50, 1, SATURDAY)).toBeUndefined();
    expect(after(51, 1, SATURDAY)).toBeDefined();
  });

  test('is not raised for the last day of a month', () => {
    expect(after(20, 0, '2025-05-31')).toBeUndefined();
  });
});
