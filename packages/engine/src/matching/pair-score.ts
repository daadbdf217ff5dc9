import { COLLECTION_WORDS } from '../data/collection-words.js';
import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import { digitCount } from '../normalisation/invoice-number.js';
import { editDistance } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import { compareByArrival } from '../facts/record-order.js';
import { haveConflictingTaxIds } from '../supplier/identity.js';
import { amountRelation } from './amount-relation.js';
import type { AmountRelation } from './amount-relation.js';
import { creditNotesOf, hasOpenCredit } from './credit.js';
import { dateRelation, isOfTheSameDays } from './date-relation.js';
import type { DateRelation } from './date-relation.js';
import {
  contractNeighbourDays,
  contractStepDays,
  habitOf,
  isCustomerNumber,
  isSecondOfContract,
  isYearlyBill,
  namesItsBill,
} from './contract.js';
import { isNamedInKsef, isOneThroughKsef } from './ksef-copies.js';
import { numberRelation } from './number-relation.js';
import type { Agreement } from './number-relation.js';
import { isOddAmount } from './odd-amount.js';
import { haveOwnOrders } from './own-orders.js';
import type { Comparison, PairScore } from './pair.js';
import { isHabitualPart } from './part-habit.js';
import { amountHistory, isBilledOnceADay, othersOfDay, recurringOthers } from './recurrence.js';
import { tellingDigits } from './similar-numbers.js';
import { isSameSupplier, supplierRelation } from './supplier-relation.js';
import { isUnrelatedPair, ownNumbersRow, stepRow, unrelatedRows } from './unrelated-number.js';
import type { UnrelatedContext } from './unrelated-number.js';

/**
 * Returns the earlier records of which the checked invoice may be a copy. They must be valid and not confirmed as
 * duplicates or fraud. A bill that states the number of another bill can still be the original of a copy.
 */
export function originalsOf(facts: Facts): Candidate[] {
  return facts.candidates.filter(
    (candidate) =>
      isEarlier(facts, candidate) &&
      isLive(candidate) &&
      (candidate.confirmedAs === undefined || candidate.confirmedAs === 'REUSED_NUMBER') &&
      candidate.bookedInvoiceId !== facts.invoice.invoiceId,
  );
}

/** Checks whether a record counts as an invoice. A failed, void or rejected record does not count. */
export function isLive({ status }: Pick<Candidate, 'status'>): boolean {
  return status === 'RECEIVED' || status === 'ANALYZED';
}

/**
 * Checks whether a compared invoice arrived before the checked invoice. If two records are equal, the later record gets
 * the finding.
 */
export function isEarlier(facts: Facts, candidate: Candidate): boolean {
  return candidate.invoiceId !== facts.invoice.invoiceId && compareByArrival(candidate, facts.invoice) < 0;
}

/**
 * Computes the points of each pair of the checked invoice and an earlier invoice. Pairs with opposite signs are left
 * out.
 * @param creditNotes credit notes that reduce the points of a pair; empty if credit notes exclude pairs instead
 */
export function scorePairs(
  facts: Facts,
  originals: readonly Candidate[],
  parameters: DuplicateParameters,
  creditNotes: readonly Candidate[] = creditNotesOf(facts, originals),
): PairScore[] {
  if (originals.length === 0) return [];
  const compared = originals.map((other) => compare(facts, parameters, other));
  const comparable = compared.filter((pair) => pair.amount !== 'OPPOSITE');
  const context: PairContext = {
    facts,
    originals,
    parameters,
    amounts: amountHistory(facts, originals, parameters),
    creditNotes,
    withItsNumber: comparable.filter(isOfItsNumber),
  };
  const contract = contractOf(context, comparable);
  return comparable.map((pair) => summed(context, contract(pair) ? { ...pair, number: 'CONTRACT' } : pair));
}

/**
 * Checks whether a pair of records is certainly the same invoice: number, amount and supplier agree, and only the
 * notation of the number may differ. For a document that names its KSeF invoice, the numbers may differ.
 */
export function isSameInvoice(pair: PairScore, { duplicateMin }: DuplicateParameters): boolean {
  return (
    pair.halfPoints >= duplicateMin &&
    (pair.number === 'IDENT' ||
      pair.number === 'FORMAT' ||
      pair.comparisons.some(({ relation }) => relation === 'NAMED')) &&
    pair.amount === 'EQ' &&
    pair.sameSupplier
  );
}

/** Checks whether the compared record has the same supplier and the same number as the checked invoice. */
function isOfItsNumber(pair: Compared): boolean {
  return pair.sameSupplier && haveOneNumber(pair);
}

