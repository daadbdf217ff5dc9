import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { NormalisedInvoice } from '../facts/invoice.js';
import { normaliseInvoice } from '../normalisation/normalise-invoice.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import { addDays } from '@invoicecontrol/values/calendar-date';
import {
  countInvoice,
  emptyProfile,
  withName,
  withNumberPattern,
  withoutInvoice,
  withReviewedAccount,
  withReviewedAmount,
} from './profile.js';
import type { SupplierProfile } from '../facts/supplier.js';

const FIRST = { iban: 'DE89370400440532013000' };
const SECOND = { iban: 'GB29NWBK60161331926819' };

let bills = 0;

function counted(changes: InvoiceChanges): NormalisedInvoice {
  bills += 1;
  return normaliseInvoice(invoiceOf(changes), {
    invoiceId: `i${bills}`,
    companyId: 'c',
    source: 'API',
    receivedAtMs: 0,
  });
}

const profileOf = (invoices: readonly InvoiceChanges[]): SupplierProfile =>
  invoices.map(counted).reduce(countInvoice, emptyProfile);

describe('trust in an account', () => {
  const use = (bank_account: { iban: string }, issue_date: string): InvoiceChanges => ({
    supplier: { bank_account },
    issue_date,
  });
  const trusts = (invoices: readonly InvoiceChanges[]): string[] =>
    profileOf(invoices).accounts.map(({ trust }) => trust);

  test('the first account is trusted, a second has to earn trust', () => {
    expect(trusts([use(FIRST, '2025-01-01'), use(SECOND, '2025-02-01')])).toEqual(['SEEN', 'UNVERIFIED']);
  });
  /**
   * Returns the trust in a second account after bills that were received on these days, whatever issue dates they
   * state.
   */
  const trustAfter = (days: readonly string[], origin: Partial<NormalisedInvoice> = {}): string | undefined =>
    days
      .map((day, index) => ({
        ...counted(use(SECOND, addDays('2024-01-01', index * 100))),
        receivedAtMs: Date.parse(day),
        ...origin,
      }))
      .reduce(countInvoice, profileOf([use(FIRST, '2023-01-01')]))
      .accounts.at(-1)?.trust;

  test('three invoices that were received over sixty days earn trust, whatever dates they state', () => {
    expect(trustAfter(['2025-02-01', '2025-03-01', '2025-04-01'])).toBe('UNVERIFIED');
    expect(trustAfter(['2025-02-01', '2025-03-01', '2025-04-02'])).toBe('SEEN');
    expect(trustAfter(['2025-02-01', '2025-02-01', '2025-02-01', '2025-02-01'])).toBe('UNVERIFIED');
  });

  test('two invoices earn none, however long ago', () => {
    expect(trustAfter(['2023-02-01', '2025-03-01'])).toBe('UNVERIFIED');
  });

  test('rows of a scan are received at once and earn it by the dates that they state', () => {
    const day = '2025-02-01';
    expect(trustAfter([day, day, day], { source: 'SCAN', scanId: 's' })).toBe('SEEN');
  });

  test('invoices under which a question about the account stands earn none, by any road', () => {
    const days = ['2025-01-01', '2025-03-01', '2025-06-01', '2025-12-01'];
    expect(trustAfter(days, { suspectedAs: 'FRAUD' })).toBe('UNVERIFIED');
    expect(trustAfter(days, { suspectedAs: 'IDENTITY' })).toBe('UNVERIFIED');
    expect(trustAfter(days, { suspectedAs: 'AMOUNT' })).toBe('SEEN');
    expect(trustAfter(days, { suspectedAs: 'FRAUD', source: 'SCAN', scanId: 's' })).toBe('UNVERIFIED');
  });
});

test('every ring is bounded, whatever is billed', () => {
  const invoices = Array.from({ length: 300 }, (_, index) => ({
    invoice_number: `N${index}${'/X'.repeat(index % 12)}`,
    issue_date: addDays('2023-01-01', index),
    due_date: addDays('2023-01-31', index),
    currency:
      ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'JPY', 'CAD', 'AUD', 'NZD'][index % 14] ??
      'EUR',
    gross_amount: `${index + 1}.00`,
    net_amount: '100.00',
    tax_amount: '19.00',
    supplier: { name: `Name ${index % 20}`, bank_account: { iban: `X${index % 40}` } },
  }));
  const profile = profileOf(invoices);
  expect(JSON.stringify(profile).length).toBeLessThan(32_000);
  expect(profile.accounts.length).toBeLessThanOrEqual(16);
  expect(profile.signatures.length).toBeLessThanOrEqual(8);
  expect(Object.values(profile.amounts).every((ring) => ring.length <= 64)).toBe(true);
  expect(profile.days).toHaveLength(33);
  expect(profile.recentBills).toHaveLength(16);
  expect(profile.count).toBe(300);
});

