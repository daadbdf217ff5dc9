import { describe, expect, test } from 'vitest';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import type { Finding } from './explanation/evidence.js';
import type { BookedPayment, VendorCredit } from './facts/books.js';
import { defaultPolicy } from './policy/policy.js';
import { runEngineOnBooks } from './run-engine.js';
import { requireEvidenceContract } from './testing/evidence-contract.js';

// Each story describes payments as the books of an ERP report them: wrong payments, and honest ones that look wrong.

const HOME = { key: 'DE89370400440532013000', masked: 'DE89**************3000' };
const OTHER = { key: 'DE02500105170137075030', masked: 'DE02**************5030' };

/**
 * Creates a payment of EUR 1,200.00. If it has a bill, this amount was open on the bill unless a test sets another one.
 */
function paid(date: string, bill = '', changes: Partial<BookedPayment> = {}): BookedPayment {
  const amountMinor = changes.amountMinor ?? '120000';
  return {
    paymentId: `${date} ${bill}`,
    vendorId: 'v',
    vendorName: 'Brandt Werkzeugbau GmbH',
    day: dayNumber(date),
    amountMinor,
    currency: 'EUR',
    invoiceIds: bill === '' ? [] : [`id-${bill}`],
    ...(bill === '' ? {} : { reference: bill, dueMinor: amountMinor }),
    isReturned: false,
    ...changes,
  };
}

function findingsOf(payments: readonly BookedPayment[], credits: readonly VendorCredit[] = []): Finding[] {
  const findings = runEngineOnBooks(
    {
      companyId: 'c',
      vendors: [],
      vendorCount: 1,
      accountChanges: [],
      bills: [],
      payments,
      credits,
      duplicatePairs: new Set(),
      creditedPairs: new Map(),
    },
    defaultPolicy,
  );
  requireEvidenceContract(findings);
  return findings;
}

const summaries = (...payments: BookedPayment[]) => findingsOf(payments).map(({ summary }) => summary);
const months = ['01', '02', '03', '04', '05', '06'];

describe('a rent', () => {
  const rent = months.map((month) => paid(`2026-${month}-01`));
  test('of each month is no duplicate', () => {
    expect(summaries(...rent)).toEqual([]);
  });
  test('that is paid a second time within a month is one, although nobody names a bill', () => {
    expect(summaries(...rent, paid('2026-05-11'))).toEqual([
      'Brandt Werkzeugbau GmbH was paid EUR 1,200.00 on 2026-05-01 and again on 2026-05-11.',
    ]);
  });
  test('that was paid late once is no duplicate with the next one', () => {
    const late = rent.map((payment, index) => (index === 3 ? paid('2026-04-24') : payment));
    expect(summaries(...late)).toEqual([]);
  });
});

describe('wages of each week', () => {
  const weeks = ['03', '10', '17', '24', '31'].map((day) => paid(`2026-07-${day}`));
  test('are no duplicates', () => {
    expect(summaries(...weeks)).toEqual([]);
  });
});

describe('a bill', () => {
  const of = (dueMinor: string) => ({ dueMinor });
  test('in two equal parts is paid once', () => {
    expect(summaries(paid('2026-03-02', 'A-1', of('240000')), paid('2026-03-20', 'A-1', of('120000')))).toEqual([]);
  });
  test('in three equal parts of two is paid too much', () => {
    const parts = [paid('2026-03-02', 'A-1', of('240000')), paid('2026-03-12', 'A-1', of('120000'))];
    expect(summaries(...parts, paid('2026-03-20', 'A-1', of('0')))).toEqual([
      'Brandt Werkzeugbau GmbH was paid EUR 1,200.00 on 2026-03-12 and again on 2026-03-20.',
      'Brandt Werkzeugbau GmbH was paid EUR 1,200.00 on 2026-03-20, but nothing was open.',
    ]);
  });
  test('of which half was paid in advance, without naming it, is no duplicate', () => {
    expect(summaries(paid('2026-03-02'), paid('2026-03-20', 'A-1', of('240000')))).toEqual([]);
    expect(summaries(paid('2026-03-02', 'A-1', of('240000')), paid('2026-03-20'))).toEqual([]);
  });
  test('that was paid in advance as a whole, without naming it, is one', () => {
    expect(summaries(paid('2026-03-02'), paid('2026-03-20', 'A-1'))).toHaveLength(1);
    expect(summaries(paid('2026-03-02'), paid('2026-03-20', 'A-1', of('239999')))).toHaveLength(1);
  });
  test('of the same amount as another of one payment run is no duplicate', () => {
    expect(summaries(paid('2026-03-02', 'A-1'), paid('2026-03-02', 'A-2'), paid('2026-03-02', 'A-3'))).toEqual([]);
  });
  test('that is in two payment runs is one', () => {
    const [first, ...others] = summaries(paid('2026-03-02', 'A-1'), paid('2026-03-09', 'A-1', of('0')));
    expect(first).toContain('on 2026-03-02 and again on 2026-03-09');
    expect(others).toHaveLength(1);
  });
});

describe('a forger', () => {
  const credit = (changes: Partial<VendorCredit>): VendorCredit => ({
    creditId: 'credit',
    number: 'GS-77',
    vendorId: 'v',
    day: dayNumber('2026-03-05'),
    amountMinor: '-120000',
    currency: 'EUR',
    bills: [],
    ...changes,
  });
  const twice = [paid('2026-03-02', 'A-1'), paid('2026-03-09', 'A-1', { dueMinor: '0' })];
  const types = (credits: VendorCredit[]) => findingsOf(twice, credits).map(({ type }) => type);

  test('who enters a credit note about another bill hides no second payment', () => {
    const bills = [{ invoiceId: 'id-B-9', amountMinor: '120000' }];
    expect(types([credit({ bills })])).toEqual(['DUPLICATE_PAYMENT', 'PAYMENT_AMOUNT_MISMATCH']);
  });
  test('who enters one about the bill itself leaves a payment of more than was open', () => {
    const bills = [{ invoiceId: 'id-A-1', amountMinor: '120000' }];
    expect(types([credit({ bills })])).toEqual(['PAYMENT_AMOUNT_MISMATCH']);
  });
  test('who dates a payment back to before the own account was entered is found', () => {
    const payment = paid('2026-03-02', 'A-1', {
      account: OTHER,
      vendorAccountsThen: [HOME.key],
      accountInMaster: { from: '2026-03-08', to: '2026-03-09' },
    });
    const [finding] = findingsOf([payment]);
    expect(finding).toMatchObject({ type: 'PAYMENT_ACCOUNT_MISMATCH', severity: 'CRITICAL' });
    expect(finding?.evidence.explanation).toEqual([
      'The payment is for A-1.',
      'On 2026-03-02 the vendor master had only another account for the vendor.',
      'The vendor master had the account only from 2026-03-08 to 2026-03-09.',
    ]);
  });
});
