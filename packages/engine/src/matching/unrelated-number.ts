import { daysOfYear } from '@invoicecontrol/values/calendar-date';
import { readStatedKsefNumber } from '@invoicecontrol/values/ksef-number';
import { DOCUMENT_WORDS } from '../data/document-words.js';
import { REMINDER_WORDS, STATEMENT_WORDS } from '../data/reminder-words.js';
import type { Facts } from '../facts/facts.js';
import type { Candidate } from '../facts/invoice.js';
import type { RecentBill } from '../facts/supplier.js';
import { isPlaceholder } from '../normalisation/placeholder-number.js';
import { plainText } from '../normalisation/text.js';
import type { DuplicateParameters } from '../policy/duplicates.js';
import type { UnrelatedNumberParameters } from '../policy/unrelated-numbers.js';
import { lastNumericRun, showAcceptedCopiesHabit } from '../supplier/profile.js';
import { differences, median } from '../supplier/statistics.js';
import { isContractGap } from './contract.js';
import { significantDigits } from './odd-amount.js';
import { haveOwnOrders } from './own-orders.js';
import type { Comparison, PairScore } from './pair.js';
import { isRegularBillSentTwice, othersOfDay } from './recurrence.js';
import type { AmountHistory } from './recurrence.js';
import { digitsOf } from '../normalisation/invoice-number.js';

// The functions in this file compare two bills from one supplier with the same amount whose numbers have nothing in
// common. They may be one bill that arrived twice, the second time under the number of an order or a delivery note or
// under a new number. Or they may be two separate bills. The rules distinguish these two cases (detection reference,
// section 5).

type Form = Exclude<keyof UnrelatedNumberParameters['halfPoints']['form'], 'STEP'>;
type Compared = Pick<PairScore, 'other' | 'number' | 'amount' | 'date' | 'sameSupplier'>;

/**
 * Values that all pairs of one invoice share in the search for duplicates. Each value is computed when the first pair
 * needs it.
 */
export interface UnrelatedContext {
  readonly facts: Facts;
  readonly parameters: DuplicateParameters;
  readonly amounts: AmountHistory;
  readonly withItsNumber: readonly Compared[];
  habits?: Habits;
}

interface Habits {
  /**
   * Number of different amounts that the supplier has billed, apart from the checked amount, and the number of these
   * amounts that it billed more than once.
   */
  readonly amounts: number;
  readonly repeated: number;
  /** Number of positive bills in the invoice currency that the profile contains. */
  readonly known: number;
  /** True if the supplier has billed the same amount twice on one day. */
  readonly isTwiceADay: boolean;
  readonly bills: readonly WrittenBill[];
}

interface WrittenBill {
  readonly invoiceId: string;
  readonly form: string;
  readonly digits: number;
  /** All digits of the invoice number, read as one integer. */
  readonly value: number;
  readonly runs: readonly string[];
}

const UNRELATED: readonly PairScore['number'][] = ['DIFF', 'SEQ'];
const COMPARED_DATES: readonly PairScore['date'][] = ['SAME', 'SWAP', 'NEAR', 'FAR'];

/** Checks whether the rules for bills with unrelated invoice numbers apply to a pair of bills. */
export function isUnrelatedPair({ facts: { invoice } }: UnrelatedContext, pair: Compared): boolean {
  return (
    pair.sameSupplier &&
    pair.amount === 'EQ' &&
    UNRELATED.includes(pair.number) &&
    COMPARED_DATES.includes(pair.date) &&
    // The two invoices must be addressed to the same company, because companies of one group often receive bills with
    // equal amounts.
    pair.other.companyId === invoice.companyId &&
    !invoice.amountMinor.startsWith('-') &&
    !isPlaceholder(invoice.number) &&
    !isPlaceholder(pair.other.number)
  );
}

/**
 * Returns the compared fields of two bills with unrelated numbers, and the points of each field. Call this function
 * only if {@link isUnrelatedPair} is true. `recurrence` contains the fields about the recurrence of the amount.
 */
export function unrelatedRows(
  context: UnrelatedContext,
  pair: Compared,
  others: number,
  recurrence: readonly Comparison[],
): Comparison[] {
  const { facts, amounts, parameters } = context;
  const { halfPoints } = parameters.unrelated;
  const form = formOf(context, pair.other);
  const formRow: Comparison[] =
    form === undefined ? [] : [{ field: 'form', relation: form, halfPoints: halfPoints.form[form] }];
  if (isRegularBillSentTwice(amounts, facts.invoice, pair.other, parameters.unrelated))
    return [...formRow, { field: 'rhythm', relation: 'TWICE', halfPoints: halfPoints.rhythm.TWICE }];
  return [...amountRows(context, pair, others, recurrence, form), ...formRow, ...dueRow(context, pair, form)];
}