test('amounts, days and terms do not depend on the order of arrival', () => {
  const one = fc
    .record({ day: fc.integer({ min: 0, max: 400 }), units: fc.integer({ min: -50, max: 500 }) })
    .map(({ day, units }) => ({
      issue_date: addDays('2024-01-01', day),
      due_date: addDays('2024-01-31', day),
      gross_amount: String(units),
    }));
  const shuffled = fc
    .array(one, { minLength: 1, maxLength: 90 })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      const { amounts, days, terms, count, firstDay, lastDay } = profileOf(list);
      expect(profileOf(other)).toMatchObject({ amounts, days, terms, count, firstDay, lastDay });
    }),
    { numRuns: 30 },
  );
});

test('an invoice that may be a copy changes nothing', () => {
  const before = profileOf([{ supplier: { bank_account: FIRST } }]);
  const copy = { ...counted({ supplier: { bank_account: FIRST } }), suspectedAs: 'DUPLICATE' as const };
  expect(countInvoice(before, copy)).toEqual(before);
});

test('an amount that people ask about is marked until they have answered, once either way', () => {
  const before = profileOf([{ issue_date: '2025-01-01', gross_amount: '900.00' }]);
  const bill = counted({ issue_date: '2025-01-01', gross_amount: '900.00' });
  const open = countInvoice(before, { ...bill, suspectedAs: 'AMOUNT' });
  expect(open.amounts['EUR']).toMatchObject([{ minor: '90000' }, { minor: '90000', askedOn: bill.invoiceId }]);
  expect(open.amounts['EUR']?.[0]).not.toHaveProperty('askedOn');
  const accepted = withReviewedAmount(open, bill, false);
  expect(accepted.amounts).toEqual(countInvoice(before, bill).amounts);
  expect(withReviewedAmount(accepted, bill, false)).toBe(accepted);
  const reopened = withReviewedAmount(accepted, bill, true);
  expect(withReviewedAmount(reopened, bill, true)).toBe(reopened);
  expect(reopened.amounts['EUR']?.filter(({ askedOn }) => askedOn === undefined)).toHaveLength(1);
  expect(withoutInvoice(open, bill).amounts).toEqual(before.amounts);
  expect(withReviewedAmount(before, counted({ gross_amount: '1.00' }), true)).toBe(before);
});

test('removing an invoice restores the profile', () => {
  const first = { supplier: { bank_account: FIRST }, issue_date: '2025-01-01', gross_amount: '10.00' };
  const second = {
    supplier: { bank_account: FIRST },
    issue_date: '2025-02-01',
    gross_amount: '1000.00',
    due_date: '2025-03-01',
  };
  const before = profileOf([first]);
  const taken = counted(second);
  expect(withoutInvoice(countInvoice(before, taken), taken)).toEqual({
    ...before,
    amounts: { EUR: before.amounts['EUR'] },
  });
});

test('credits are counted, but not as amounts of the supplier', () => {
  expect(profileOf([{ gross_amount: '-5.00' }])).toMatchObject({ count: 1, amounts: {}, currencies: { EUR: 1 } });
});

describe('the review of an account', () => {
  const before = profileOf([{ supplier: { bank_account: FIRST } }, { supplier: { bank_account: SECOND } }]);
  const [own, other] = before.accounts;
  const trusts = (profile: SupplierProfile): string[] => profile.accounts.map(({ trust }) => trust);

  test('replaces its earned trust, for this account alone, and withdrawn restores it', () => {
    const cleared = withReviewedAccount(before, other?.key ?? '', 'REVIEWED');
    expect(trusts(cleared)).toEqual(['SEEN', 'REVIEWED']);
    const blocked = withReviewedAccount(cleared, other?.key ?? '', 'FRAUD');
    expect(trusts(blocked)).toEqual(['SEEN', 'FRAUD']);
    expect(withReviewedAccount(blocked, other?.key ?? '', undefined)).toEqual(before);
    expect(
      withReviewedAccount(withReviewedAccount(before, own?.key ?? '', 'FRAUD'), own?.key ?? '', undefined),
    ).toEqual(before);
  });

  test('changes nothing when withdrawn without a review', () => {
    expect(withReviewedAccount(before, other?.key ?? '', undefined)).toEqual(before);
  });
});

test('an accepted name or number pattern is added to the profile once', () => {
  const named = withName(withName(emptyProfile, 'ACME'), 'ACME');
  expect(named.names).toEqual(['ACME']);
  const patterned = withNumberPattern(withNumberPattern(emptyProfile, 'A-9'), 'A-9');
  expect(patterned.signatures).toEqual([{ text: 'A-9', count: 1 }]);
});
