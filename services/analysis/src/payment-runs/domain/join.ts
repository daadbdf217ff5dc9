import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { isLikeName } from '@invoicecontrol/engine/supplier/name-likeness';
import { decisionOf, isPayable, openMinor } from './payable.js';
import type { Payable, ReceivedCredit } from './payable.js';
import { comparedAmount } from './payment-line.js';
import type { PaymentLine } from './payment-line.js';
import { taxIdsOf } from './references.js';
import type { LineReferences, StatedNumber } from './references.js';

/** Reason why a payment was not joined to an invoice that resembles it. */
export type WhyNot = 'OTHER_NUMBER' | 'OTHER_AMOUNT' | 'OTHER_SUPPLIER' | 'WITHDRAWN';

export interface NearInvoice {
  readonly invoiceId: string;
  readonly whyNot: WhyNot;
}

/** The invoices that a payment pays or, if there are none, the invoices that resemble the payment most. */
export interface JoinedLine {
  readonly references: LineReferences;
  readonly payables: readonly Payable[];
  /** Invoices that a KSeF number in the payment names, if the invoice numbers in the payment name other invoices. */
  readonly contradicting: readonly Payable[];
  readonly candidates: readonly NearInvoice[];
}

/** Facts of one payment of a payment run: the line, and the invoices and bills that share a key with it. */
export interface LineFacts {
  readonly line: PaymentLine;
  /** Invoices and bills that share a number, a KSeF number or, if no number matches, the amount with the payment. */
  readonly payables: readonly Payable[];
  /**
   * Received credit notes that no payment is known to have used, from the suppliers of the payment's invoices. Absent
   * if there are none, and in facts from before version 1.1.0 of the rules for payments.
   */
  readonly receivedCredits?: readonly ReceivedCredit[];
  /** Ids of invoices that a person named in the release of the payment line. */
  readonly namedIds?: readonly string[];
  /** Record of a confirmed fraud with the account of the payment line. Undefined if there is none. */
  readonly confirmedFraud?: { readonly reviewId: string; readonly confirmedAt: string };
  /** Result of the bank's verification of the payee, as the report on an earlier payment run states it. */
  readonly payeeCheck?: {
    readonly result: 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH' | 'NOT_POSSIBLE';
    readonly name?: string;
  };
}

/** Maximum number of invoices that one payment can settle. */
export const INVOICES_PER_LINE_MAX = 200;
/** Maximum number of similar invoices that are shown for a payment if no invoice could be found that it pays. */
const CANDIDATES_SHOWN_MAX = 5;
/**
 * Maximum number of days between the issue of a bill and a payment that states no number but has the same amount as the
 * bill.
 */
const AMOUNT_DAYS_MAX = 400;

/**
 * Finds the invoices that a payment pays: first those that a person named, then those whose KSeF numbers the payment
 * states, and then those whose invoice numbers it states. If the payment states no number, it pays the creditor's bill
 * with the paid amount.
 * @param references references of the line, from `referencesOf`
 * @param isTaken checks whether an earlier line of the run already pays the whole open amount of a bill
 */
export function joinLine(
  facts: LineFacts,
  references: LineReferences,
  isTaken: (payable: Payable) => boolean,
): JoinedLine {
  const { line } = facts;
  const [live, withdrawn] = partition(debtsIn(facts.payables), isPayable);
  const compared = comparedWith(line, live);
  const isFree = (payable: Payable): boolean => openMinor(payable) !== 0n && !isTaken(payable);
  const none = { references, contradicting: [], candidates: [] };
  const stated = statedIn(facts, references, compared, isFree);
  if (stated.payables.length > 0) return { ...none, ...stated };
  const fitting = compared
    .filter(({ payable, isCreditors, hasAmount }) => hasAmount && isCreditors && isRecent(line, payable))
    .map(({ payable }) => payable);
  if (!references.isNumbered) {
    const free = sorted(fitting).find(isFree) ?? sorted(fitting)[0];
    if (free !== undefined) return { ...none, payables: [free] };
  }
  const near = [
    ...fitting.map((payable) => ({ payable, whyNot: 'OTHER_NUMBER' as const })),
    ...withdrawn.map((payable) => ({ payable, whyNot: 'WITHDRAWN' as const })),
    ...compared
      .filter(({ payable }) => !fitting.includes(payable))
      .map(({ payable, isCreditors }) => ({
        payable,
        whyNot: isCreditors ? ('OTHER_AMOUNT' as const) : ('OTHER_SUPPLIER' as const),
      })),
  ];
  const candidates = near
    .slice(0, CANDIDATES_SHOWN_MAX)
    .map(({ payable: { invoiceId }, whyNot }): NearInvoice => ({ invoiceId, whyNot }));
  return { ...none, payables: [], candidates };
}

