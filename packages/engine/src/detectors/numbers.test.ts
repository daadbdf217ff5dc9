import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { typesIn } from '../testing/in-memory-history.js';
import { findingIn, ibanOf, ledger } from '../testing/ledger.js';
import type { Bill } from '../testing/ledger.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_BANK = ibanOf('DE', '500105175407324931');

const typesOf = typesIn('NUM');

/** Creates a supplier whose bills have these numbers, ten days apart. */
function numbered(numbers: readonly string[], one: Bill = {}) {
  const acme = ledger();
  const dayOf = (index: number): string => addDays('2025-02-01', index * 10);
  for (const [index, invoice_number] of numbers.entries()) {
    acme.bill({ invoice_number, issue_date: dayOf(index), ...one });
  }
  const next = (bill: Bill) => acme.bill({ issue_date: dayOf(numbers.length), ...one, ...bill });
  return { ...acme, next };
}

const listOf = (count: number, numberAt: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => numberAt(index));
/** Numbers that rise by 7 or 9, like those of a supplier with other customers. */
const rising = (count: number): string[] => listOf(count, (index) => `A${1000 + index * 8 + (index % 2)}`);

describe('INVOICE_NUMBER_FORMAT_CHANGED', () => {
  test('is LOW when a supplier with one pattern uses another', () => {
    expect(
      findingIn(numbered(rising(8)).next({ invoice_number: '2025/1064' }), 'INVOICE_NUMBER_FORMAT_CHANGED'),
    ).toMatchObject({
      severity: 'LOW',
      confidence: 65,
      evidence: { usualPattern: 'A9', pattern: '9/9' },
    });
  });
  test('is MEDIUM when the account is new too', () => {
    const billed = numbered(rising(8), { account: HOME }).next({ invoice_number: '2025/1064', account: OTHER_BANK });
    expect(findingIn(billed, 'INVOICE_NUMBER_FORMAT_CHANGED')).toMatchObject({ severity: 'MEDIUM', confidence: 65 });
  });
  test('is learned after three invoices', () => {
    const withNew = (count: number) =>
      numbered([...rising(30), ...listOf(count, (index) => `2025/${2000 + index * 9}`)]);
    expect(typesOf(withNew(2).next({ invoice_number: '2025/2090' }))).toContain('INVOICE_NUMBER_FORMAT_CHANGED');
    expect(typesOf(withNew(3).next({ invoice_number: '2025/2090' }))).not.toContain('INVOICE_NUMBER_FORMAT_CHANGED');
  });
  test.each<[string, readonly string[], Bill]>([
    ['a supplier of seven invoices', rising(7), { invoice_number: '2025/1064' }],
    ['a supplier with a second pattern on more than a tenth', [...rising(8), 'B/1'], { invoice_number: '2025/1064' }],
    ['a credit note', rising(8), { invoice_number: 'CN-1032', gross_amount: '-1000.00' }],
    ['another letter and more digits', rising(8), { invoice_number: 'B100640' }],
  ])('is not raised for %s', (_, numbers, bill) => {
    expect(typesOf(numbered(numbers).next(bill))).not.toContain('INVOICE_NUMBER_FORMAT_CHANGED');
  });
});