/** Returns points for the probability that the supplier bills the amount a second time. */
function amountRows(
  context: UnrelatedContext,
  pair: Compared,
  others: number,
  recurrence: readonly Comparison[],
  form: Form | undefined,
): readonly Comparison[] {
  const { unrelated } = context.parameters;
  const { known, isTwiceADay } = habitsOf(context);
  const isOfOneDay = pair.date === 'SAME';
  if (others === 0) {
    const mayBeTwo = (isOfOneDay && isTwiceADay) || areOfTwoSupplies(context, pair);
    return form === undefined && mayBeTwo ? [] : rarityRow(context, pair);
  }
  if (form === undefined) return recurrence;
  if (isOfOneDay && !isTwiceADay && known >= unrelated.onceADayBillsMin)
    return [{ field: 'rarity', relation: 'ONCE_A_DAY', halfPoints: unrelated.halfPoints.onceADay }];
  if (isOfOneDay && form === 'UNLIKE_ALL' && othersOfDay(context.amounts, pair.other) <= 0) return [];
  // If the number of one bill is the order number of the other, both bills are for the same supply, however often the
  // amount recurs.
  return form === 'ORDER' ? [] : recurrence;
}

/**
 * Rates a pair of bills by the interval between the bills. Regular bills with the same amount are a month or a quarter
 * apart, while a copy arrives at any time.
 */
function dueRow({ facts: { invoice }, parameters }: UnrelatedContext, { other }: Compared, form?: Form): Comparison[] {
  const days = Math.abs(invoice.issueDay - other.issueDay);
  if (form === 'ORDER' || form === 'DOCUMENT' || form === 'REMINDER' || !isContractGap(days, parameters)) return [];
  return [{ field: 'rhythm', relation: 'DUE', halfPoints: parameters.unrelated.halfPoints.rhythm.DUE }];
}

/**
 * Checks whether the bills are for two orders, or weeks apart for one order, such as a deposit and a final bill with
 * equal amounts.
 */
function areOfTwoSupplies(context: UnrelatedContext, { other, date }: Compared): boolean {
  const { invoice } = context.facts;
  if (invoice.poKey === undefined || other.poKey === undefined) return false;
  return invoice.poKey !== other.poKey || (date === 'FAR' && !isOrderBilledOnce(context, other));
}

/** Checks whether the supplier bills each order with one invoice, according to its recent bills. */
function isOrderBilledOnce({ facts, parameters }: UnrelatedContext, other: Candidate): boolean {
  const bills = (facts.supplier.profile.recentBills ?? []).filter(
    ({ invoiceId, minor }) => invoiceId !== other.invoiceId && minor !== other.amountMinor,
  );
  return haveOwnOrders(other, bills, parameters.unrelated.ordersMin);
}

/**
 * Limits the points of a pair if both invoice numbers may come from the supplier, because they may be two separate
 * bills. Two separate bills are likely if the supplier has repeated an amount before, the bills are days or weeks
 * apart, and they do not state the same order.
 */
export function ownNumbersRow(
  rows: readonly Comparison[],
  sum: number,
  { unrelated: { halfPoints } }: DuplicateParameters,
): Comparison[] {
  const has = (field: Comparison['field'], relation: string): boolean =>
    rows.some((row) => row.field === field && row.relation === relation);
  const isApart = has('rarity', 'SELDOM') && has('date', 'FAR') && !has('order', 'EQUAL');
  const limit = isApart ? halfPoints.ownNumbersApartMax : halfPoints.ownNumbersMax;
  if (sum <= limit || rows.some(({ field }) => field === 'form')) return [];
  return [{ field: 'form', relation: 'OWN', halfPoints: limit - sum }];
}

/**
 * Returns points for a repeated amount. The more rarely the supplier bills an amount twice, the more points it gives.
 * If the supplier has never repeated an amount before, a repeated amount with many digits suggests a copy.
 */
function rarityRow(context: UnrelatedContext, pair: Compared): Comparison[] {
  const { facts, parameters } = context;
  const { rarityMax } = parameters.unrelated.halfPoints;
  const step = rarityStep(context, crowding(facts, pair, parameters));
  if (step === undefined) return [];
  const digits = significantDigits(facts.invoice);
  const limit = rarityMax.findLast((row) => digits >= row.digits)?.halfPoints ?? 0;
  const relation = habitsOf(context).repeated === 0 ? 'NEVER' : 'SELDOM';
  return [{ field: 'rarity', relation, halfPoints: Math.min(step.halfPoints, limit) }];
}

