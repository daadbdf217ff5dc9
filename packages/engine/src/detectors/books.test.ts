import { describe, expect, test } from 'vitest';
import { runEngineOnBooks } from '../run-engine.js';
import { pairKey } from '../explanation/subject.js';
import type { Finding } from '../explanation/evidence.js';
import { readName } from '../normalisation/name-key.js';
import { defaultPolicy } from '../policy/policy.js';
import { requireEvidenceContract } from '../testing/evidence-contract.js';
import type { BookedPayment, BookedVendor, Books, VendorAccountChange, VendorCredit } from '../facts/books.js';

const HOME = { key: 'DE89370400440532013000', masked: 'DE89**************3000' };
const OTHER_ACCOUNT = { key: 'DE02500105170137075030', masked: 'DE02**************5030' };

function findingsIn(books: Partial<Books>): Finding[] {
  const all = {
    companyId: 'c',
    vendors: [],
    vendorCount: 25,
    accountChanges: [],
    bills: [],
    payments: [],
    credits: [],
    duplicatePairs: new Set<string>(),
    creditedPairs: new Map(),
    ...books,
  };
  const findings = runEngineOnBooks(all, defaultPolicy);
  requireEvidenceContract(findings);
  return findings;
}

describe('VENDOR_RECORD_DUPLICATE', () => {
  const vendor = (vendorId: string, changes: Partial<BookedVendor> = {}): BookedVendor => ({
    vendorId,
    name: 'Acme Ltd',
    nameKey: readName(changes.name ?? 'Acme Ltd').key,
    isActive: true,
    accounts: [],
    isBilled: false,
    ...changes,
  });
  const found = (...vendors: BookedVendor[]) => findingsIn({ vendors });
  const taxKey = '136695976';

  test('is raised for two active records with one tax id', () => {
    expect(found(vendor('1', { taxKey }), vendor('2', { taxKey, name: 'Borealis' }))).toMatchObject([
      {
        type: 'VENDOR_RECORD_DUPLICATE',
        severity: 'LOW',
        confidence: 85,
        evidence: { vendorIds: ['1', '2'], sharedKey: 'tax' },
      },
    ]);
  });
  test('is raised for one account under similar names, once', () => {
    const same = { accounts: [HOME], taxKey };
    expect(
      found(
        vendor('1', { accounts: [HOME], name: 'Acme Supplies' }),
        vendor('2', { accounts: [HOME], name: 'Acme Supplis' }),
      ),
    ).toHaveLength(1);
    expect(found(vendor('1', same), vendor('2', same))).toMatchObject([{ evidence: { sharedKey: 'tax' } }]);
  });
  test('is raised for two records of one vendor that also has a branch', () => {
    const branch = vendor('1', { taxKey, accounts: [OTHER_ACCOUNT], name: 'Filiale Hamburg' });
    const twins = ['2', '3'].map((id) => vendor(id, { taxKey, accounts: [HOME], name: 'Acme Berlin' }));
    expect(found(branch, ...twins)).toMatchObject([{ evidence: { vendorIds: ['2', '3'] } }]);
  });
  test('is MEDIUM when both were billed', () => {
    const billed = { taxKey, isBilled: true };
    expect(found(vendor('1', billed), vendor('2', billed))).toMatchObject([{ severity: 'MEDIUM' }]);
    expect(found(vendor('1', billed), vendor('2', { taxKey }))).toMatchObject([{ severity: 'LOW' }]);
  });
  test.each<[string, BookedVendor, BookedVendor]>([
    ['a record that is blocked', vendor('1', { taxKey }), vendor('2', { taxKey, isActive: false })],
    [
      'strangers on the account of a factor',
      vendor('1', { accounts: [HOME] }),
      vendor('2', { accounts: [HOME], name: 'Borealis' }),
    ],
    [
      'branches with names and accounts of their own',
      vendor('1', { taxKey, accounts: [HOME], name: 'Acme Berlin' }),
      vendor('2', { taxKey, accounts: [OTHER_ACCOUNT], name: 'Filiale Hamburg' }),
    ],
    [
      'equal numbers of two countries',
      vendor('1', { taxKey, taxCountry: 'DE' }),
      vendor('2', { taxKey, taxCountry: 'PT' }),
    ],
    ['nothing in common', vendor('1'), vendor('2')],
  ])('is not raised for %s', (_, one, other) => {
    expect(found(one, other)).toEqual([]);
  });
});