/** Checks whether two invoice numbers differ at most in their notation. */
function haveOneNumber({ number }: Pick<Compared, 'number'>): boolean {
  return number === 'IDENT' || number === 'FORMAT';
}

/** Checks whether two suppliers have nothing in common, or only a part of their names. */
function areOtherSuppliers({ supplier }: Pick<Compared, 'supplier'>): boolean {
  return supplier === 'NONE' || supplier === 'PART';
}

/**
 * Finds pairs of bills in which the invoice number identifies a contract or a customer and therefore does not identify
 * the bill.
 */
function contractOf(
  { facts: { invoice, supplier }, parameters }: PairContext,
  comparable: readonly Compared[],
): (pair: Compared) => boolean {
  const { issueDay } = invoice;
  const numbered = comparable.filter(isOfItsNumber);
  const habit = habitOf(
    numbered.map(({ other }) => other),
    invoice,
  );
  const ofHabit = numbered.filter(({ other }) => habit.has(other));
  const series = ofHabit.filter((pair) => pair.amount === 'EQ');
  const daysOf = (pairs: readonly Compared[]): number[] => pairs.map((pair) => pair.other.issueDay);
  const isOfCustomer =
    isCustomerNumber([issueDay, ...daysOf(ofHabit)], parameters) && !ofHabit.some(({ other }) => namesItsBill(other));
  // When the price of a contract rises, the first bills at the new price arrive at the same interval as the earlier
  // bills.
  const step =
    contractStepDays(daysOf(series), parameters) ??
    (isOfCustomer ? contractStepDays(daysOf(ofHabit), parameters) : undefined);
  // If the issue dates of two bills have day and month swapped, they are a month apart only by chance.
  const second =
    numbered.length === 1 ? series.filter(({ date, other }) => date !== 'SWAP' && !namesItsBill(other)) : [];
  const billsBefore = supplier.profile.count;
  const isContract = step !== undefined || isSecondOfContract(daysOf(second), { issueDay, billsBefore }, parameters);
  const neighbourDays = step === undefined ? 0 : contractNeighbourDays(step, parameters);
  return (pair) => {
    if (!pair.sameSupplier || !SAME_NUMBER.includes(pair.number)) return false;
    const { other } = pair;
    const daysApart = Math.abs(other.issueDay - issueDay);
    const daysMin = habit.has(other) && pair.amount === 'EQ' ? neighbourDays : 0;
    const isNeighbour = isContract && daysApart > parameters.contractSameBillDays && daysApart >= daysMin;
    return (
      isNeighbour ||
      (pair.amount === 'EQ' && isYearlyBill(invoice, other, parameters)) ||
      (isOfCustomer && pair.amount !== 'EQ')
    );
  };
}

/**
 * Relations in which two invoice numbers may be one contract number. If a number is known as a contract number, two
 * bills from different months are not copies, even if one of them states the number with a suffix or a misread
 * character.
 */
const SAME_NUMBER: readonly PairScore['number'][] = ['IDENT', 'FORMAT', 'OCR', 'YEARLESS', 'SUFFIX', 'EXTRA'];
/** Relations between two invoice numbers that give a pair fewer points if the numbers are short. */
const NEEDS_LENGTH: readonly PairScore['number'][] = ['IDENT', 'FORMAT', 'OCR', 'YEARLESS', 'REORDERED'];

/** Relations between two invoice numbers that differ but may have been the same number. */
const ALIKE_NUMBER: readonly PairScore['number'][] = ['REORDERED', 'TYPO', 'CONTAINS', 'TYPO2', 'ROUNDED', 'MISSING'];

/** Values of the checked invoice that all its pairs with earlier invoices share. */
interface PairContext extends UnrelatedContext {
  readonly originals: readonly Candidate[];
  readonly creditNotes: readonly Candidate[];
}

type Compared = Pick<PairScore, 'other' | 'number' | 'amount' | 'date' | 'supplier' | 'sameSupplier'>;

function compare(facts: Facts, parameters: DuplicateParameters, other: Candidate): Compared {
  const { invoice } = facts;
  const amount = amountRelation(invoice, other, facts.ratesPerEuro, parameters);
  const date = dateRelation(invoice, other, parameters);
  return {
    other,
    number: numberRelation(invoice, other, agreementOf(invoice, other, amount, date), parameters),
    amount,
    date,
    supplier: supplierRelation(invoice, other, parameters),
    sameSupplier: isSameSupplier(facts.supplier.supplierId, invoice, other),
  };
}

