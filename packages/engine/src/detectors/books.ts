import { duplicateBills } from './booked-bills.js';
import type { BookedPayment, BookedVendor, Books, VendorCredit } from '../facts/books.js';
import { pairKey, subject } from '../explanation/subject.js';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { MasterAccount } from '../facts/erp-facts.js';
import { shownText } from '../explanation/evidence.js';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import { counted, listed } from '../explanation/phrases.js';
import { limitsIn } from '../explanation/money.js';
import { jaroWinkler } from '../normalisation/similarity.js';
import type { Policy } from '../policy/policy.js';
import type { BooksParameters } from '../policy/books.js';
import { compareText } from '../facts/record-order.js';

/** Vendors in a summary. */
const NAMED_VENDORS_MAX = 5;

/** Findings about the books, without an invoice (detection reference, section 7.6). */
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

/** Two records of one vendor allow double payment. Branches with their own names and accounts are not duplicates. */
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
      const shared = key.startsWith('t:') ? 'tax id' : 'account';
      return [
        {
          type: 'VENDOR_RECORD_DUPLICATE' as const,
          ...(areBilled ? levels.vendorDuplicateBilled : levels.vendorDuplicate),
          summary: `Vendors ${namesOf(same)} share one ${shared}.`,
          about: vendorIds,
          parameters: { similarNameMin: duplicates.similarNameMin },
          observed: { vendors: same.length },
          explanation: [
            `The active vendor records have the same ${shared}.`,
            ...(areBilled ? ['More than one of them was billed within twelve months.'] : []),
          ],
          extra: { vendorIds, sharedKey: key.startsWith('t:') ? 'tax' : 'bank' },
        },
      ];
    });
}

/** The vendors in groups of two or more, each with all that are the same as its first. */
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

/** The names of the first vendors, and how many more there are. */
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

/** Many changes at once are reported as one migration. */
function changedVendorAccounts(
  { companyId, vendorCount, accountChanges }: Books,
  parameters: BooksParameters,
): RaisedFinding[] {
  const changes = accountChanges
    .filter(({ openBills, before }) => openBills > 0 && before.length > 0)
    .toSorted((left, right) => compareText(left.vendorId, right.vendorId));
  const [first] = changes;
  if (first === undefined) return [];
  const { levels, migrationPercent, migrationVendorsMin, shownMax } = parameters;
  if (changes.length >= migrationVendorsMin && changes.length * 100 > vendorCount * migrationPercent) {
    return [
      {
        type: 'VENDOR_MASTER_BANK_CHANGED',
        ...levels.vendorAccountChanged,
        summary: `The accounts of ${changes.length} of ${vendorCount} vendors changed at once, as in a migration.`,
        // The same changes are one migration, also when they are examined again later.
        about: [companyId, first.vendorId, ...first.after.map(({ key }) => subject.account(key))],
        parameters: { migrationPercent },
        observed: { changes: changes.length, vendors: vendorCount },
        explanation: [`All were changed between ${first.seenBefore} and ${first.seenAfter}.`],
        extra: {
          vendorIds: changes.slice(0, shownMax).map(({ vendorId }) => vendorId),
          openBills: changes.reduce((sum, { openBills }) => sum + openBills, 0),
          changedBetween: [first.seenBefore, first.seenAfter],
        },
      },
    ];
  }
  return changes.map(({ vendorId, vendorName, before, after, openBills, seenBefore, seenAfter }) => ({
    type: 'VENDOR_MASTER_BANK_CHANGED' as const,
    ...levels.vendorAccountChanged,
    summary: `The account of vendor ${vendorName} changed from ${maskedList(before)} to ${maskedList(after)} while ${counted(openBills, 'bill')} ${openBills === 1 ? 'is' : 'are'} open.`,
    about: [vendorId, ...after.map(({ key }) => subject.account(key))],
    parameters: { migrationPercent },
    observed: { openBills },
    explanation: [`The vendor master was changed between ${seenBefore} and ${seenAfter}.`],
    extra: {
      vendorId,
      old: before.map(({ masked }) => masked),
      new: after.map(({ masked }) => masked),
      openBills,
      changedBetween: [seenBefore, seenAfter],
    },
  }));
}