describe('INVOICE_NUMBER_OUT_OF_SEQUENCE', () => {
  const TYPE = 'INVOICE_NUMBER_OUT_OF_SEQUENCE';
  // The steps are 7 and 9, ten days apart. The ninth number should be near 1064, and 30 days earlier the supplier had
  // reached 1041.
  test('is LOW for a number below the highest of a month ago', () => {
    expect(findingIn(numbered(rising(8)).next({ invoice_number: 'A1040' }), TYPE)).toMatchObject({
      severity: 'LOW',
      confidence: 55,
      evidence: { value: 1040, expectedRange: { from: 1041 } },
    });
    expect(typesOf(numbered(rising(8)).next({ invoice_number: 'A1042' }))).toEqual([]);
  });
  test('is LOW for a jump of more than twenty usual steps', () => {
    // The median step between these invoice numbers is 9, and the last number is 1057.
    expect(findingIn(numbered(rising(8)).next({ invoice_number: `A${1057 + 181}` }), TYPE)).toMatchObject({
      evidence: { expectedRange: { to: 1237 } },
    });
    expect(typesOf(numbered(rising(8)).next({ invoice_number: `A${1057 + 180}` }))).toEqual([]);
  });
  test('allows more after a pause', () => {
    const acme = numbered(rising(8));
    expect(typesOf(acme.next({ invoice_number: 'A1400', issue_date: '2025-06-12' }))).toEqual([]);
  });
  test('ignores the number of a credit note and one that is late', () => {
    const acme = ledger();
    const bill = (invoice_number: string, index: number, more: Bill = {}) =>
      acme.bill({ invoice_number, issue_date: addDays('2025-02-01', index * 10), ...more });
    for (const [index, number] of rising(14).entries()) bill(index === 5 ? 'A1011' : number, index);
    bill('GS-3', 14, { gross_amount: '-20.00' });
    expect(findingIn(bill('A1080', 15), TYPE)?.evidence.explanation).toContain(
      '13 of the last 14 invoices of the supplier have numbers that rise from one to the next.',
    );
  });
  test.each<[string, readonly string[], string]>([
    ['far above, as the last one', [...rising(8), 'A90000'], 'A1040'],
    ['far above, among others', [...rising(4), 'A90000', ...rising(9).slice(4)], 'A1030'],
    ['far above, before a jump', [...rising(8), 'A90000'], 'A5000'],
    ['far below, as the last one', [...rising(8), 'A3'], 'A5000'],
    ['far below, among others', [...rising(4), 'A3', ...rising(9).slice(4)], 'A5000'],
  ])('is raised after one odd number %s', (_, numbers, number) => {
    expect(typesOf(numbered(numbers).next({ invoice_number: number }))).toContain(TYPE);
  });
  test('is not raised for the usual next number after an odd one, however long ago, nor for the next after a move', () => {
    const after = (numbers: readonly string[], changes: Bill) => typesOf(numbered(numbers).next(changes));
    expect(after([...rising(8), 'A90000'], { invoice_number: 'A1071' })).not.toContain(TYPE);
    expect(after([...rising(8), 'A90000'], { invoice_number: 'A1071', issue_date: '2025-07-20' })).not.toContain(TYPE);
    expect(after([...rising(8), 'A90000'], { invoice_number: 'A90009' })).not.toContain(TYPE);
    expect(after([...rising(8), 'A90000', 'A90009'], { invoice_number: 'A90021' })).not.toContain(TYPE);
  });
  test('reads a serial that equals the two-digit year, the month or the day as a serial', () => {
    const bills = listOf(9, (index) => `2025.${String(8 + index * 2).padStart(4, '0')}`);
    expect(typesOf(numbered(bills).next({ invoice_number: '2025.0025' }))).not.toContain(TYPE);
    expect(typesOf(numbered(bills).next({ invoice_number: '2025.0003', issue_date: '2025-05-03' }))).toContain(TYPE);
    const later = listOf(9, (index) => `2025/${40 + index * 2}`);
    expect(typesOf(numbered(later).next({ invoice_number: '2025/25', issue_date: '2025-05-03' }))).toContain(TYPE);
  });
  test('is not raised while a restarted series is below its former highest number', () => {
    expect(typesOf(numbered([...rising(12), 'A3']).next({ invoice_number: 'A9' }))).not.toContain(TYPE);
  });
  test.each<[string, readonly string[], Bill]>([
    ['seven invoices', rising(7), { invoice_number: 'A9' }],
    ['a new year', rising(8), { invoice_number: 'A1', issue_date: '2026-01-07' }],
    ['a supplier that has started again before', ['A90', 'A95', ...rising(8), 'A3', 'A8'], { invoice_number: 'A2' }],
    ['a supplier that has jumped before', [...rising(8), 'A9000', 'A9008'], { invoice_number: 'A30000' }],
    ['a number behind year and month', listOf(9, (index) => `202502${10 + index * 3}`), { invoice_number: '20250501' }],
    ['a month in last place', listOf(9, (index) => `${900 - index * 9}/05`), { invoice_number: '100/2025' }],
    ['a credit note', rising(8), { invoice_number: 'A2', gross_amount: '-5.00' }],
    ['no digits', rising(8), { invoice_number: 'A' }],
  ])('is not raised for %s', (_, numbers, bill) => {
    expect(typesOf(numbered(numbers).next(bill))).not.toContain(TYPE);
  });
});