function agreementOf(invoice: Candidate, other: Candidate, amount: AmountRelation, date: DateRelation): Agreement {
  const isOneOrder = invoice.poKey !== undefined && invoice.poKey === other.poKey;
  return {
    amountAndDate: amount === 'EQ' && date === 'SAME',
    amountAndDays: amount === 'EQ' && (isOfTheSameDays(date) || (isOneOrder && date === 'FAR')),
  };
}

function summed(context: PairContext, compared: Compared): PairScore {
  const { facts, parameters } = context;
  const { halfPoints } = parameters;
  const others = compared.amount === 'EQ' ? recurringOthers(context.amounts, compared.other) : 0;
  const pair: Compared = isHabitualPart(context, compared, others) ? { ...compared, number: 'PARTS' } : compared;
  const comparisons: Comparison[] = [
    { field: 'base', relation: 'BASE', halfPoints: halfPoints.base },
    {
      field: 'number',
      relation: pair.number,
      halfPoints: numberPoints(facts.invoice, { ...pair, others }, parameters),
    },
    {
      field: 'amount',
      relation: pair.amount,
      halfPoints: pair.amount === 'OPPOSITE' ? 0 : halfPoints.amount[pair.amount],
    },
    { field: 'date', relation: pair.date, halfPoints: halfPoints.date[pair.date] },
    { field: 'supplier', relation: pair.supplier, halfPoints: halfPoints.supplier[pair.supplier] },
    ...strangersRow(facts.invoice, pair, parameters),
    ...longNumberRow(facts.invoice, pair, parameters),
    ...collectedRow(facts.invoice, pair, parameters),
    ...taxConflictRow(facts.invoice, pair, parameters),
    ...orderRow(context, { ...pair, others }),
    ...repetitionRows(context, pair, others),
    ...creditRow(context, pair),
  ];
  if (isUnrelatedPair(context, pair)) comparisons.push(...ownNumbersRow(comparisons, total(comparisons), parameters));
  comparisons.push(...sameFileRow(facts.invoice, pair, total(comparisons), parameters));
  comparisons.push(...channelRow(facts.invoice, pair, total(comparisons), parameters));
  return {
    other: pair.other,
    number: pair.number,
    amount: pair.amount,
    date: pair.date,
    supplier: pair.supplier,
    sameSupplier: pair.sameSupplier,
    comparisons,
    halfPoints: total(comparisons),
    recurringOthers: others,
  };
}

/** Limits the points that two equal but short invoice numbers give to a pair. */
function numberPoints(
  invoice: Candidate,
  pair: Compared & { readonly others: number },
  { halfPoints, shortNumberLength }: DuplicateParameters,
): number {
  const full = halfPoints.number[pair.number];
  if (!NEEDS_LENGTH.includes(pair.number)) return full;
  const numbers = [invoice.number, pair.other.number];
  const isShort = numbers.some(({ f1 }) => f1.length < shortNumberLength);
  // The counter in an invoice number may restart each year, so only the digits of the counter are compared.
  const isShortCounter = pair.date === 'YEAR' && numbers.some(({ f1 }) => digitCount(f1) < shortNumberLength);
  if (!isShort && !isShortCounter) return full;
  const isOfOneYear = invoice.issueDate.slice(0, 4) === pair.other.issueDate.slice(0, 4) && pair.date !== 'SAME';
  const isOneTime = pair.sameSupplier && pair.amount === 'EQ' && pair.others === 0;
  return Math.min(full, isOfOneYear && isOneTime ? halfPoints.shortNumberSameYear : halfPoints.shortNumber);
}

/**
 * Reduces the points for unrelated suppliers, because two contractors may both send bill 1/04/2026 on the same day at
 * the same rates.
 */
function strangersRow(
  invoice: Candidate,
  { other, supplier }: Compared,
  { halfPoints, strangersDigitsMin }: DuplicateParameters,
): Comparison[] {
  if (supplier !== 'NONE') return [];
  const isSimple = [invoice, other].some((record) => tellingDigits(record) < strangersDigitsMin);
  return isSimple ? [{ field: 'supplier', relation: 'STRANGERS', halfPoints: halfPoints.strangers }] : [];
}

/**
 * Adds points to a pair if two different suppliers state the same long invoice number with the same odd amount within
 * days. Such a number does not recur by chance, so the bill was probably booked under two names of one supplier.
 */