describe('VENDOR_MASTER_BANK_CHANGED', () => {
  const change = (vendorId: string, changes: Partial<VendorAccountChange> = {}): VendorAccountChange => ({
    vendorId,
    vendorName: 'Acme',
    before: [HOME],
    after: [OTHER_ACCOUNT],
    openBills: 2,
    seenBefore: '2026-01-01T00:00:00Z',
    seenAfter: '2026-01-02T00:00:00Z',
    ...changes,
  });
  const found = (...accountChanges: VendorAccountChange[]) => findingsIn({ vendorCount: 25, accountChanges });

  test('is raised while bills are open', () => {
    expect(found(change('1'))).toMatchObject([
      {
        type: 'VENDOR_MASTER_BANK_CHANGED',
        severity: 'HIGH',
        confidence: 85,
        evidence: { old: [HOME.masked], new: [OTHER_ACCOUNT.masked], openBills: 2 },
      },
    ]);
    expect(JSON.stringify(found(change('1')))).not.toContain(HOME.key);
  });
  test('is a case of its own when the same accounts come again after they were confirmed, and says so', () => {
    const again = (seenAfter: string) => found(change('1', { isAgain: true, seenAfter }))[0]?.evidence;
    const first = found(change('1', { isAgain: false }))[0]?.evidence;
    const [second, third] = [again('2026-01-05T00:00:00Z'), again('2026-01-09T00:00:00Z')];
    expect(new Set([first?.key, second?.key, third?.key]).size).toBe(3);
    expect(again('2026-01-05T00:00:00Z')?.key).toBe(second?.key);
    expect(second?.explanation).toContain(
      'An earlier change to the same accounts was confirmed, but they were changed back afterwards.',
    );
    expect(first?.explanation.join()).not.toContain('confirmed');
  });
  test('says to the minute between which runs it was changed, and which account is new', () => {
    const [finding] = found(change('1', { before: [HOME], after: [HOME, OTHER_ACCOUNT] }));
    expect(finding?.evidence.explanation).toEqual([
      'The vendor master was changed between 2026-01-01 00:00 UTC and 2026-01-02 00:00 UTC.',
      `Account ${OTHER_ACCOUNT.masked} was added.`,
    ]);
    expect(found(change('1', { after: [] }))[0]?.evidence.explanation.at(-1)).toBe(
      `Account ${HOME.masked} was removed.`,
    );
  });
  test('is not raised for accounts that a person has accepted', () => {
    expect(found(change('1', { isReviewed: true }))).toEqual([]);
  });
  test('is not raised without open bills and for a first account', () => {
    expect(found(change('1', { openBills: 0 }), change('3', { before: [] }))).toEqual([]);
  });
  test('is raised once for a migration of more than a fifth of the vendors', () => {
    const changes = Array.from({ length: 6 }, (_, index) => change(`${index}`));
    expect(found(...changes.slice(0, 5))).toHaveLength(5);
    const [migration, ...others] = found(...changes);
    expect(migration).toMatchObject({ evidence: { openBills: 12, observed: { changes: 6, vendors: 25 } } });
    expect(others).toEqual([]);
    const later = changes.map((one) => ({ ...one, seenAfter: '2026-01-09T00:00:00Z' }));
    expect(found(...later)[0]?.evidence.key).toBe(migration?.evidence.key);
  });
});

const payment = (paymentId: string, changes: Partial<BookedPayment> = {}): BookedPayment => ({
  paymentId,
  vendorId: 'v',
  vendorName: 'Acme',
  day: 20_000,
  amountMinor: '119000',
  currency: 'EUR',
  invoiceIds: [`i-${paymentId}`],
  isReturned: false,
  ...changes,
});

