import { describe, expect, test } from 'vitest';
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

  test('goes on after a rise of its price, bill by bill, also when nobody answers', () => {
    const history = inMemoryHistory();
    for (let month = 1; month <= 12; month += 1) history.bill(bill(`2024-${String(month).padStart(2, '0')}-03`));
    for (const date of ['2025-01-03', '2025-02-03', '2025-03-03', '2025-04-03']) {
      const next = history.bill(bill(date, { gross_amount: '608.48' }));
      expect(typesOf(next)).not.toContain('SUSPECTED_DUPLICATE');
      expect(next.analysis.decision).toBe('PASS');
    }
  });

  test('is a duplicate within the steps of the contract, also right after a rise of its price', () => {
    const history = inMemoryHistory();
    for (let quarter = 0; quarter < 4; quarter += 1)
      history.bill(bill(`2025-${String(1 + quarter * 3).padStart(2, '0')}-03`));
    history.bill(bill('2026-01-03', { gross_amount: '608.48' }));
    for (const date of ['2026-01-15', '2026-02-03', '2026-02-28'])
      expect(typesOf(history.bill(bill(date, { gross_amount: '608.48' })))).toContain('SUSPECTED_DUPLICATE');
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

  test('is no contract once a person has confirmed that the second bill has the number of the first', () => {
    const history = inMemoryHistory();
    const [, second] = ['2025-01-01', '2025-01-31'].map((date) => history.bill(bill(date)));
    if (second === undefined) throw new Error('nothing billed');
    history.confirmReuse(second);
    for (const date of ['2025-03-02', '2025-04-01', '2025-05-01']) {
      const next = history.bill(bill(date));
      expect(typesOf(next)).toContain('SUSPECTED_DUPLICATE');
      expect(next.analysis.decision).toBe('REVIEW');
    }
  });

  test('goes on as a contract when one of its later bills is confirmed to be wrong', () => {
    const history = inMemoryHistory();
    const months = ['2025-01-01', '2025-02-01', '2025-03-01', '2025-04-01'].map((date) => history.bill(bill(date)));
    const last = months.at(-1);
    if (last === undefined) throw new Error('nothing billed');
    history.confirmReuse(last);
    expect(history.bill(bill('2025-05-01')).analysis.decision).toBe('PASS');
  });

  const other = (issue_date: string, gross_amount: string) => bill(issue_date, { gross_amount });

  test('of a customer is asked about again once a person has confirmed the question about it', () => {
    const history = inMemoryHistory();
    history.bill(other('2025-01-01', '585.08'));
    const second = history.bill(other('2025-02-03', '611.40'));
    expect(typesOf(second)).toContain('INVOICE_NUMBER_REUSED');
    history.confirmReuse(second);
    for (const [date, amount] of [
      ['2025-03-05', '402.11'],
      ['2025-04-07', '733.98'],
      ['2025-05-09', '518.27'],
    ] as const) {
      const next = history.bill(other(date, amount));
      expect(typesOf(next)).toContain('INVOICE_NUMBER_REUSED');
      expect(next.analysis.decision).toBe('REVIEW');
    }
  });

  test('leaves a bill whose number was confirmed to be that of another one as an original of its copies', () => {
    const history = inMemoryHistory();
    history.bill(other('2025-01-01', '585.08'));
    const second = history.bill(other('2025-02-03', '611.40'));
    history.confirmReuse(second);
    const copy = history.bill(other('2025-02-03', '611.40'));
    expect(typesOf(copy)).toContain('DUPLICATE_INVOICE');
    expect(copy.analysis.decision).toBe('BLOCK');
  });

  test.each([
    ['the date', 'RE-20250116-07'],
    ['the date in six digits', 'RE-160125-07'],
    ['the year', 'RE-2025-00417'],
    ['the year glued to the serial', 'RE202500417'],
    ['the short year', '25/00417'],
  ])('is never guessed from a number that carries %s of its bill', (_, invoice_number) => {
    const history = inMemoryHistory();
    const dates = ['2025-01-16', '2025-02-15', '2025-03-17', '2025-04-16'];
    const [, ...again] = dates.map((date) => history.bill(bill(date, { invoice_number })));
    for (const copy of again) {
      expect(typesOf(copy)).toContain('SUSPECTED_DUPLICATE');
      expect(copy.analysis.decision).not.toBe('PASS');
    }
  });

  test('may carry the year of the contract: bills pass once a person has dismissed the first question', () => {
    const history = inMemoryHistory();
    const yearly = { invoice_number: 'MV-2025-0113' };
    history.bill(bill('2025-01-01', yearly));
    history.dismiss(history.bill(bill('2025-02-01', yearly)));
    for (const date of ['2025-03-01', '2025-04-01'])
      expect(history.bill(bill(date, yearly)).analysis.decision).toBe('PASS');
  });

  test('with the year of its bill names no customer: each further bill of another amount is asked about', () => {
    const history = inMemoryHistory();
    const amounts = ['585.08', '611.40', '402.11', '733.98'];
    const [, ...again] = amounts.map((amount, index) =>
      history.bill(bill(`2025-0${index + 1}-03`, { invoice_number: 'RE-2025-00417', gross_amount: amount })),
    );
    for (const next of again) expect(next.analysis.decision).toBe('REVIEW');
  });

  const monthly = ['2025-01-01', '2025-02-01', '2025-03-01'];
  const quarterly = ['2025-01-01', '2025-04-01', '2025-07-01'];

  test.each([
    ['6 days after the last of a month', monthly, '2025-03-07'],
    ['8 days after the last of a month', monthly, '2025-03-09'],
    ['17 days after the last of a month', monthly, '2025-03-18'],
    ['a month after the last of a quarter', quarterly, '2025-08-01'],
  ])('is no contract far off its rhythm: %s', (_, dates, date) => {
    const history = inMemoryHistory();
    for (const regular of dates) history.bill(bill(regular));
    const early = history.bill(bill(date));
    expect(typesOf(early)).toContain('SUSPECTED_DUPLICATE');
    expect(early.analysis.decision).not.toBe('PASS');
  });

  test.each([
    ['some days early', monthly, '2025-03-20'],
    ['some days late', monthly, '2025-04-12'],
    ['after a month without a bill', monthly, '2025-05-02'],
    ['a quarter that is billed in advance', quarterly, '2025-09-15'],
  ])('is a contract that is billed less than exactly: %s', (_, dates, date) => {
    const history = inMemoryHistory();
    for (const regular of dates) history.bill(bill(regular));
    expect(history.bill(bill(date)).analysis.decision).toBe('PASS');
  });

  test('keeps its rhythm after a double bill that waits for a person', () => {
    const history = inMemoryHistory();
    for (const regular of [...monthly, '2025-03-16']) history.bill(bill(regular));
    expect(history.bill(bill('2025-04-01')).analysis.decision).toBe('PASS');
  });

  test('is described by what is known: the number was used before, and how the two bills differ', () => {
    const history = inMemoryHistory();
    history.bill(bill('2025-01-01'));
    const [finding] = history.bill(bill('2025-02-01')).analysis.findings;
    expect(finding?.summary).toBe(
      'V-770123 has the same number as V-770123 (2025-01-01, EUR 585.08); same amount and supplier name, 31 days apart.',
    );
    expect(finding?.evidence.explanation[0]).toBe('The supplier has used this invoice number before.');
  });
});
