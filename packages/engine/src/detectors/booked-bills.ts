import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { shownText } from '../explanation/evidence.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import { pairKey, subject } from '../explanation/subject.js';
import type { BookedBill } from '../facts/books.js';
import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import { compareByArrival } from '../facts/record-order.js';
import { amountOf, amountText, comparisonRow, matchedRecord } from '../matching/comparison-row.js';
import { namesBill } from '../matching/credit.js';
import { pairsClearedByCredits } from '../matching/credited-bills.js';
import type { PairScore } from '../matching/pair.js';
import { isLive, isSameInvoice, scorePairs } from '../matching/pair-score.js';
import { noteOf, pairSummary } from '../matching/wording.js';
import type { Policy } from '../policy/policy.js';
import { emptyProfile } from '../supplier/profile.js';

const DAY_MS = 86_400_000;

/** Two ERP records of the same bill, with the earlier record first. */
export interface BilledTwice {
  readonly original: Candidate;
  readonly copy: Candidate;
  /** The comparison of a bill in the ERP with the original that it copies. */
  readonly pair: PairScore;
}

/**
 * Finds bills that were entered in the ERP twice. Each pair of bills gets points for what the two bills have in common
 * (detection reference, section 5). Each copy is reported with the earliest bill that it repeats, so that a pair is the
 * same regardless of which bill is examined.
 * @param cleared pairs that a credit note between the bills clears, if the caller knows more credit notes than `booked`
 * contains
 */
export function billedTwice(
  { bill, others, creditedIds }: Pick<BookedBill, 'bill' | 'others' | 'creditedIds'>,
  policy: Policy,
  cleared?: ReadonlyMap<string, string>,
): BilledTwice[] {
  if (!isPayable(bill)) return [];
  const records = [bill, ...others];
  const repeated = repeatedBy(bill, records, policy);
  if (repeated.length === 0) return [];
  const credited = cleared ?? creditedPairs(records, policy, creditedIds);
  const same = repeated
    .filter(({ other }) => !credited.has(pairKey(bill.invoiceId, other.invoiceId)))
    .sort((left, right) => compareByArrival(left.other, right.other));
  const [earliest] = same;
  if (earliest === undefined) return [];
  if (compareByArrival(earliest.other, bill) < 0) return [{ original: earliest.other, copy: bill, pair: earliest }];
  return same.flatMap(({ other }) => {
    const pair = repeatedBy(other, records, policy).find((scored) => scored.other.invoiceId === bill.invoiceId);
    return pair === undefined ? [] : [{ original: bill, copy: other, pair }];
  });
}

/**
 * Returns the pairs of bills that look like duplicates but are explained by a credit note among the records. The result
 * maps the key of each pair to the id of its credit note.
 * @param creditedIds maps the id of a credit note to the ids of bills that its number names and that are not in
 * `records`
 */
export function creditedPairs(
  records: readonly Candidate[],
  policy: Policy,
  creditedIds: ReadonlyMap<string, readonly string[]> = new Map(),
): ReadonlyMap<string, string> {
  const bills = records.filter(isPayable);
  const credits = records.filter(isCredit).map((note) => {
    const named = bills.filter((bill) => namesBill(note, bill)).map(({ invoiceId }) => invoiceId);
    return { note, namedIds: new Set([...named, ...(creditedIds.get(note.invoiceId) ?? [])]) };
  });
  const repeats = (bill: Candidate, earlier: readonly Candidate[]): readonly Candidate[] => {
    const ids = new Set(repeatedBy(bill, records, policy).map(({ other }) => other.invoiceId));
    return earlier.filter(({ invoiceId }) => ids.has(invoiceId));
  };
  return pairsClearedByCredits(bills, credits, repeats, policy.books);
}

/**
 * Returns the pairs formed by a booked bill and the bills that it repeats or that repeat it. Credit notes do not reduce
 * the points of a pair in this comparison, because they clear whole pairs.
 */
function repeatedBy(bill: Candidate, records: readonly Candidate[], { duplicates }: Policy): PairScore[] {
  const compared = records.filter(
    (record) => record.invoiceId !== bill.invoiceId && (isPayable(record) || isCredit(record)),
  );
  // The supplier of a bill may not be known yet. In that case, the tax id and the name identify the supplier.
  const others = bill.supplierId === null ? compared.map((other) => ({ ...other, supplierId: null })) : compared;
  return scorePairs(factsOf(bill), others, duplicates, []).filter(
    ({ other, halfPoints }) => halfPoints >= duplicates.highMin && other.companyId === bill.companyId,
  );
}

/**
 * Reports bills that were entered in the ERP twice. Once both entries are paid, the second payment must be claimed
 * back.
 */