describe('DUPLICATE_PAYMENT', () => {
  const found = (second: Partial<BookedPayment>, more: Partial<Books> = {}, first: Partial<BookedPayment> = {}) =>
    findingsIn({ payments: [payment('1', first), payment('2', { day: 20_010, ...second })], ...more });
  test('is raised for the same amount to a vendor within a month', () => {
    expect(found({})).toMatchObject([
      {
        type: 'DUPLICATE_PAYMENT',
        severity: 'HIGH',
        confidence: 80,
        relatedInvoiceIds: ['i-1', 'i-2'],
        evidence: { paymentIds: ['1', '2'], dates: ['2024-10-04', '2024-10-14'] },
      },
    ]);
    expect(found({ day: 20_031 })).toEqual([]);
  });
  test('has full confidence when the invoices are duplicates of each other', () => {
    expect(found({}, { duplicatePairs: new Set([pairKey('i-2', 'i-1')]) })).toMatchObject([
      { severity: 'CRITICAL', confidence: 95 },
    ]);
  });
  test('is raised for payments a month apart only when their references are equal', () => {
    expect(found({ day: 20_030 })).toEqual([]);
    expect(found({ day: 20_030, reference: 'inv 77' }, {}, { reference: 'INV-77' })).toHaveLength(1);
  });
  const credit = (changes: Partial<VendorCredit> = {}): VendorCredit => ({
    creditId: 'c1',
    number: 'CN-9',
    vendorId: 'v',
    day: 20_005,
    amountMinor: '-119000',
    currency: 'EUR',
    bills: [],
    ...changes,
  });
  test.each<[string, Partial<BookedPayment>, Partial<Books>, Partial<BookedPayment>]>([
    ['other references', { reference: 'INV-78' }, {}, { reference: 'INV-77' }],
    ['another amount', { amountMinor: '119001' }, {}, {}],
    ['another currency', { currency: 'USD' }, {}, {}],
    ['another vendor', { vendorId: 'w' }, {}, {}],
    ['a payment that came back', {}, {}, { isReturned: true }],
    ['a credit in between', {}, { credits: [credit()] }, {}],
  ])('is not raised for %s', (_, second, more, first) => {
    expect(found(second, more, first)).toEqual([]);
  });
  const naming = (...ids: string[]) => ({ bills: ids.map((invoiceId) => ({ invoiceId, amountMinor: '119000' })) });
  test('says that no credit note was found, and how far apart the payments are', () => {
    expect(found({})[0]?.evidence.explanation).toEqual([
      'The second payment was made 10 days after the first, to the same vendor and for the same amount.',
      'Neither payment names a bill.',
      'The ERP has no credit note from the vendor for this amount between the two payments.',
    ]);
    expect(found({ day: 20_000, reference: 'A-1' })[0]?.evidence.explanation.slice(0, 2)).toEqual([
      'The second payment was made on the same day as the first, to the same vendor and for the same amount.',
      'The second payment is for A-1; the first names no bill.',
    ]);
  });
  test('is not raised after a credit note that names the bill that was paid first', () => {
    expect(found({}, { credits: [credit(naming('i-1'))] })).toEqual([]);
    expect(found({}, { credits: [credit(naming('i-1', 'i-9'))] })).toEqual([]);
  });
  test('is raised in spite of a credit note that names another bill, which it says', () => {
    const [finding] = found({}, { credits: [credit(naming('i-9'))] });
    expect(finding?.evidence.explanation).toContain(
      'Credit note CN-9 of 2024-10-09 is for this amount, but names another bill.',
    );
    expect(found({}, { credits: [credit(naming('i-2'))] })).toHaveLength(1);
    // The payments of this test name no bills.
    const unknown = { invoiceIds: [] };
    const partly = credit({ bills: [{ invoiceId: 'i-9', amountMinor: '500000' }] });
    expect(found(unknown, { credits: [partly] }, unknown)).toHaveLength(1);
    expect(found(unknown, { credits: [credit(naming('i-9'))] }, unknown)).toEqual([]);
  });
  test.each<[string, Partial<VendorCredit>]>([
    ['before both', { day: 19_999 }],
    ['after both', { day: 20_011 }],
    ['over another amount', { amountMinor: '-118999' }],
    ['in another currency', { currency: 'USD' }],
    ['of another vendor', { vendorId: 'w' }],
  ])('is raised in spite of a credit note %s', (_, changes) => {
    expect(found({}, { credits: [credit(changes)] })).toHaveLength(1);
  });
  test('is raised for the third of three payments where one credit note explains the second', () => {
    const three = [payment('1'), payment('2', { day: 20_010 }), payment('3', { day: 20_020 })];
    const findings = findingsIn({ payments: three, credits: [credit()] });
    expect(findings.map(({ evidence }) => evidence['paymentIds'])).toEqual([['2', '3']]);
    const twice = [credit(), credit({ creditId: 'c2', day: 20_015 })];
    expect(findingsIn({ payments: three, credits: twice })).toEqual([]);
  });
  // The bill that was credited and the bill that was issued again may both be paid when due.
  test('is not raised for two bills with a credit note between them, whenever they are paid', () => {
    const paid = (more: Partial<Books>) => found({ reference: 'A-1' }, more, { reference: 'A-1' });
    const credits = [credit({ day: 19_990 })];
    const creditedPairs = new Map([[pairKey('i-2', 'i-1'), 'c1']]);
    expect(paid({ credits })).toMatchObject([{ type: 'DUPLICATE_PAYMENT', severity: 'HIGH' }]);
    expect(paid({ credits, creditedPairs })).toEqual([]);
    expect(paid({ credits, creditedPairs: new Map([[pairKey('i-1', 'i-9'), 'c1']]) })).toHaveLength(1);
  });
  test('is raised for payments of which a credit note clears one pair of bills, and not the other', () => {
    const two = (...invoiceIds: string[]) => ({ invoiceIds });
    const creditedPairs = new Map([[pairKey('a', 'b'), 'c1']]);
    const duplicatePairs = new Set([pairKey('m', 'n')]);
    expect(found(two('b', 'n'), { creditedPairs, duplicatePairs }, two('a', 'm'))).toHaveLength(1);
  });
  test('is raised for a payment that repeats another one in spite of a credit note that clears two bills', () => {
    const twice = [payment('1'), payment('again', { invoiceIds: ['i-1'], day: 20_008 })];
    const payments = [...twice, payment('2', { day: 20_010 })];
    const credits = [credit({ day: 20_002 })];
    const creditedPairs = new Map([[pairKey('i-1', 'i-2'), 'c1']]);
    expect(findingsIn({ payments: twice, credits })).toEqual([]);
    const findings = findingsIn({ payments, credits, creditedPairs });
    expect(findings.map(({ evidence }) => evidence['paymentIds'])).toEqual([['1', 'again']]);
  });
  test('is raised for a bill that is paid again after another one of the same amount', () => {
    const paid = [payment('1', { reference: 'A-1' }), payment('2', { reference: 'A-2', day: 20_003 })];
    expect(findingsIn({ payments: [...paid, payment('3', { reference: 'a1', day: 20_007 })] })).toMatchObject([
      { evidence: { paymentIds: ['1', '3'] } },
    ]);
  });
  test('is not raised for two parts of one bill, and is once they exceed it', () => {
    const parts = { invoiceIds: ['i'], reference: 'A-1' };
    expect(found({ ...parts, dueMinor: '119000' }, {}, { ...parts, dueMinor: '238000' })).toEqual([]);
    expect(found({ ...parts, dueMinor: '0' }, {}, { ...parts, dueMinor: '119000' })).toMatchObject([
      { type: 'DUPLICATE_PAYMENT' },
      { type: 'PAYMENT_AMOUNT_MISMATCH' },
    ]);
  });
  test('is raised for a bill that is paid twice among regular payments', () => {
    const days = [0, 7, 14, 21].map((day, index) =>
      payment(`${index}`, { day: 20_000 + day, reference: `A-${index}` }),
    );
    expect(findingsIn({ payments: [...days, payment('4', { day: 20_023, reference: 'A-3' })] })).toMatchObject([
      { evidence: { paymentIds: ['3', '4'] } },
    ]);
  });
  test('is not raised for an amount that is paid regularly', () => {
    const days = [0, 7, 14, 21].map((day, index) => payment(`${index}`, { day: 20_000 + day }));
    expect(findingsIn({ payments: days.slice(0, 3) })).toHaveLength(2);
    expect(findingsIn({ payments: days })).toEqual([]);
  });
});