/**
 * Checks whether a payment states a KSeF number or an invoice number of an invoice in its facts, or whether the person
 * who released the payment named such an invoice. If so, invoices that have only the amount in common with the payment
 * do not change which invoices it pays.
 */
export function namesInvoice(facts: LineFacts, references: LineReferences): boolean {
  const compared = comparedWith(facts.line, debtsIn(facts.payables).filter(isPayable));
  return statedIn(facts, references, compared, () => true).payables.length > 0;
}

/** Returns the invoices that a person named for a payment, or those that its KSeF numbers and invoice numbers name. */
function statedIn(
  { namedIds = [] }: LineFacts,
  references: LineReferences,
  compared: readonly Compared[],
  isFree: (payable: Payable) => boolean,
): Pick<JoinedLine, 'payables' | 'contradicting'> {
  const live = compared.map(({ payable }) => payable);
  const named = live.filter(
    ({ invoiceId, bookedAs }) =>
      namedIds.includes(invoiceId) || (bookedAs !== undefined && namedIds.includes(bookedAs)),
  );
  if (named.length > 0) return { payables: sorted(named), contradicting: [] };
  const registered = live.filter(
    ({ ksefNumber }) => ksefNumber !== undefined && references.ksefNumbers.includes(ksefNumber),
  );
  const numbered = byNumbers(references.numbers, compared, isFree);
  return {
    payables: sorted([...new Set([...registered, ...numbered])]).slice(0, INVOICES_PER_LINE_MAX),
    contradicting: numbered.length === 0 ? [] : registered.filter((payable) => !numbered.includes(payable)),
  };
}

/** Merges each received invoice with the bill that books it, because both are one debt. */
function debtsIn(payables: readonly Payable[]): readonly Payable[] {
  const booked = new Set(payables.flatMap(({ bookedAs }) => bookedAs ?? []));
  return [...new Map(payables.map((payable) => [payable.invoiceId, payable])).values()].filter(
    ({ invoiceId }) => !booked.has(invoiceId),
  );
}

/** A bill that a payment may pay, and the values in which the bill agrees with the payment line. */
interface Compared {
  readonly payable: Payable;
  /**
   * True if the payment line pays the supplier of the bill, according to the account, the tax id or the name in the
   * line.
   */
  readonly isCreditors: boolean;
  /** True if the payment has the same amount as the bill, or pays exactly the open part of it. */
  readonly hasAmount: boolean;
}

function comparedWith(line: PaymentLine, payables: readonly Payable[]): readonly Compared[] {
  const accountKey = line.creditorAccount?.key;
  const taxIds = taxIdsOf(line);
  const nameKey = line.creditorName === undefined ? undefined : readName(line.creditorName).key;
  const { amount, currency } = comparedAmount(line);
  const minor = toMinorUnits(amount, minorUnitsOf(currency));
  return payables.map((payable): Compared => {
    const { accounts, taxKey, nameKeys } = payable;
    return {
      payable,
      isCreditors:
        (accountKey !== undefined && accounts.some(({ key }) => key === accountKey)) ||
        (taxKey !== undefined && taxIds.some((taxId) => taxId.endsWith(taxKey))) ||
        (nameKey !== undefined && isLikeName(nameKeys, nameKey)),
      hasAmount:
        currency === payable.currency && (minor === BigInt(payable.amountMinor) || minor === openMinor(payable)),
    };
  });
}