function longNumberRow(invoice: Candidate, pair: Compared, parameters: DuplicateParameters): Comparison[] {
  const { other, amount, date } = pair;
  const { halfPoints, longNumberDigitsMin } = parameters;
  if (!areOtherSuppliers(pair) || !haveOneNumber(pair) || amount !== 'EQ') return [];
  if (!isOfTheSameDays(date) || !isOddAmount(invoice, parameters)) return [];
  if ([invoice, other].some((record) => tellingDigits(record) < longNumberDigitsMin)) return [];
  return [{ field: 'rarity', relation: 'LONG_NUMBER', halfPoints: halfPoints.longNumber }];
}

/**
 * Adds points to a pair if a debt collector states the odd amount of a bill from another supplier and the same bank
 * account. The collector numbers its demands itself, so the two numbers differ.
 */
function collectedRow(invoice: Candidate, pair: Compared, parameters: DuplicateParameters): Comparison[] {
  if (!isCollected(invoice, pair, parameters)) return [];
  return [{ field: 'supplier', relation: 'COLLECTED', halfPoints: parameters.halfPoints.collected }];
}

function isCollected(
  invoice: Candidate,
  { other, amount, supplier, sameSupplier }: Compared,
  parameters: DuplicateParameters,
): boolean {
  return (
    !sameSupplier &&
    supplier === 'BANK' &&
    amount === 'EQ' &&
    isOddAmount(invoice, parameters) &&
    isCollector(invoice) !== isCollector(other)
  );
}

function isCollector({ nameKey }: Candidate): boolean {
  return nameKey.split(' ').some((word) => COLLECTION_WORDS.has(word));
}

/**
 * Checks whether two bills of different suppliers have the same number, date and odd amount. Two separate bills do not
 * agree in all three by chance, so one bill was booked under the wrong supplier, under a supplier that was merged, or
 * under a company of the same group. A simple number such as 1/04/2026 does not count, because contractors with the
 * same conditions all send it for the same fee with VAT.
 */
function isOneOddBill(invoice: Candidate, pair: Compared, parameters: DuplicateParameters): boolean {
  const { other, amount, date } = pair;
  const isSimple = [invoice, other].some((record) => tellingDigits(record) < parameters.strangersDigitsMin);
  return haveOneNumber(pair) && !isSimple && amount === 'EQ' && date === 'SAME' && isOddAmount(invoice, parameters);
}

function taxConflictRow(invoice: Candidate, pair: Compared, parameters: DuplicateParameters): Comparison[] {
  const { other, date } = pair;
  const { halfPoints, taxSlipMax } = parameters;
  if (isOneOddBill(invoice, pair, parameters) || isCollected(invoice, pair, parameters)) return [];
  if (haveConflictingTaxIds(invoice, other)) {
    // A factoring company collects for many suppliers, so only bills from the same days can be duplicates.
    const sameBank = invoice.bankKey !== undefined && invoice.bankKey === other.bankKey && isOfTheSameDays(date);
    const points = sameBank ? halfPoints.taxConflictSameBank : halfPoints.taxConflict;
    return [{ field: 'taxId', relation: 'CONFLICT', halfPoints: points }];
  }
  const { taxKey } = invoice;
  if (!areOtherSuppliers(pair) || taxKey === undefined || other.taxKey === undefined) return [];
  if (editDistance(taxKey, other.taxKey, taxSlipMax) <= taxSlipMax) return [];
  return [{ field: 'taxId', relation: 'DIFFERENT', halfPoints: halfPoints.taxDifferent }];
}

function orderRow(context: PairContext, pair: Compared & { readonly others: number }): Comparison[] {
  const { facts, parameters } = context;
  const { invoice } = facts;
  const { other } = pair;
  if (invoice.poKey === undefined || other.poKey === undefined) return [];
  const relation = invoice.poKey === other.poKey ? equalOrder(context, pair) : 'DIFFERENT';
  return [{ field: 'order', relation, halfPoints: parameters.halfPoints.order[relation] }];
}

/**
 * Returns the relation between two bills that state the same purchase order. The relation gives more points if the
 * amount has many significant digits and the supplier has no third bill with the same amount.
 */