describe('INVOICE_NUMBERS_CONSECUTIVE', () => {
  const TYPE = 'INVOICE_NUMBERS_CONSECUTIVE';
  /**
   * Creates a supplier with an old bill and six later bills without a gap in the invoice numbers, `daysApart` days
   * apart.
   */
  function unbroken(daysApart: number, by: Bill['by'] = { name: 'Acme', tax_id: 'DE136695976' }, first = '2024-01-10') {
    const acme = ledger();
    acme.bill({ by, invoice_number: 'A3', issue_date: first });
    for (let index = 0; index < 5; index += 1) {
      acme.bill({ by, invoice_number: `A${700 + index}`, issue_date: addDays('2025-02-01', index * daysApart) });
    }
    return (changes: Bill = {}) =>
      acme.bill({ by, invoice_number: 'A705', issue_date: addDays('2025-02-01', 5 * daysApart), ...changes });
  }

  test('is LOW for six consecutive numbers over two months', () => {
    expect(findingIn(unbroken(12)(), TYPE)).toMatchObject({
      severity: 'LOW',
      confidence: 60,
      evidence: { numbers: ['700', '701', '702', '703', '704', '705'] },
    });
  });
  test.each<[string, Bill['by'], string]>([
    ['without a tax id', { name: 'Acme' }, '2024-01-10'],
    ['of a supplier that is new', { name: 'Acme', tax_id: 'DE136695976' }, '2024-12-01'],
  ])('is MEDIUM %s, if the invoices add up to 10,000 euros', (_, by, first) => {
    const next = (gross_amount: string, more: Bill = {}) =>
      findingIn(unbroken(12, by, first)({ gross_amount, ...more }), TYPE)?.severity;
    expect(next('6000.00')).toBe('MEDIUM');
    expect(next('3000.00')).toBe('LOW');
    expect(next('6000.00', { currency: 'MNT' })).toBe('LOW');
  });
  test('is not raised over fewer than sixty days and after a gap', () => {
    expect(typesOf(unbroken(11)())).not.toContain(TYPE);
    expect(typesOf(unbroken(12)({ invoice_number: 'A706' }))).not.toContain(TYPE);
  });
  test('is raised once, with or without a tax id, and not again for another series or a copy', () => {
    for (const by of [{ name: 'Acme', tax_id: 'DE136695976' }, { name: 'Acme' }]) {
      const acme = ledger();
      const raised = (first: number, count: number, from: string): number =>
        listOf(count, (index) => `A${first + index}`)
          .map((invoice_number, index) => acme.bill({ by, invoice_number, issue_date: addDays(from, index * 15) }))
          .filter((billed) => findingIn(billed, TYPE) !== undefined).length;
      expect(raised(700, 40, '2023-02-01')).toBe(1);
      expect(raised(739, 8, '2025-01-10')).toBe(0);
      expect(raised(900, 12, '2025-08-01')).toBe(0);
    }
  });
  test('is not raised for fewer than six earlier invoices', () => {
    const acme = numbered(listOf(5, (index) => `A${700 + index}`));
    expect(typesOf(acme.next({ invoice_number: 'A705', issue_date: '2025-06-01' }))).not.toContain(TYPE);
  });
  test('is not raised for numbers that are counted per customer or name the month', () => {
    const perCustomer = numbered(listOf(7, (index) => `48213-${700 + index}`));
    expect(typesOf(perCustomer.next({ invoice_number: '48213-707' }))).not.toContain(TYPE);
    const monthly = ledger();
    for (let month = 1; month <= 7; month += 1) {
      monthly.bill({ invoice_number: `R-20250${month}`, issue_date: `2025-0${month}-15` });
    }
    expect(typesOf(monthly.bill({ invoice_number: 'R-202508', issue_date: '2025-08-15' }))).not.toContain(TYPE);
  });
});