/**
 * Finds the bill that each number in a payment names. A number in a field for documents takes precedence over a number
 * in a text.
 */
function byNumbers(
  numbers: readonly StatedNumber[],
  compared: readonly Compared[],
  isFree: (payable: Payable) => boolean,
): readonly Payable[] {
  const found = numbers.flatMap((stated) => {
    const best = bestOf(stated, compared, isFree);
    return best === undefined ? [] : [{ ...best, isExplicit: stated.isExplicit }];
  });
  const explicit = found.filter(({ isExplicit }) => isExplicit);
  if (explicit.length > 0) return explicit.map(({ payable }) => payable);
  // If exactly one of several bills with a stated number has the paid amount, it is the paid bill: the text of a
  // payment may also state the number of a customer or a contract that happens to equal the number of an old bill.
  const exact = found.filter(({ hasAmount }) => hasAmount);
  return (exact.length === 1 ? exact : found).map(({ payable }) => payable);
}

/**
 * Chooses the paid bill among the bills whose number a payment states. A bill of the paid supplier takes precedence,
 * then the bill with the more similar number, and then the bill with the paid amount. A copy of a bill with another
 * amount is therefore chosen only for a payment of that amount. If several bills are still equal, a bill with the
 * decision PASS is chosen before a held bill, which is probably its copy. If the payment states a contract number that
 * every monthly bill contains, the oldest open bill is chosen.
 */
function bestOf(
  { number }: StatedNumber,
  compared: readonly Compared[],
  isFree: (payable: Payable) => boolean,
): Compared | undefined {
  const rated = compared.flatMap((one) => {
    const { payable, isCreditors, hasAmount } = one;
    const form = formsInCommon(number, payable.number);
    // The number of a bill alone does not identify it for a payment, because many suppliers have a bill 1001. The
    // supplier or the amount must agree as well.
    if (form === 0 || !(isCreditors || hasAmount)) return [];
    return [
      {
        one,
        rating: [
          Number(isCreditors),
          form,
          Number(hasAmount),
          Number(decisionOf(payable) === 'PASS'),
          Number(isFree(payable)),
        ],
      },
    ];
  });
  rated.sort(
    (left, right) => compareRatings(right.rating, left.rating) || compareArrival(left.one.payable, right.one.payable),
  );
  return rated[0]?.one;
}

function compareRatings(left: readonly number[], right: readonly number[]): number {
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareArrival(left: Payable, right: Payable): number {
  return left.receivedAtMs - right.receivedAtMs || compareText(left.invoiceId, right.invoiceId);
}

/**
 * Compares the number of a bill with a number that a payment states. Returns 3 for equal numbers, 2 for numbers that
 * differ in misread letters, 1 if one number may be a copy or a part of the other, and otherwise 0.
 */
function formsInCommon(stated: StatedNumber['number'], own: StatedNumber['number']): number {
  if (stated.f1 === own.f1) return 3;
  if (stated.o1 === own.o1 || stated.o2 === own.o2) return 2;
  const [bases, others] = [basesOf(stated), basesOf(own)];
  return bases.some((form) => others.includes(form)) ? 1 : 0;
}

function basesOf({ o1, o2, b1, b2 }: StatedNumber['number']): string[] {
  return [o1, o2, b1, b2].filter((form): form is string => form !== undefined && form !== '');
}

function isRecent({ executionDate }: PaymentLine, { issueDay }: Payable): boolean {
  return executionDate === undefined || Math.abs(dayNumber(executionDate) - issueDay) <= AMOUNT_DAYS_MAX;
}

/**
 * Sorts the bills of a payment by their issue date, oldest first, so that the result does not depend on the order in
 * which they were read.
 */
function sorted(payables: readonly Payable[]): readonly Payable[] {
  return payables.toSorted((left, right) => left.issueDay - right.issueDay || compareArrival(left, right));
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