describe('PAYMENT_ACCOUNT_MISMATCH', () => {
  const paid = (changes: Partial<BookedPayment>) =>
    findingsIn({ payments: [payment('1', { account: OTHER_ACCOUNT, vendorAccountsThen: [HOME.key], ...changes })] });
  test('is raised for an account that the vendor did not have on that day', () => {
    expect(paid({})).toMatchObject([
      {
        type: 'PAYMENT_ACCOUNT_MISMATCH',
        severity: 'CRITICAL',
        confidence: 90,
        evidence: { account: OTHER_ACCOUNT.masked },
      },
    ]);
  });
  const said = (changes: Partial<BookedPayment>) => paid(changes)[0]?.evidence.explanation;
  test('says what was paid, which accounts the vendor had, and when it had this one', () => {
    expect(said({ reference: 'A-1', accountInMaster: { from: '2024-10-06', to: '2024-10-08' } })).toEqual([
      'The payment is for A-1.',
      'On 2024-10-04 the vendor master had only another account for the vendor.',
      'The vendor master had the account only from 2024-10-06 to 2024-10-08.',
    ]);
    const since = { from: '2024-10-06', to: undefined };
    expect(said({ accountInMaster: since, vendorKnownSince: '2024-10-05' })).toEqual([
      'The payment names no bill.',
      'The vendor was first imported on 2024-10-05, after the payment on 2024-10-04; it then had only another account.',
      'The vendor master has had the account since 2024-10-06.',
    ]);
    expect(said({ accountInMaster: { from: undefined, to: '2024-10-01' } })?.at(-1)).toBe(
      'The vendor master had the account until 2024-10-01.',
    );
    expect(said({ accountInMaster: { from: '2024-10-06', to: '2024-10-06' } })?.at(-1)).toBe(
      'The vendor master had the account only on 2024-10-06.',
    );
  });
  test('names no day where the bill does not say when it was paid', () => {
    const [finding] = paid({ isDayUnknown: true, reference: 'A-1' });
    expect(finding?.summary).not.toContain('2024');
    expect(finding?.evidence.explanation[1]).toMatch(/^The bill does not state when it was paid\./);
  });
  test.each<[string, Partial<BookedPayment>]>([
    ['an account of the vendor', { vendorAccountsThen: [HOME.key, OTHER_ACCOUNT.key] }],
    ['a payment that came back', { isReturned: true }],
    ['a vendor without known accounts', { vendorAccountsThen: [] }],
  ])('is not raised for %s', (_, changes) => {
    expect(paid(changes)).toEqual([]);
  });
});

test('PAYMENT_AMOUNT_MISMATCH names the day, the bill and what was too much', () => {
  const [finding] = findingsIn({ payments: [payment('1', { dueMinor: '100000', reference: 'A-1' })] });
  expect(finding?.summary).toBe('Acme was paid EUR 1,190.00 on 2024-10-04, but only EUR 1,000.00 was open.');
  expect(finding?.evidence.explanation).toEqual([
    'The payment is for A-1.',
    'The payment is EUR 190.00 more than was open on everything that it pays.',
  ]);
});

test('PAYMENT_AMOUNT_MISMATCH is raised beyond one unit more than was open', () => {
  const paid = (changes: Partial<BookedPayment>) => findingsIn({ payments: [payment('1', changes)] });
  expect(paid({ dueMinor: '118900' })).toEqual([]);
  expect(paid({ dueMinor: '118899' })).toMatchObject([
    {
      type: 'PAYMENT_AMOUNT_MISMATCH',
      severity: 'MEDIUM',
      confidence: 85,
      evidence: { paid: '1190.00', currency: 'EUR' },
    },
  ]);
  expect(paid({ dueMinor: '1', isReturned: true })).toEqual([]);
  expect(paid({})).toEqual([]);
});
