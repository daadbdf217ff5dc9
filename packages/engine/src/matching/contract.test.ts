import { describe, expect, test } from '@jest/globals';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '../testing/in-memory-history.js';
import type { Billed } from '../testing/in-memory-history.js';

const typesOf = ({ analysis }: Billed): string[] => analysis.findings.map(({ type }) => type);

const bill = (issue_date: string, changes: object = {}) =>
  invoiceOf({ invoice_number: 'V-770123', issue_date, gross_amount: '585.08', ...changes });

describe('a contract number where the invoice number belongs', () => {
  test('is reviewed once, on the second bill, and never reported as a duplicate', () => {
    const history = inMemoryHistory();
    const dates = ['2025-01-01', '2025-02-01', '2025-03-01', '2025-04-01'];
    const [first, second, ...later] = dates.map((date) => history.bill(bill(date)));
    expect(first && typesOf(first)).not.toContain('INVOICE_NUMBER_REUSED');
    expect(second && typesOf(second)).toContain('INVOICE_NUMBER_REUSED');
    expect(second?.analysis.decision).toBe('REVIEW');
    for (const month of later) expect(month.analysis.decision).toBe('PASS');
    for (const month of [second, ...later]) expect(month && typesOf(month)).not.toContain('SUSPECTED_DUPLICATE');
  });

  test('is a duplicate, even a month later, where the supplier numbers its bills', () => {
    const history = inMemoryHistory();
    history.bill(bill('2024-12-01', { invoice_number: 'V-770050', gross_amount: '91.17' }));
    history.bill(bill('2025-01-01'));
    expect(typesOf(history.bill(bill('2025-02-01')))).toContain('SUSPECTED_DUPLICATE');
  });

  const received = (date: string) => ({ asOf: date, origin: { receivedAtMs: Date.parse(date) } });

  test('of a membership is a contract when each bill was received in its own year', () => {
    const history = inMemoryHistory();
    for (const date of ['2022-06-01', '2023-01-20'])
      history.bill(bill(date, { invoice_number: `R-${date}` }), received(date));
    history.bill(bill('2024-01-22'), received('2024-01-25'));
    expect(typesOf(history.bill(bill('2025-01-20'), received('2025-01-24')))).not.toContain('SUSPECTED_DUPLICATE');
  });

  test('that was used twice within weeks with another year is a duplicate with the year mistyped', () => {
    const history = inMemoryHistory();
    history.bill(bill('2025-01-20'), received('2025-01-24'));
    expect(typesOf(history.bill(bill('2026-01-20'), received('2025-02-03')))).toContain('SUSPECTED_DUPLICATE');
  });

  test('of a membership is a contract from the third year on, once a person has dismissed the question about the second', () => {
    const history = inMemoryHistory();
    const [first, second] = ['2023-01-20', '2024-01-22'].map((date) => history.bill(bill(date)));
    if (first === undefined || second === undefined) throw new Error('nothing billed');
    expect(typesOf(second)).toContain('SUSPECTED_DUPLICATE');
    history.dismiss(second);
    expect(history.bill(bill('2025-01-20')).analysis.decision).toBe('PASS');
  });

  test('is not made of copies that wait for a person, however regular their dates', () => {
    const history = inMemoryHistory();
    history.bill(bill('2024-12-01', { invoice_number: 'V-770050', gross_amount: '91.17' }));
    const months = ['2025-01-01', '2025-01-31', '2025-03-02', '2025-04-01'].map((date) => history.bill(bill(date)));
    for (const copy of months.slice(1)) {
      expect(typesOf(copy)).toContain('SUSPECTED_DUPLICATE');
      expect(copy.analysis.decision).not.toBe('PASS');
    }
  });

  test.each([
    ['24 days later', '2025-01-25', 'SUSPECTED_DUPLICATE'],
    ['25 days later', '2025-01-26', 'INVOICE_NUMBER_REUSED'],
    ['35 days later', '2025-02-05', 'INVOICE_NUMBER_REUSED'],
    ['36 days later', '2025-02-06', 'SUSPECTED_DUPLICATE'],
  ])('is guessed from the gap alone: %s', (_, date, type) => {
    const history = inMemoryHistory();
    history.bill(bill('2025-01-01'));
    expect(typesOf(history.bill(bill(date)))).toContain(type);
  });
});