type RarityStep = UnrelatedNumberParameters['halfPoints']['rarity'][number];

function rarityStep(context: UnrelatedContext, { around, usual }: Crowding): RarityStep | undefined {
  const { amounts, repeated } = habitsOf(context);
  return context.parameters.unrelated.halfPoints.rarity.findLast(
    ({ amountsPerRepeat }) => (amounts + 2) * usual >= amountsPerRepeat * (repeated + 1) * around,
  );
}

interface Crowding {
  readonly around: number;
  readonly usual: number;
}

/**
 * Counts the supplier's bills around the days of the two bills of a pair, and states the usual number for comparison.
 * Among many bills, it is more likely that two bills have equal amounts by chance.
 */
function crowding(
  { invoice, supplier: { profile } }: Facts,
  { other, date }: Compared,
  { unrelated: { billsAround }, nearDays, farDays }: DuplicateParameters,
): Crowding {
  const window = date === 'SAME' ? 'SAME' : date === 'FAR' ? 'FAR' : 'NEAR';
  const days = { SAME: 0, NEAR: nearDays, FAR: farDays }[window];
  const uses = profile.amounts[invoice.currency] ?? [];
  const around = uses.filter(({ day }) => Math.abs(day - other.issueDay) <= days).length;
  return { around: Math.max(around, billsAround[window]), usual: billsAround[window] };
}

function habitsOf(context: UnrelatedContext): Habits {
  context.habits ??= readHabits(context.facts);
  return context.habits;
}

function readHabits({ invoice, supplier: { profile } }: Facts): Habits {
  const bills = profile.amounts[invoice.currency] ?? [];
  const uses = new Map<string, number>();
  for (const { minor } of bills) uses.set(minor, (uses.get(minor) ?? 0) + 1);
  const shown = bills.filter(({ wasCopy }) => wasCopy === undefined || showAcceptedCopiesHabit(profile));
  const ofOneDay = new Set(shown.map(({ day, minor }) => `${day}|${minor}`));
  uses.delete(invoice.amountMinor);
  return {
    amounts: uses.size,
    repeated: [...uses.values()].filter((count) => count > 1).length,
    known: bills.length,
    isTwiceADay: ofOneDay.size < shown.length,
    bills: (profile.recentBills ?? []).map(writtenBill),
  };
}

function writtenBill({ invoiceId, invoiceNumber }: Pick<RecentBill, 'invoiceId' | 'invoiceNumber'>): WrittenBill {
  const text = invoiceNumber.toUpperCase();
  return {
    invoiceId,
    form: text.replaceAll(/[0-9]+/g, '9').replaceAll(/[^\p{L}9]+/gu, '-'),
    digits: digitsOf(text).length,
    value: Number(digitsOf(text)),
    runs: text.match(/[0-9]+/g) ?? [],
  };
}

/**
 * Returns the reason why one of the two invoice numbers does not seem to belong to the supplier's own series, or
 * undefined if there is no such reason.
 */
function formOf(context: UnrelatedContext, other: Candidate): Form | undefined {
  const { facts, parameters } = context;
  const { invoice } = facts;
  const { unrelated } = parameters;
  if (isOrderNumber(invoice, other, unrelated) !== isOrderNumber(other, invoice, unrelated)) return 'ORDER';
  if (isSwappedWithOrder(invoice, other)) return 'ORDER';
  if (namesReminder(invoice) !== namesReminder(other)) return 'REMINDER';
  const isUnusual = [invoice, other].map((record) => isOfAnotherForm(context, record, other));
  if (namesDocument(invoice) !== namesDocument(other)) {
    const named = namesDocument(invoice) ? 0 : 1;
    if (isUnusual[named] !== false) return 'DOCUMENT';
  }
  if (isUnusual.includes(true) && isUnusual.includes(false))
    return isOfOneForm(context, other) ? 'UNLIKE_ALL' : 'FOREIGN';
  if (isNumberUsed(context, other)) return 'USED';
  return isUnusual.includes(undefined) || !isOutOfPlace(context, other) ? undefined : 'HEIGHT';
}

