import { accountChangeSubjects } from '../explanation/account-changes.js';
import { duplicateBills } from './booked-bills.js';
import type { BookedPayment, BookedVendor, Books, VendorCredit } from '../facts/books.js';
import { pairKey, subject } from '../explanation/subject.js';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { MasterAccount } from '../facts/erp-facts.js';
import { shownText } from '../explanation/evidence.js';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import { counted, grouped, listed } from '../explanation/phrases.js';
import { limitsIn, moneyText } from '../explanation/money.js';
import { jaroWinkler } from '../normalisation/similarity.js';
import type { Policy } from '../policy/policy.js';
import type { BooksParameters } from '../policy/books.js';
import { compareText } from '../facts/record-order.js';

/** Maximum number of vendors that a summary names. */
const NAMED_VENDORS_MAX = 5;
/** Maximum number of added bank accounts, and of removed bank accounts, that the explanation of a finding names. */
const NAMED_ACCOUNTS_MAX = 5;

/**
 * Raises the findings about the ERP records of a company. These findings belong to no invoice (detection reference,
 * section 7.6).
 */
export function detectInBooks(books: Books, policy: Policy): RaisedFinding[] {
  const parameters = policy.books;
  return [
    ...duplicateVendors(books, policy),
    ...changedVendorAccounts(books, parameters),
    ...duplicateBills(books.bills, policy),
    ...duplicatePayments(books, policy),
    ...books.payments.flatMap((payment) => paidElsewhere(payment, parameters)),
    ...books.payments.flatMap((payment) => paidTooMuch(payment, parameters)),
  ];
}

/**
 * Reports several vendor records for the same vendor, because a bill could be paid once under each record. Branches
 * with different names and accounts are not duplicates.
 */
function duplicateVendors({ vendors }: Books, { books: { levels }, duplicates }: Policy): RaisedFinding[] {
  const active = vendors
    .filter(({ isActive }) => isActive)
    .toSorted((left, right) => compareText(left.vendorId, right.vendorId));
  const keyed = active.flatMap((vendor) => [
    ...(vendor.taxKey === undefined ? [] : [[`t:${vendor.taxKey}`, vendor] as const]),
    ...vendor.accounts.map(({ key }) => [`b:${key}`, vendor] as const),
  ]);
  const sharing = new Map<string, BookedVendor[]>();
  for (const [key, vendor] of keyed) sharing.set(key, [...(sharing.get(key) ?? []), vendor]);
  const isSimilar = (left: BookedVendor, right: BookedVendor): boolean =>
    jaroWinkler(left.nameKey, right.nameKey) >= duplicates.similarNameMin;
  const isOneVendor = (key: string, left: BookedVendor, right: BookedVendor): boolean => {
    if (left.vendorId === right.vendorId) return false;
    if (key.startsWith('b:')) return isSimilar(left, right);
    const countries = new Set([left.taxCountry, right.taxCountry].filter((country) => country !== undefined));
    return countries.size < 2 && (isSimilar(left, right) || !areBranches(left, right));
  };
  const reported = new Set<string>();
  return [...sharing]
    .sort(([left], [right]) => compareText(right, left))
    .flatMap(([key, vendors]) =>
      groupsOf(vendors, (left, right) => isOneVendor(key, left, right)).map((same) => ({ key, same })),
    )
    .flatMap(({ key, same }) => {
      const vendorIds = same.map(({ vendorId }) => vendorId);
      const group = vendorIds.toSorted(compareText).join();
      if (reported.has(group)) return [];
      reported.add(group);
      const areBilled = same.filter(({ isBilled }) => isBilled).length > 1;
      const shared = key.startsWith('t:') ? 'tax id' : 'bank account';
      return [
        {
          type: 'VENDOR_RECORD_DUPLICATE' as const,
          ...(areBilled ? levels.vendorDuplicateBilled : levels.vendorDuplicate),
          summary: `Vendors ${namesOf(same)} have the same ${shared}.`,
          about: vendorIds,
          parameters: { similarNameMin: duplicates.similarNameMin },
          observed: { vendors: same.length },
          explanation: [
            `These vendor records are active and have the same ${shared}.`,
            ...(areBilled ? ['Bills were entered for more than one of the vendor records within twelve months.'] : []),
          ],
          extra: { vendorIds, sharedKey: key.startsWith('t:') ? 'tax' : 'bank' },
        },
      ];
    });
}

