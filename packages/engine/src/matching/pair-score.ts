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
import type { Comparison, PairScore } from './pair.js';
import { isHabitualPart } from './part-habit.js';
import { amountHistory, isBilledOnceADay, othersOfDay, recurringOthers } from './recurrence.js';
import { tellingDigits } from './similar-numbers.js';
import { isSameSupplier, supplierRelation } from './supplier-relation.js';
import { isUnrelatedPair, ownNumbersRow, stepRow, unrelatedRows } from './unrelated-number.js';
import type { UnrelatedContext } from './unrelated-number.js';

/**
 * Records of the facts that can be the original of the checked invoice: earlier, live and not confirmed as duplicates or fraud.
 * A bill under the number of another one may still be copied itself.
 */
export function originalsOf(facts: Facts): Candidate[] {
  return facts.candidates.filter(
    (candidate) =>
      isEarlier(facts, candidate) &&
      (candidate.status === 'RECEIVED' || candidate.status === 'ANALYZED') &&
      (candidate.confirmedAs === undefined || candidate.confirmedAs === 'REUSED_NUMBER') &&
      candidate.bookedInvoiceId !== facts.invoice.invoiceId,
  );
}

/** Tells whether the candidate came before the checked invoice. Of two equal records the later one gets the finding. */
export function isEarlier(facts: Facts, candidate: Candidate): boolean {
  return candidate.invoiceId !== facts.invoice.invoiceId && compareByArrival(candidate, facts.invoice) < 0;
}

/**
 * Scores the checked invoice against each original; pairs of opposite sign are left out.
 * @param creditNotes those that take points off a pair; none where credit notes exclude pairs
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

/** Tells whether the pair is certain: one invoice under one number, however it is written, of one amount and supplier. */
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

/** Tells whether the supplier has used the number of the checked invoice for this one. */
function isOfItsNumber({ sameSupplier, number }: Compared): boolean {
  return sameSupplier && (number === 'IDENT' || number === 'FORMAT');
}