/** Checks whether the number of one bill is the order number that one of the two bills states. */
function isOrderNumber(
  { number, poKey }: Candidate,
  other: Candidate,
  { orderDigitsMin, orderPartDigitsMin }: UnrelatedNumberParameters,
): boolean {
  const own = digitsOf(number.raw0);
  if (own.length < orderDigitsMin) return false;
  return [poKey, other.poKey].some((ref) => {
    const order = digitsOf(ref ?? '');
    return order === own || (own.length >= orderPartDigitsMin && order.includes(own));
  });
}

function isSwappedWithOrder(left: Candidate, right: Candidate): boolean {
  return (
    left.poKey !== undefined &&
    right.poKey !== undefined &&
    left.poKey !== right.poKey &&
    digitsOf(left.number.raw0) === digitsOf(right.poKey) &&
    digitsOf(right.number.raw0) === digitsOf(left.poKey)
  );
}

/**
 * Checks whether an invoice number contains a word for another kind of document, such as `LS 20418`, or is the number
 * that KSeF gave the invoice. An abbreviation counts only in front of the digits of a number, because codes such as
 * `BC8HV3` contain the same letters by chance.
 */
function namesDocument({ invoiceNumber, number: { runs } }: Candidate): boolean {
  if (readStatedKsefNumber(invoiceNumber) !== undefined) return true;
  return runs.some((run, index) => {
    if (!DOCUMENT_WORDS.has(run)) return false;
    const behind = runs.slice(index + 1).join('');
    const isAtEnd = index === 0 && /^[0-9]+$/.test(behind);
    return run.length >= WHOLE_WORD_LETTERS_MIN || isAtEnd || /^[0-9]{3}/.test(behind);
  });
}

/**
 * Checks whether the invoice number is that of a payment reminder or a statement of account. Both state bills that were
 * sent before.
 */
function namesReminder({ invoiceNumber }: Candidate): boolean {
  const words = plainText(invoiceNumber).match(/[A-Z]{5,}/g) ?? [];
  return words.some((word) => REMINDER_WORDS.has(word) || STATEMENT_WORDS.has(word));
}

/**
 * Minimum number of letters at which a word for a kind of document counts as a whole word and not as an abbreviation.
 */
const WHOLE_WORD_LETTERS_MIN = 6;

/**
 * Checks whether an invoice number has another form than the numbers of the supplier's other recent bills. Undefined if
 * there are too few such bills, or if their numbers have too many forms.
 */
function isOfAnotherForm(context: UnrelatedContext, record: Candidate, other: Candidate): boolean | undefined {
  const { facts, parameters } = context;
  const { formBillsMin, formsMax, formKnownAfter } = parameters.unrelated;
  const known = habitsOf(context).bills.filter(({ invoiceId }) => invoiceId !== other.invoiceId);
  if (known.length < formBillsMin) return undefined;
  const forms = new Set(known.map(({ form }) => form));
  if (forms.size > formsMax) return undefined;
  const own = writtenBill(record);
  if (forms.has(own.form)) return known.every((bill) => areOfOtherLength(bill, own, parameters.unrelated));
  const { signature } = record.number;
  const isSignatureOfOthers = known.some(({ form }) => signatureOfForm(form) === signatureOfForm(own.form));
  const uses = facts.supplier.profile.signatures.find(({ text }) => text === signature)?.count ?? 0;
  return isSignatureOfOthers || uses - (record === other ? 1 : 0) < formKnownAfter;
}

/**
 * Checks whether enough of the other recent bills have a number in the form of one of the two invoice numbers, and
 * hardly any bill has another form.
 */
function isOfOneForm(context: UnrelatedContext, other: Candidate): boolean {
  const { oneFormBillsMin, otherFormBillsMax } = context.parameters.unrelated;
  const known = habitsOf(context).bills.filter(({ invoiceId }) => invoiceId !== other.invoiceId);
  return [context.facts.invoice, other].some((record) => {
    const { form } = writtenBill(record);
    const alike = known.filter((bill) => bill.form === form).length;
    return alike >= oneFormBillsMin && known.length - alike <= otherFormBillsMax;
  });
}

/**
 * Adjusts the points of two bills whose numbers differ in one or two digits, as consecutive numbers of the supplier do.
 * It applies if the supplier often bills the same amount twice, on the same day or within days. Examples are bills for
 * two hotel rooms or two truckloads.
 */
export function stepRow(context: UnrelatedContext, pair: Compared): Comparison[] {
  if (!pair.sameSupplier || pair.amount !== 'EQ' || (pair.number !== 'TYPO' && pair.number !== 'TYPO2')) return [];
  const { unrelated } = context.parameters;
  const { known, isTwiceADay } = habitsOf(context);
  const repeats =
    pair.date === 'SAME'
      ? isTwiceADay
      : known >= unrelated.repeatBillsMin && rarityStep(context, { around: 1, usual: 1 }) === undefined;
  if (!repeats || !areStepsApart(context, pair.other)) return [];
  return [{ field: 'form', relation: 'STEP', halfPoints: unrelated.halfPoints.form.STEP }];
}