function equalOrder(
  context: PairContext,
  { other, amount, date, number, others, sameSupplier }: Compared & { readonly others: number },
): 'EQUAL' | 'ONE_SUPPLY' | 'ONE_BILL' {
  const { facts, parameters } = context;
  if (amount !== 'EQ' || others > 0 || !isOddAmount(facts.invoice, parameters)) return 'EQUAL';
  if (date === 'OTHER' || date === 'YEAR') return SAME_NUMBER.includes(number) ? 'ONE_SUPPLY' : 'EQUAL';
  const isOfDays = date === 'SAME' || date === 'SWAP' || date === 'NEAR';
  const isOther = number === 'DIFF' || number === 'SEQ';
  // Bills for parts of a purchase order can have equal amounts. Two bills that state the same order are therefore taken
  // for one bill only if each of the supplier's other bills has an order of its own.
  const bills = (facts.supplier.profile.recentBills ?? []).filter(({ invoiceId }) => invoiceId !== other.invoiceId);
  return sameSupplier && isOfDays && isOther && haveOwnOrders(other, bills) ? 'ONE_BILL' : 'EQUAL';
}

/**
 * Adds or subtracts points for two bills with the same amount, depending on the amounts, numbers and dates of other
 * bills.
 */
function repetitionRows(context: PairContext, pair: Compared, others: number): Comparison[] {
  const recurrence = recurrenceRow(context, pair, others);
  return isUnrelatedPair(context, pair)
    ? unrelatedRows(context, pair, others, recurrence)
    : [...stepRow(context, pair), ...recurrence];
}

/**
 * Reduces the points for an amount that the supplier often bills. The points are not reduced if the invoice numbers
 * agree. They are not reduced either if both bills are from one day, their numbers are similar, and the supplier bills
 * the amount at most once a day.
 */
function recurrenceRow({ amounts, parameters }: PairContext, pair: Compared, others: number): Comparison[] {
  if (others === 0 || SAME_NUMBER.includes(pair.number)) return [];
  if (pair.date === 'SAME' && ALIKE_NUMBER.includes(pair.number) && isBilledOnceADay(amounts, pair.other)) return [];
  const recurring = parameters.halfPoints.recurrence.find(({ othersMax }) => others <= othersMax)?.halfPoints ?? 0;
  const ofDay = pair.date === 'SAME' ? othersOfDay(amounts, pair.other) : 0;
  const { one, more } = parameters.halfPoints.sameDay;
  if (ofDay <= 0) return [{ field: 'recurrence', relation: 'RECURRING', halfPoints: recurring }];
  return [{ field: 'recurrence', relation: 'SAME_DAY', halfPoints: Math.min(recurring, ofDay === 1 ? one : more) }];
}

function creditRow({ facts, originals, creditNotes, parameters }: PairContext, pair: Compared): Comparison[] {
  if (creditNotes.length === 0 || !hasOpenCredit(facts, originals, creditNotes, pair.other)) return [];
  const { creditSameNumber, credit } = parameters.halfPoints;
  return [{ field: 'credit', relation: 'CREDITED', halfPoints: pair.number === 'IDENT' ? creditSameNumber : credit }];
}

/**
 * Raises the points of a pair to a fixed value if both invoices were read from equal files. The same bytes are the same
 * invoice, regardless of the values that were read from them.
 */
function sameFileRow(
  invoice: Candidate,
  { other }: Compared,
  sum: number,
  { halfPoints }: DuplicateParameters,
): Comparison[] {
  if (invoice.documentSha256 === undefined || invoice.documentSha256 !== other.documentSha256) return [];
  return [{ field: 'document', relation: 'SAME_FILE', halfPoints: halfPoints.sameFileSum - sum }];
}

/**
 * Raises the points of a pair in which one record is an invoice from KSeF and the other is a bill with the same seller,
 * number and amount. Their dates are not compared, because KSeF accepts each number from a seller once. The points are
 * also raised if a document shows the KSeF number or code of the invoice, even if its invoice number was read
 * differently.
 */
function channelRow(
  invoice: Candidate,
  pair: Compared,
  sum: number,
  { duplicateMin, reusedDaysMax }: DuplicateParameters,
): Comparison[] {
  const { other, amount, sameSupplier } = pair;
  // Bills in the ERP are excluded here, because another rule decides whether an ERP bill is the entry of the invoice.
  if (amount !== 'EQ' || !sameSupplier || other.source === 'ERP' || !isOneThroughKsef(invoice, other)) return [];
  const isNamed = isNamedInKsef(invoice, other);
  if (!isNamed && !(haveOneNumber(pair) && Math.abs(invoice.issueDay - other.issueDay) <= reusedDaysMax)) return [];
  const halfPoints = Math.max(0, duplicateMin - sum);
  return [{ field: 'channel', relation: isNamed ? 'NAMED' : 'REGISTERED', halfPoints }];
}

function total(rows: readonly Comparison[]): number {
  return rows.reduce((sum, { halfPoints }) => sum + halfPoints, 0);
}
