import { describe, expect, test } from 'vitest';
import { pairKey } from '@invoicecontrol/engine/explanation/subject';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { duplicatePairsAmongBills, EQUAL_BILLS_MAX } from './duplicate-pairs.js';

let arrivals = 0;

function bill(invoiceId: string, invoiceNumber: string, issueDate: string, amount = '1200.00'): Candidate {
  const origin = { invoiceId, companyId: 'c', source: 'ERP', receivedAtMs: ++arrivals } as const;
  const changes = { invoice_number: invoiceNumber, issue_date: issueDate, gross_amount: amount };
  return { ...normaliseInvoice(invoiceOf(changes), origin), supplierId: 's' };
}

const noCredits = async () => ({ notes: [], creditedIds: new Map<string, readonly string[]>() });

/** Returns two bills that are duplicates, and newer bills of the same amount that repeat nothing. */
function billsWithPair(count: number): Candidate[] {
  const others = Array.from({ length: count - 2 }, (_, index) => ({
    ...bill(`other-${index}`, `R${index}`, '2025-03-20'),
    supplierId: `s-${index}`,
  }));
  return [bill('first', 'INV-1042', '2025-03-10'), bill('second', 'INV-1042', '2025-03-10'), ...others];
}

describe('pairs of duplicate bills', () => {
  test('are found among as many bills of one amount as are compared, and the oldest beyond are counted', async () => {
    const most = await duplicatePairsAmongBills(billsWithPair(EQUAL_BILLS_MAX), defaultPolicy, noCredits);
    expect(most.leftOut).toBe(0);
    expect(most.pairs.has(pairKey('first', 'second'))).toBe(true);
    const tooMany = await duplicatePairsAmongBills(billsWithPair(EQUAL_BILLS_MAX + 1), defaultPolicy, noCredits);
    expect(tooMany.leftOut).toBe(1);
    expect(tooMany.pairs.has(pairKey('first', 'second'))).toBe(false);
  });
  test('are looked for group by group, and other work has its turn in between', async () => {
    const bills = ['1.00', '2.00', '3.00'].flatMap((amount) =>
      ['a', 'b'].map((name) => bill(`${name}-${amount}`, `N-${amount}`, '2025-03-10', amount)),
    );
    let turns = 0;
    let isDone = false;
    const countTurns = (): void => {
      turns++;
      if (!isDone) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const { pairs } = await duplicatePairsAmongBills(bills, defaultPolicy, noCredits);
    isDone = true;
    expect(pairs.size).toBe(3);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
  test('are told apart from those that a credit note clears, each of which clears one', async () => {
    const amounts = ['1.00', '2.00'];
    const bills = amounts.flatMap((amount) => [
      bill(`a-${amount}`, `N-${amount}`, '2025-03-10', amount),
      bill(`b-${amount}`, `N-${amount}`, '2025-03-20', amount),
    ]);
    const asked: string[] = [];
    const { pairs, credited } = await duplicatePairsAmongBills(bills, defaultPolicy, async (uncleared) => {
      asked.push(...uncleared.map(({ key }) => key));
      return { notes: [bill('credit', 'CN-7', '2025-03-15', '-2.00')], creditedIds: new Map() };
    });
    const [one, two] = amounts.map((amount) => pairKey(`a-${amount}`, `b-${amount}`));
    expect(new Set(asked)).toEqual(new Set([one, two]));
    expect([...pairs]).toEqual([one]);
    expect([...credited]).toEqual([[two, 'credit']]);
  });
});