/**
 * Groups vendor records for the same vendor. Each group has two records or more, and each record is for the same vendor
 * as the first.
 */
function groupsOf(
  vendors: readonly BookedVendor[],
  isSame: (left: BookedVendor, right: BookedVendor) => boolean,
): BookedVendor[][] {
  const groups: BookedVendor[][] = [];
  let open = vendors;
  for (let [first] = open; first !== undefined; [first] = open) {
    const leader = first;
    const group = open.filter((vendor) => vendor === leader || isSame(leader, vendor));
    open = open.filter((vendor) => !group.includes(vendor));
    if (group.length > 1) groups.push(group);
  }
  return groups;
}

/** Lists the names of the first vendors and counts the other vendors. */
function namesOf(vendors: readonly BookedVendor[]): string {
  const named = vendors.slice(0, NAMED_VENDORS_MAX).map(nameOfVendor);
  const more = vendors.length - named.length;
  return listed(more === 0 ? named : [...named, `${more} more`]);
}

function nameOfVendor({ name, number }: BookedVendor): string {
  return number === undefined ? shownText(name) : `${shownText(name)} (${shownText(number)})`;
}

function areBranches(left: BookedVendor, right: BookedVendor): boolean {
  const hasAccounts = ({ accounts, hasOtherAccounts = false }: BookedVendor): boolean =>
    accounts.length > 0 || hasOtherAccounts;
  if (!hasAccounts(left) || !hasAccounts(right)) return false;
  return !left.accounts.some(({ key }) => right.accounts.some((other) => other.key === key));
}

/** Reports vendors whose accounts were changed. Many changes at once are reported as one migration. */
function changedVendorAccounts(
  { companyId, vendorCount, accountChanges }: Books,
  parameters: BooksParameters,
): RaisedFinding[] {
  const changes = accountChanges
    .filter(({ openBills, before, isReviewed }) => openBills > 0 && before.length > 0 && !isReviewed)
    .toSorted((left, right) => compareText(left.vendorId, right.vendorId));
  const [first] = changes;
  if (first === undefined) return [];
  const { levels, migrationPercent, migrationVendorsMin, shownMax } = parameters;
  if (changes.length >= migrationVendorsMin && changes.length * 100 > vendorCount * migrationPercent) {
    return [
      {
        type: 'VENDOR_MASTER_BANK_CHANGED',
        ...levels.vendorAccountChanged,
        summary: `The accounts of ${grouped(changes.length)} of ${counted(vendorCount, 'vendor')} changed at the same time, as in a data migration.`,
        // If the same changes in the vendor master are examined again later, the same finding must result, so its key
        // contains no time.
        about: [companyId, first.vendorId, ...first.after.map(({ key }) => subject.account(key))],
        parameters: { migrationPercent },
        observed: { changes: changes.length, vendors: vendorCount },
        explanation: [
          `All of the accounts changed between ${minuteOf(first.seenBefore)} and ${minuteOf(first.seenAfter)}.`,
          'Compare a sample of the new accounts, beginning with the largest payees, with what the vendors have confirmed.',
        ],
        extra: {
          vendorIds: changes.slice(0, shownMax).map(({ vendorId }) => vendorId),
          openBills: changes.reduce((sum, { openBills }) => sum + openBills, 0),
          changedBetween: [first.seenBefore, first.seenAfter],
        },
      },
    ];
  }
  return changes.map(({ vendorId, vendorName, before, after, openBills, isAgain, seenBefore, seenAfter }) => ({
    type: 'VENDOR_MASTER_BANK_CHANGED' as const,
    ...levels.vendorAccountChanged,
    summary: `The account of vendor ${vendorName} changed from ${maskedList(before)} to ${maskedList(after)} while ${counted(openBills, 'bill')} ${openBills === 1 ? 'is' : 'are'} open.`,
    about: accountChangeSubjects(vendorId, after, isAgain ? seenAfter : undefined),
    parameters: { migrationPercent },
    observed: { openBills },
    explanation: [
      `The vendor master was changed between ${minuteOf(seenBefore)} and ${minuteOf(seenAfter)}.`,
      ...onlyIn(after, before).map((masked) => `Account ${masked} was added.`),
      ...onlyIn(before, after).map((masked) => `Account ${masked} was removed.`),
      ...(isAgain
        ? ['An earlier change to the same accounts was confirmed, but they were changed back afterwards.']
        : []),
    ],
    extra: {
      vendorId,
      old: before.map(({ masked }) => masked),
      new: after.map(({ masked }) => masked),
      openBills,
      changedBetween: [seenBefore, seenAfter],
    },
  }));
}

