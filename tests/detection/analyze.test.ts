import { describe, expect, test } from 'vitest';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { analyze } from './analyze.js';
import { billOf, withSupplier } from './bill.js';
import type { Bill } from './bill.js';
import { partyMaker, validIban } from './parties.js';
import { randomFrom } from './random.js';
import { score } from './score.js';

describe('a labelled history', () => {
  const random = randomFrom(3);
  const party = partyMaker(random)('DE');
  const newIban = validIban('DE', random);
  const bills = [0, 30, 61, 92, 120, 150].map((days, index) => {
    const bill = billOf(party, {
      number: `R-${4711 + 3 * index}`,
      date: addDays('2025-01-07', days),
      gross: `${610 + 37 * index}.35`,
    });
    return index < 4 ? bill : withSupplier(bill, { bank_account: { iban: newIban } });
  });

  test('asks about a new account until the reviewer has answered', () => {
    const decisions = (hasReviewer: boolean) => analyze(bills, { hasReviewer }).map(({ decision }) => decision);
    expect(decisions(false).slice(4)).toEqual(['REVIEW', 'REVIEW']);
    expect(decisions(true).slice(4)).toEqual(['REVIEW', 'PASS']);
  });

  test('leaves an account of a planted fraud unanswered', () => {
    const planted = bills.map((bill, index): Bill =>
      index === 4 ? { ...bill, anomaly: { name: 'new account', expected: ['BANK_ACCOUNT_CHANGED'] } } : bill,
    );
    expect(analyze(planted, { hasReviewer: true }).at(-1)?.decision).toBe('REVIEW');
  });

  test('finds a copy that states an earlier day than its original, when both are rows of a scan', () => {
    const [, , original] = bills;
    if (original === undefined) throw new Error('there are six bills');
    const copy: Bill = {
      ...original,
      invoice: { ...original.invoice, issue_date: addDays(original.invoice.issue_date, -2) },
      arrival: addDays(original.arrival, 9),
      mutation: 'two days early',
    };
    const result = score([...bills.slice(0, 4), copy], { road: 'scan' });
    expect(result.relatedRecall).toEqual({ hits: 1, of: 1 });
    expect(result.notPassed.hits).toBe(0);
  });

  test('counts copies under unrelated numbers apart', () => {
    const [first] = bills;
    if (first === undefined) throw new Error('there are six bills');
    const copy: Bill = {
      ...first,
      invoice: { ...first.invoice, invoice_number: 'LS 90315' },
      mutation: 'unrelated: delivery note',
    };
    const { relatedRecall, unrelatedRecall } = score([...bills, copy]);
    expect([relatedRecall.of, unrelatedRecall.of]).toEqual([0, 1]);
  });
});