/** The same amount to the same vendor within a month, without another reference, a rhythm or a credit in between. */
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
    // A standing order, a salary or a list price.
    const isRegular = byDay.length >= repeatedPaymentsMin;
    return byDay.slice(1).flatMap((second, index) => {
      const first = byDay
        .slice(0, index + 1)
        .findLast(
          (earlier) =>
            second.day - earlier.day <= duplicatePaymentDays &&
            (mayShareReference(earlier, second) || areKnownPair(earlier, second, books.duplicatePairs)) &&
            !isInstalment(earlier, second) &&
            !wasCredited(earlier, second, books.credits),
        );
      if (first === undefined) return [];
      const isKnownPair = areKnownPair(first, second, books.duplicatePairs);
      const isRhythm = policy.amounts.recurringGapsDays.some(({ min, max }) => {
        const gap = second.day - first.day;
        return gap >= min && gap <= max;
      });
      // A month apart, only equal references or duplicate invoices distinguish a copy from a standing order.
      if (isRhythm && !isKnownPair && (referenceOf(first) === '' || referenceOf(second) === '')) return [];
      // What is paid regularly repeats a payment only where both name the same bill, and not with the next one of a rhythm.
      if (isRegular && !isKnownPair && (isRhythm || referenceOf(first) === '' || referenceOf(second) === '')) return [];
      const amount = amountText(second, second.amountMinor);
      return [
        {
          type: 'DUPLICATE_PAYMENT' as const,
          ...(isKnownPair ? levels.duplicatePaymentOfPair : levels.duplicatePayment),
          summary: `${second.vendorName} was paid ${amount} on ${dateOfDayNumber(first.day)} and again on ${dateOfDayNumber(second.day)}.`,
          about: [first.paymentId, second.paymentId],
          parameters: { duplicatePaymentDays, repeatedPaymentsMin },
          observed: { ...moneyOf(second, { amount: second.amountMinor }), daysBetween: second.day - first.day },
          explanation: [
            'Both payments have the same vendor, amount and currency.',
            'Their references are equal, or one of them is empty.',
            ...(isKnownPair ? ['They settle two invoices that are duplicates of each other.'] : []),
          ],
          extra: {
            paymentIds: [first.paymentId, second.paymentId],
            dates: [dateOfDayNumber(first.day), dateOfDayNumber(second.day)],
          },
          relatedInvoiceIds: [...new Set([...first.invoiceIds, ...second.invoiceIds])].sort(compareText),
        },
      ];
    });
  });
}

/** Whether both settle a part of one bill, of which the second leaves nothing overpaid. */
function isInstalment(first: BookedPayment, second: BookedPayment): boolean {
  if (!second.invoiceIds.some((id) => first.invoiceIds.includes(id))) return false;
  return second.dueMinor !== undefined && BigInt(second.amountMinor) <= BigInt(second.dueMinor);
}

function areKnownPair(first: BookedPayment, second: BookedPayment, duplicatePairs: ReadonlySet<string>): boolean {
  return first.invoiceIds.some((one) =>
    second.invoiceIds.some((other) => one !== other && duplicatePairs.has(pairKey(one, other))),
  );
}

/** Whether the references are equal or one is missing; two different references mean two supplies. */
function mayShareReference(left: BookedPayment, right: BookedPayment): boolean {
  const [one, other] = [referenceOf(left), referenceOf(right)];
  return one === '' || other === '' || one === other;
}

function referenceOf({ reference = '' }: BookedPayment): string {
  return reference.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

function wasCredited(first: BookedPayment, second: BookedPayment, credits: readonly VendorCredit[]): boolean {
  return credits.some(
    (credit) =>
      credit.vendorId === first.vendorId &&
      credit.currency === first.currency &&
      credit.amountMinor.replace('-', '') === first.amountMinor &&
      credit.day >= first.day &&
      credit.day <= second.day,
  );
}

/** A payment to an account that the vendor did not have; returned payments do not count. */
function paidElsewhere(payment: BookedPayment, { levels }: BooksParameters): RaisedFinding[] {
  const { account, vendorAccountsThen, vendorName, paymentId } = payment;
  if (account === undefined || vendorAccountsThen === undefined || vendorAccountsThen.length === 0) return [];
  if (payment.isReturned || vendorAccountsThen.includes(account.key)) return [];
  const amount = amountText(payment, payment.amountMinor);
  return [
    {
      type: 'PAYMENT_ACCOUNT_MISMATCH',
      ...levels.paidElsewhere,
      summary: `${amount} for ${vendorName} was paid to ${account.masked}, which was not an account of the vendor on ${dateOfDayNumber(payment.day)}.`,
      about: [paymentId],
      observed: { ...moneyOf(payment, { amount: payment.amountMinor }), vendorAccounts: vendorAccountsThen.length },
      explanation: ['On the day of the payment the vendor master had only other accounts of the vendor.'],
      extra: { paymentId, account: account.masked },
      relatedInvoiceIds: payment.invoiceIds,
    },
  ];
}

function paidTooMuch(payment: BookedPayment, { levels, overpaidTolerance }: BooksParameters): RaisedFinding[] {
  const { dueMinor, paymentId, currency } = payment;
  if (dueMinor === undefined || payment.isReturned) return [];
  const tolerance = toMinorUnits(overpaidTolerance, minorUnitsOf(currency));
  if (BigInt(payment.amountMinor) <= BigInt(dueMinor) + tolerance) return [];
  const [paid, due] = [amountText(payment, payment.amountMinor), amountText(payment, dueMinor)];
  const settled = moneyOf(payment, { paid: payment.amountMinor, due: dueMinor });
  return [
    {
      type: 'PAYMENT_AMOUNT_MISMATCH',
      ...levels.overpaid,
      summary: `${payment.vendorName} was paid ${paid}, while ${due} was open.`,
      about: [paymentId],
      parameters: limitsIn(currency, { overpaidTolerance }),
      observed: settled,
      explanation: ['More was paid than was open on everything that the payment settles.'],
      extra: { paymentId, ...settled },
      relatedInvoiceIds: payment.invoiceIds,
    },
  ];
}

function amountText({ currency }: BookedPayment, minor: string): string {
  return `${currency} ${minorToDecimal(BigInt(minor), minorUnitsOf(currency))}`;
}

/** Amounts of a payment as evidence. */
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
  return accounts.length === 0 ? 'none' : accounts.map(({ masked }) => masked).join(', ');
}