/** Formats a time for sentences in findings, precise to the minute. */
function minuteOf(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

/**
 * Lists bank accounts in the first of two lists that are not in the second, in masked form. The number of listed
 * accounts is limited.
 */
function onlyIn(accounts: readonly MasterAccount[], others: readonly MasterAccount[]): string[] {
  const keys = new Set(others.map(({ key }) => key));
  return accounts.flatMap(({ key, masked }) => (keys.has(key) ? [] : masked)).slice(0, NAMED_ACCOUNTS_MAX);
}

/**
 * Reports payments of the same amount to the same vendor within a month, unless references, a regular rhythm or a
 * credit note explain the payments.
 */
function duplicatePayments(books: Books, policy: Policy): RaisedFinding[] {
  const { duplicatePaymentDays, repeatedPaymentsMin, levels } = policy.books;
  const groups = new Map<string, BookedPayment[]>();
  for (const payment of books.payments) {
    if (payment.isReturned) continue;
    const key = `${payment.vendorId}|${payment.currency}|${payment.amountMinor}`;
    groups.set(key, [...(groups.get(key) ?? []), payment]);
  }
  return [...groups.values()].flatMap((group) => {
    const byDay = group.toSorted((left, right) => left.day - right.day || compareText(left.paymentId, right.paymentId));
    // Many payments of the same amount are usually a standing order, a salary or a list price, so they are reported
    // only with further evidence.
    const isRegular = byDay.length >= repeatedPaymentsMin;
    const credits = creditsOf(byDay, books.credits);
    const isExplained = explainedByCredits(credits, books.creditedPairs);
    return byDay.slice(1).flatMap((second, index) => {
      const first = byDay
        .slice(0, index + 1)
        .findLast(
          (earlier) =>
            second.day - earlier.day <= duplicatePaymentDays &&
            (mayShareReference(earlier, second) || areKnownPair(earlier, second, books.duplicatePairs)) &&
            !isInstalment(earlier, second) &&
            !isDeposit(earlier, second) &&
            !areCreditedPair(earlier, second, books) &&
            !isExplained(earlier, second),
        );
      if (first === undefined) return [];
      const isKnownPair = areKnownPair(first, second, books.duplicatePairs);
      const isRhythm = policy.amounts.recurringGapsDays.some(({ min, max }) => {
        const gap = second.day - first.day;
        return gap >= min && gap <= max;
      });
      // If the payments are more than a month apart, only equal references or duplicate invoices distinguish a repeated
      // payment from a standing order.
      if (isRhythm && !isKnownPair && (referenceOf(first) === '' || referenceOf(second) === '')) return [];
      // If an amount is paid regularly, a payment repeats another only if both name the same bill, or if it falls
      // between two regular payments.
      const isExtra =
        !isRhythm &&
        isRhythmic(
          byDay.filter((payment) => payment !== second),
          policy,
        );
      if (
        isRegular &&
        !isKnownPair &&
        !isExtra &&
        (isRhythm || referenceOf(first) === '' || referenceOf(second) === '')
      )
        return [];
      const amount = amountText(second, second.amountMinor);
      return [
        {
          type: 'DUPLICATE_PAYMENT' as const,
          ...(isKnownPair ? levels.duplicatePaymentOfPair : levels.duplicatePayment),
          summary: `${shownText(second.vendorName)} was paid ${amount} on ${dateOfDayNumber(first.day)} and again on ${dateOfDayNumber(second.day)}.`,
          about: [first.paymentId, second.paymentId],
          parameters: { duplicatePaymentDays, repeatedPaymentsMin },
          observed: { ...moneyOf(second, { amount: second.amountMinor }), daysBetween: second.day - first.day },
          explanation: [
            `The second payment was made ${daysAfter(second.day - first.day)} the first, to the same vendor and for the same amount.`,
            isKnownPair
              ? 'The two payments are for two bills that are duplicates of each other.'
              : purposeOf(first, second),
            creditNote(first, second, credits),
          ],
          extra: {
            paidRecords: 'PAYMENTS',
            paymentIds: [first.paymentId, second.paymentId],
            dates: [dateOfDayNumber(first.day), dateOfDayNumber(second.day)],
          },
          relatedInvoiceIds: [...new Set([...first.invoiceIds, ...second.invoiceIds])].sort(compareText),
        },
      ];
    });
  });
}

/** Checks whether both payments are instalments for the same bill and the second does not overpay it. */
function isInstalment(first: BookedPayment, second: BookedPayment): boolean {
  if (!second.invoiceIds.some((id) => first.invoiceIds.includes(id))) return false;
  return second.dueMinor !== undefined && BigInt(second.amountMinor) <= BigInt(second.dueMinor);
}

/**
 * Checks whether one of the payments names no bill and both together do not exceed the open amount of the bill that the
 * other payment names. The payment without a bill is then a deposit, or a remainder that has not been assigned yet.
 */
function isDeposit(first: BookedPayment, second: BookedPayment): boolean {
  const [named, ...others] = [first, second].filter((payment) => referenceOf(payment) !== '');
  if (named?.dueMinor === undefined || others.length > 0) return false;
  return 2n * BigInt(named.amountMinor) <= BigInt(named.dueMinor);
}

/** Checks whether payments of the same amount are made every month or every quarter. */
function isRhythmic(payments: readonly BookedPayment[], { amounts, books }: Policy): boolean {
  if (payments.length < books.repeatedPaymentsMin) return false;
  const gaps = payments.slice(1).map(({ day }, index) => day - (payments[index]?.day ?? day));
  return amounts.recurringGapsDays.some(({ min, max }) => gaps.every((gap) => gap >= min && gap <= max));
}

function areKnownPair(
  first: BookedPayment,
  second: BookedPayment,
  pairs: { readonly has: (key: string) => boolean },
): boolean {
  return first.invoiceIds.some((one) =>
    second.invoiceIds.some((other) => one !== other && pairs.has(pairKey(one, other))),
  );
}

/**
 * Checks whether the payments belong to a bill that was credited and to the bill that replaced it. The days of the
 * payments are not compared.
 */
function areCreditedPair(
  first: BookedPayment,
  second: BookedPayment,
  { creditedPairs, duplicatePairs }: Books,
): boolean {
  return areKnownPair(first, second, creditedPairs) && !areKnownPair(first, second, duplicatePairs);
}

/**
 * Checks whether the references of two payments are equal or one is missing. Two different references belong to two
 * supplies.
 */
function mayShareReference(left: BookedPayment, right: BookedPayment): boolean {
  const [one, other] = [referenceOf(left), referenceOf(right)];
  return one === '' || other === '' || one === other;
}

function referenceOf({ reference = '' }: BookedPayment): string {
  return reference.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Returns a sentence about the bills that two payments name. */
function purposeOf(first: BookedPayment, second: BookedPayment): string {
  const [one, other] = [first.reference ?? '', second.reference ?? ''];
  if (referenceOf(first) === '' && referenceOf(second) === '') return 'Neither payment names a bill.';
  if (referenceOf(second) === '') return `The first payment is for ${shownText(one)}; the second names no bill.`;
  if (referenceOf(first) === '') return `The second payment is for ${shownText(other)}; the first names no bill.`;
  return `Both payments are for ${shownText(other)}.`;
}

function daysAfter(days: number): string {
  return days === 0 ? 'on the same day as' : `${counted(days, 'day')} after`;
}

/** Lists credit notes of one vendor that have the same amount as the compared payments, sorted by day. */
function creditsOf([payment]: readonly BookedPayment[], credits: readonly VendorCredit[]): VendorCredit[] {
  if (payment === undefined) return [];
  return credits
    .filter(
      ({ vendorId, currency, amountMinor }) =>
        vendorId === payment.vendorId && currency === payment.currency && amountMinor === `-${payment.amountMinor}`,
    )
    .sort((left, right) => left.day - right.day || compareText(left.creditId, right.creditId));
}

/**
 * Checks whether a credit note between two payments explains the second payment, because it cancels the first. Each
 * credit note cancels one payment, so that one credit note cannot explain several copies. A credit note that already
 * clears two bills is not used again.
 */
function explainedByCredits(
  credits: readonly VendorCredit[],
  creditedPairs: ReadonlyMap<string, string>,
): (first: BookedPayment, second: BookedPayment) => boolean {
  const takenBack = new Map<string, VendorCredit>();
  const used = new Set<string>(creditedPairs.values());
  return (first, second) => {
    const known = takenBack.get(first.paymentId);
    if (known !== undefined) return known.day <= second.day;
    const credit = credits.find(
      (one) => !used.has(one.creditId) && isBetween(one, first, second) && canTakeBack(one, first),
    );
    if (credit === undefined) return false;
    used.add(credit.creditId);
    takenBack.set(first.paymentId, credit);
    return true;
  };
}

function isBetween({ day }: VendorCredit, first: BookedPayment, second: BookedPayment): boolean {
  return day >= first.day && day <= second.day;
}

/**
 * Checks whether a credit note can cancel a payment. A credit note that names a bill cancels only a payment for that
 * bill, so that a credit note about another bill does not hide a payment that was made twice. If it is unknown which
 * bills a payment pays, the named bill must have the amount of the payment.
 */
function canTakeBack({ bills }: VendorCredit, { invoiceIds, amountMinor }: BookedPayment): boolean {
  if (bills.length === 0) return true;
  return bills.some((bill) =>
    invoiceIds.length === 0 ? bill.amountMinor === amountMinor : invoiceIds.includes(bill.invoiceId),
  );
}

/** Returns a sentence that states why no credit note explains the second of two equal payments. */
function creditNote(first: BookedPayment, second: BookedPayment, credits: readonly VendorCredit[]): string {
  const [credit] = credits.filter((one) => isBetween(one, first, second));
  if (credit === undefined)
    return 'The ERP has no credit note from the vendor for this amount between the two payments.';
  const named = `Credit note ${shownText(credit.number)} of ${dateOfDayNumber(credit.day)} is for this amount`;
  return canTakeBack(credit, first)
    ? `${named}, but already explains another payment.`
    : `${named}, but names another bill.`;
}

/** Reports a payment to a bank account that the vendor did not have at that time. Returned payments are skipped. */
function paidElsewhere(payment: BookedPayment, { levels }: BooksParameters): RaisedFinding[] {
  const { account, vendorAccountsThen, vendorName, paymentId } = payment;
  if (account === undefined || vendorAccountsThen === undefined || vendorAccountsThen.length === 0) return [];
  if (payment.isReturned || payment.isAccountReviewed || vendorAccountsThen.includes(account.key)) return [];
  const amount = amountText(payment, payment.amountMinor);
  return [
    {
      type: 'PAYMENT_ACCOUNT_MISMATCH',
      ...levels.paidElsewhere,
      summary: `${amount} for ${shownText(vendorName)} was paid to ${account.masked}, which was not an account of the vendor${payment.isDayUnknown ? '' : ` on ${dateOfDayNumber(payment.day)}`}.`,
      about: [paymentId],
      observed: { ...moneyOf(payment, { amount: payment.amountMinor }), vendorAccounts: vendorAccountsThen.length },
      explanation: [paidFor(payment), accountsThen(payment, vendorAccountsThen.length), ...whenInMaster(payment)],
      extra: { paymentId, paidRecords: paidRecordsOf(payment), account: account.masked },
      relatedInvoiceIds: payment.invoiceIds,
    },
  ];
}

/**
 * Returns the kind of ERP record to which a payment id belongs: a bill if only the bill shows that it was paid, and
 * otherwise a payment.
 */
function paidRecordsOf({ isDayUnknown }: BookedPayment): 'PAYMENTS' | 'BILLS' {
  return isDayUnknown ? 'BILLS' : 'PAYMENTS';
}

function paidFor({ reference = '' }: BookedPayment): string {
  return reference.trim() === '' ? 'The payment names no bill.' : `The payment is for ${shownText(reference)}.`;
}

/** Describes the vendor's accounts in the vendor master at the time of the payment. */
function accountsThen({ day, isDayUnknown, vendorKnownSince }: BookedPayment, accounts: number): string {
  const others = accounts === 1 ? 'only another account' : `only ${accounts} other accounts`;
  if (isDayUnknown)
    return `The bill does not state when it was paid. The vendor master has had ${others} for the vendor.`;
  const date = dateOfDayNumber(day);
  return vendorKnownSince !== undefined && date < vendorKnownSince
    ? `The vendor was first imported on ${vendorKnownSince}, after the payment on ${date}; it then had ${others}.`
    : `On ${date} the vendor master had ${others} for the vendor.`;
}

/** States the period in which the vendor master contained the bank account, if it ever contained the account. */
function whenInMaster({ accountInMaster }: BookedPayment): string[] {
  if (accountInMaster === undefined) return [];
  const { from, to } = accountInMaster;
  if (to === undefined) return from === undefined ? [] : [`The vendor master has had the account since ${from}.`];
  if (from === undefined) return [`The vendor master had the account until ${to}.`];
  return [
    from === to
      ? `The vendor master had the account only on ${from}.`
      : `The vendor master had the account only from ${from} to ${to}.`,
  ];
}

function paidTooMuch(payment: BookedPayment, { levels, overpaidTolerance }: BooksParameters): RaisedFinding[] {
  const { dueMinor, paymentId, currency } = payment;
  if (dueMinor === undefined || payment.isReturned) return [];
  const tolerance = toMinorUnits(overpaidTolerance, minorUnitsOf(currency));
  if (BigInt(payment.amountMinor) <= BigInt(dueMinor) + tolerance) return [];
  const excess = String(BigInt(payment.amountMinor) - BigInt(dueMinor));
  const [paid, due] = [amountText(payment, payment.amountMinor), amountText(payment, dueMinor)];
  const open = BigInt(dueMinor) > 0n ? `only ${due}` : 'nothing';
  const settled = moneyOf(payment, { paid: payment.amountMinor, due: dueMinor });
  return [
    {
      type: 'PAYMENT_AMOUNT_MISMATCH',
      ...levels.overpaid,
      summary: `${shownText(payment.vendorName)} was paid ${paid}${payment.isDayUnknown ? '' : ` on ${dateOfDayNumber(payment.day)}`}, but ${open} was open.`,
      about: [paymentId],
      parameters: limitsIn(currency, { overpaidTolerance }),
      observed: settled,
      explanation: [
        paidFor(payment),
        `The payment is ${amountText(payment, excess)} more than was open on everything that it pays.`,
      ],
      extra: { paymentId, paidRecords: paidRecordsOf(payment), ...settled },
      relatedInvoiceIds: payment.invoiceIds,
    },
  ];
}

function amountText({ currency }: BookedPayment, minor: string): string {
  return moneyText(minorToDecimal(BigInt(minor), minorUnitsOf(currency)), currency);
}

/** Returns the amounts of an ERP payment as evidence of a finding. */
function moneyOf(
  { currency }: BookedPayment,
  amountsMinor: Readonly<Record<string, string>>,
): { readonly [name: string]: EvidenceValue } {
  const amounts = Object.entries(amountsMinor).map(
    ([name, minor]) => [name, minorToDecimal(BigInt(minor), minorUnitsOf(currency))] as const,
  );
  return { ...Object.fromEntries(amounts), currency };
}

function maskedList(accounts: readonly MasterAccount[]): string {
  return accounts.length === 0 ? 'no account' : accounts.map(({ masked }) => masked).join(', ');
}