function areStepsApart(context: UnrelatedContext, other: Candidate): boolean {
  const { formBillsMin, neighbourStepsMax } = context.parameters.unrelated;
  const [left, right] = [writtenBill(context.facts.invoice), writtenBill(other)];
  const differing = left.runs.flatMap((run, index) => (run === right.runs[index] ? [] : [index]));
  const [place, ...more] = differing;
  if (left.form !== right.form || place === undefined || more.length > 0) return false;
  const values = habitsOf(context)
    .bills.filter(({ form }) => form === left.form)
    .map(({ runs }) => Number(runs[place]));
  if (values.length < formBillsMin) return false;
  const usualStep = median(differences(values).map(Math.abs));
  return Math.abs(Number(left.runs[place]) - Number(right.runs[place])) <= neighbourStepsMax * usualStep;
}

/**
 * Checks whether two invoice numbers differ clearly in their length. Numbers whose counter has just got one more digit
 * (from 999 to 1000) are still close together.
 */
function areOfOtherLength(
  left: WrittenBill,
  right: WrittenBill,
  { digitsApartMin, timesApartMin }: UnrelatedNumberParameters,
): boolean {
  const apart = Math.abs(left.digits - right.digits);
  if (apart === 0 || apart >= digitsApartMin) return apart > 0;
  const [low, high] = left.value < right.value ? [left.value, right.value] : [right.value, left.value];
  return high >= low * timesApartMin;
}

function signatureOfForm(form: string): string {
  return form.replaceAll(/\p{L}+/gu, 'A');
}

/**
 * Checks whether another bill of the supplier has the same invoice number with another amount, although the number does
 * not identify a customer or a contract.
 */
function isNumberUsed({ facts: { invoice }, withItsNumber, parameters }: UnrelatedContext, other: Candidate): boolean {
  const { usedDaysMax, usedNumberLengthMin } = parameters.unrelated;
  const [only, ...more] = withItsNumber;
  return (
    only !== undefined &&
    more.length === 0 &&
    only.amount !== 'EQ' &&
    only.other !== other &&
    invoice.number.f1.length >= usedNumberLengthMin &&
    Math.abs(only.other.issueDay - invoice.issueDay) <= usedDaysMax
  );
}

/**
 * Checks whether one of two invoice numbers does not fit its date, because the running numbers of the supplier rise
 * with time.
 */
function isOutOfPlace(context: UnrelatedContext, other: Candidate): boolean {
  const { invoice } = context.facts;
  const places = [invoice, other].map((record) => isAtOtherHeight(context, record, other));
  return places.includes(true) && places.includes(false);
}

function isAtOtherHeight(
  { facts, parameters: { unrelated } }: UnrelatedContext,
  record: Candidate,
  other: Candidate,
): boolean | undefined {
  const run = lastNumericRun(record);
  if (run === undefined) return undefined;
  const year = daysOfYear(record.issueDate);
  const otherRun = lastNumericRun(other);
  const entries = facts.supplier.profile.sequence
    .filter(({ day, text }) => day >= year.first && day <= year.last && !(day === other.issueDay && text === otherRun))
    .map(({ day, text }) => ({ day, value: Number(text) }))
    .sort((left, right) => left.day - right.day || left.value - right.value);
  const last = entries.at(-1);
  if (entries.length < unrelated.seriesMin || last === undefined) return undefined;
  const steps = differences(entries.map(({ value }) => value));
  const usualStep = Math.max(1, median(steps));
  const stepMax = unrelated.seriesStepsMax * usualStep;
  if (steps.some((step) => step < 0 || step > stepMax)) return undefined;
  const value = Number(run);
  const lowest = entries.findLast(({ day }) => day <= record.issueDay - unrelated.seriesDays)?.value;
  const highest = entries.find(({ day }) => day >= record.issueDay + unrelated.seriesDays)?.value;
  const usualGap = Math.max(1, median(differences(entries.map(({ day }) => day))));
  const pauses = Math.max(1, (record.issueDay - last.day) / usualGap);
  const from = lowest ?? (entries[0]?.value ?? 0) - stepMax * Math.max(1, unrelated.seriesDays / usualGap);
  return value < from || value > (highest ?? last.value + stepMax * pauses);
}