export function duplicateBills(bills: readonly BookedBill[], policy: Policy): RaisedFinding[] {
  return bills.flatMap((booked) =>
    billedTwice(booked, policy).flatMap((twice) => {
      const both = [twice.original.invoiceId, twice.copy.invoiceId];
      const paid = both.filter((id) => booked.paidIds.includes(id)).length;
      if (paid < both.length) return [duplicateBill(twice, paid, policy)];
      // If the ERP reports both payments, another rule compares these payments by their own dates.
      return both.every((id) => booked.settledIds.includes(id)) ? [] : paidTwice(twice, policy);
    }),
  );
}

function duplicateBill(twice: BilledTwice, paid: number, policy: Policy): RaisedFinding {
  const { original, copy, pair } = twice;
  const { books, duplicates } = policy;
  const isCertain = isSameInvoice(pair, duplicates);
  return {
    type: 'BOOKS_DUPLICATE_BILL',
    ...(isCertain ? books.levels.duplicateBill : books.levels.suspectedDuplicateBill),
    summary: pairSummary(
      copy,
      pair,
      isCertain ? 'was entered twice: it repeats' : 'may have been entered twice: it looks like',
      amountText(original),
    ),
    actionValues: {
      number: `${shownText(copy.invoiceNumber)} of ${copy.issueDate}`,
      other: `${shownText(original.invoiceNumber)} of ${original.issueDate}`,
    },
    about: [subject.pair(original.invoiceId, copy.invoiceId)],
    ...pairEvidence(
      twice,
      policy,
      paid === 0 ? 'Neither of the two bills has been paid.' : 'One of the two bills has been paid.',
    ),
  };
}

/**
 * Reports that two bills for the same supply were both paid. Bills whose numbers are only similar are separate bills if
 * their dates are far apart.
 */
function paidTwice(twice: BilledTwice, policy: Policy): RaisedFinding[] {
  const { original, copy, pair } = twice;
  const { books, duplicates } = policy;
  const isCertain = isSameInvoice(pair, duplicates);
  const daysBetween = Math.abs(copy.issueDay - original.issueDay);
  if (!isCertain && daysBetween > books.duplicatePaymentDays) return [];
  const { parameters, observed, extra, ...evidence } = pairEvidence(twice, policy, 'Both bills have been paid.');
  return [
    {
      type: 'DUPLICATE_PAYMENT',
      ...(isCertain ? books.levels.duplicatePaymentOfPair : books.levels.duplicatePayment),
      summary: pairSummary(
        copy,
        pair,
        isCertain ? 'was paid twice: it repeats' : 'may have been paid twice: it looks like',
        amountText(original),
      ),
      about: [original.invoiceId, copy.invoiceId],
      ...evidence,
      parameters: { ...parameters, duplicatePaymentDays: books.duplicatePaymentDays },
      observed: { ...observed, daysBetween },
      extra: {
        ...extra,
        // If the ERP does not report payments, the two paid bills themselves are the evidence of the payments.
        paidRecords: 'BILLS',
        paymentIds: [original.invoiceId, copy.invoiceId],
        dates: [original.issueDate, copy.issueDate],
      },
    },
  ];
}

/**
 * Returns the evidence for a pair of booked bills (detection reference, section 8). The evidence begins with the paid
 * amounts.
 */
function pairEvidence(
  { original, copy, pair }: BilledTwice,
  { duplicates }: Policy,
  paid: string,
): Pick<RaisedFinding, 'parameters' | 'observed' | 'explanation' | 'extra' | 'relatedInvoiceIds'> {
  const points = pair.halfPoints / 2;
  return {
    parameters: { duplicateMin: duplicates.duplicateMin / 2, highMin: duplicates.highMin / 2 },
    observed: { points },
    explanation: [
      paid,
      ...pair.comparisons.filter(({ field }) => field !== 'base').map(({ field, relation }) => noteOf(field, relation)),
    ],
    extra: {
      points,
      matchedTotal: 1,
      matched: [matchedRecord(copy, original, points)],
      comparisons: pair.comparisons.map((row) => comparisonRow(copy, pair, row)),
      amountAtRisk: amountOf(copy),
      amountAtRiskCurrency: copy.currency,
    },
    relatedInvoiceIds: [original.invoiceId, copy.invoiceId],
  };
}

/** Checks whether a bill in the ERP can be paid, because only such a bill can be paid twice. */
function isPayable(bill: Candidate): boolean {
  return BigInt(bill.amountMinor) > 0n && isLive(bill);
}

function isCredit(note: Candidate): boolean {
  return note.amountMinor.startsWith('-') && isLive(note);
}

/** Converts a bill to facts, so that pairs can be scored. ERP bills have no supplier history. */
function factsOf(bill: Candidate): Facts {
  return {
    format: 1,
    asOf: dateOfDayNumber(Math.floor(bill.receivedAtMs / DAY_MS)),
    invoice: { ...bill, bankProblems: [] },
    supplier: { supplierId: bill.supplierId ?? '', reason: 'NEW', profile: emptyProfile },
    candidates: [],
    candidateCapHit: false,
    bankLink: null,
    orderLink: null,
    ratesPerEuro: {},
    base: null,
  };
}