/** Tells the pairs apart in which the number is that of a contract or of the customer, and says nothing about the bill. */
function contractOf(
  { facts: { invoice, supplier }, parameters }: PairContext,
  comparable: readonly Compared[],
): (pair: Compared) => boolean {
  const { issueDay } = invoice;
  const numbered = comparable.filter(isOfItsNumber);
  const habit = habitOf(numbered.map(({ other }) => other));
  const ofHabit = numbered.filter(({ other }) => habit.has(other));
  const series = ofHabit.filter((pair) => pair.amount === 'EQ');
  const daysOf = (pairs: readonly Compared[]): number[] => pairs.map((pair) => pair.other.issueDay);
  const isOfCustomer =
    isCustomerNumber([issueDay, ...daysOf(ofHabit)], parameters) && !ofHabit.some(({ other }) => namesItsBill(other));
  // The price of a contract rises: its first bills at the new one go on with the steps of the others.
  const step =
    contractStepDays(daysOf(series), parameters) ??
    (isOfCustomer ? contractStepDays(daysOf(ofHabit), parameters) : undefined);
  // Day and month exchanged are a month apart by accident.
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
 * Relations by which a number can be that of a contract. Once it is known to be one, also a copy of an earlier bill
 * (with a suffix, or misread) says nothing about the bills of other months.
 */
const SAME_NUMBER: readonly PairScore['number'][] = ['IDENT', 'FORMAT', 'OCR', 'YEARLESS', 'SUFFIX', 'EXTRA'];
/** Relations that are worth less when there are only few characters to agree. */
const NEEDS_LENGTH: readonly PairScore['number'][] = ['IDENT', 'FORMAT', 'OCR', 'YEARLESS', 'REORDERED'];

/** Relations of numbers that are not the same and may have been. */
const ALIKE_NUMBER: readonly PairScore['number'][] = ['REORDERED', 'TYPO', 'CONTAINS', 'TYPO2', 'MISSING'];

/** Values that all pairs of one invoice share. */
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
    ...taxConflictRow(facts.invoice, pair, parameters),
    ...orderRow(facts.invoice, pair, parameters),
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

/** Caps the points of short numbers. */
function numberPoints(
  invoice: Candidate,
  pair: Compared & { readonly others: number },
  { halfPoints, shortNumberLength }: DuplicateParameters,
): number {
  const full = halfPoints.number[pair.number];
  if (!NEEDS_LENGTH.includes(pair.number)) return full;
  const numbers = [invoice.number, pair.other.number];
  const isShort = numbers.some(({ f1 }) => f1.length < shortNumberLength);
  // A counter restarts after a year: then only its digits count.
  const isShortCounter = pair.date === 'YEAR' && numbers.some(({ f1 }) => digitCount(f1) < shortNumberLength);
  if (!isShort && !isShortCounter) return full;
  const isOfOneYear = invoice.issueDate.slice(0, 4) === pair.other.issueDate.slice(0, 4) && pair.date !== 'SAME';
  const isOneTime = pair.sameSupplier && pair.amount === 'EQ' && pair.others === 0;
  return Math.min(full, isOfOneYear && isOneTime ? halfPoints.shortNumberSameYear : halfPoints.shortNumber);
}

/** Two unrelated contractors can both send bill 1/04/2026 on the same day, at the same rates. */
function strangersRow(
  invoice: Candidate,
  { other, supplier }: Compared,
  { halfPoints, strangersDigitsMin }: DuplicateParameters,
): Comparison[] {
  if (supplier !== 'NONE') return [];
  const isSimple = [invoice, other].some((record) => tellingDigits(record) < strangersDigitsMin);
  return isSimple ? [{ field: 'supplier', relation: 'STRANGERS', halfPoints: halfPoints.strangers }] : [];
}

function taxConflictRow(
  invoice: Candidate,
  { other, supplier, date }: Compared,
  { halfPoints, taxSlipMax }: DuplicateParameters,
): Comparison[] {
  if (haveConflictingTaxIds(invoice, other)) {
    // A factoring company collects for many suppliers: only bills of the same days may be duplicates.
    const sameBank = invoice.bankKey !== undefined && invoice.bankKey === other.bankKey && isOfTheSameDays(date);
    const points = sameBank ? halfPoints.taxConflictSameBank : halfPoints.taxConflict;
    return [{ field: 'taxId', relation: 'CONFLICT', halfPoints: points }];
  }
  const { taxKey } = invoice;
  if (supplier !== 'NONE' || taxKey === undefined || other.taxKey === undefined) return [];
  if (editDistance(taxKey, other.taxKey, taxSlipMax) <= taxSlipMax) return [];
  return [{ field: 'taxId', relation: 'DIFFERENT', halfPoints: halfPoints.taxDifferent }];
}

function orderRow(invoice: Candidate, { other }: Compared, { halfPoints }: DuplicateParameters): Comparison[] {
  if (invoice.poKey === undefined || other.poKey === undefined) return [];
  const relation = invoice.poKey === other.poKey ? 'EQUAL' : 'DIFFERENT';
  return [{ field: 'order', relation, halfPoints: halfPoints.order[relation] }];
}

/** Compares two bills of one amount by the amounts, numbers and dates of other bills. */
function repetitionRows(context: PairContext, pair: Compared, others: number): Comparison[] {
  const recurrence = recurrenceRow(context, pair, others);
  return isUnrelatedPair(context, pair)
    ? unrelatedRows(context, pair, others, recurrence)
    : [...stepRow(context, pair), ...recurrence];
}

/**
 * An amount that the supplier bills again and again says little, unless the numbers agree as well, or are alike on one
 * day while he has never billed it twice a day.
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

/** The same bytes are the same invoice whatever was read from them: the row lifts the sum to its fixed value. */
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
 * A bill of the seller, number and amount of an invoice that came through KSeF is that invoice, whatever its date says: KSeF takes each
 * number of a seller once. So is one that shows its KSeF number or code, under a number that was read differently.
 */
function channelRow(
  invoice: Candidate,
  pair: Compared,
  sum: number,
  { duplicateMin, reusedDaysMax }: DuplicateParameters,
): Comparison[] {
  const { other, number, amount, sameSupplier } = pair;
  // ERP bills have a rule of their own: one of them books the invoice.
  if (amount !== 'EQ' || !sameSupplier || other.source === 'ERP' || !isOneThroughKsef(invoice, other)) return [];
  const isNamed = isNamedInKsef(invoice, other);
  const isOneNumber = number === 'IDENT' || number === 'FORMAT';
  if (!isNamed && !(isOneNumber && Math.abs(invoice.issueDay - other.issueDay) <= reusedDaysMax)) return [];
  const halfPoints = Math.max(0, duplicateMin - sum);
  return [{ field: 'channel', relation: isNamed ? 'NAMED' : 'REGISTERED', halfPoints }];
}

function total(rows: readonly Comparison[]): number {
  return rows.reduce((sum, { halfPoints }) => sum + halfPoints, 0);
}
