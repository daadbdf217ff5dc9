import { pick } from '../explanation/evidence.js';
import { subject } from '../explanation/subject.js';
import { dateOfDayNumber, daysOfYear } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { RaisedFinding } from '../explanation/evidence.js';
import { inInvoiceCurrency, LIMIT_CURRENCY } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import type { NormalisedInvoice } from '../facts/invoice.js';
import { limitsIn } from '../explanation/money.js';
import { counted, grouped } from '../explanation/phrases.js';
import { withoutLeadingZeros } from '../normalisation/invoice-number.js';
import type { Policy } from '../policy/policy.js';
import type { NumberParameters } from '../policy/numbers.js';
import { lastNumericRun } from '../supplier/profile.js';
import { isOtherAccount } from '../supplier/habits.js';
import { differences, median } from '../supplier/statistics.js';

/**
 * Checks how the supplier numbers its invoices (family NUM; detection reference, section 7.5). Credit notes are
 * numbered separately.
 */
export function detectNumbers(facts: Facts, policy: Policy): RaisedFinding[] {
  if (facts.invoice.amountMinor.startsWith('-')) return [];
  const parameters = policy.numbers;
  const series = seriesOf(facts);
  return [
    ...formatChanged(facts, parameters),
    ...(series === undefined ? [] : outOfSequence(facts, series, parameters)),
    ...(series === undefined ? [] : consecutive(facts, series, parameters)),
  ];
}

/**
 * Reports an invoice number whose pattern is unusual for the supplier. A pattern counts as known after several invoices
 * with it. Suppliers with many patterns are skipped.
 */
function formatChanged(facts: Facts, parameters: NumberParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { signatures, count } = supplier.profile;
  const pattern = invoice.number.signature;
  const uses = signatures.find(({ text }) => text === pattern)?.count ?? 0;
  if (count < parameters.formatInvoicesMin || uses >= parameters.patternKnownAfter) return [];
  const others = signatures.filter(({ text }) => text !== pattern);
  const [usual] = others;
  const total = others.reduce((sum, entry) => sum + entry.count, 0);
  if (usual === undefined || others.length > parameters.patternsMax) return [];
  if (usual.count < total * parameters.patternShareMin) return [];
  const isNewAccount = isOtherAccount(facts);
  return [
    {
      type: 'INVOICE_NUMBER_FORMAT_CHANGED',
      ...(isNewAccount ? parameters.levels.formatNewAccount : parameters.levels.format),
      summary: `${invoice.invoiceNumber} does not have the usual number format of ${invoice.supplierName}, ${usual.text}, which is on ${counted(usual.count, 'earlier invoice')}${isNewAccount ? '; the account is also new' : ''}.`,
      about: [subject.supplier(supplier.supplierId), pattern],
      parameters: pick(parameters, 'formatInvoicesMin', 'patternShareMin', 'patternKnownAfter'),
      observed: { invoices: count, withUsualPattern: usual.count, withThisPattern: uses },
      explanation: [
        `${grouped(usual.count)} of ${counted(total, 'earlier invoice')} have numbers in the format ${usual.text}.`,
        uses === 0
          ? 'No earlier invoice number of the supplier has the format of this one.'
          : `Only ${counted(uses, 'earlier number')} ${uses === 1 ? 'has' : 'have'} the format of this one.`,
        'In the format of a number, 9 stands for digits and A for letters.',
        ...(isNewAccount ? ['The supplier asks for payment to an account that it has not used before.'] : []),
      ],
      extra: { usualPattern: usual.text, pattern },
    },
  ];
}

interface Entry {
  readonly day: number;
  readonly value: number;
}

/** Running number of the invoice and of the supplier's newest invoices, sorted by day and number. */
interface Series {
  readonly value: number;
  /**
   * Entries of the series of invoice numbers whose invoices were issued on or before the issue day of the checked
   * invoice.
   */
  readonly before: readonly Entry[];
}

/**
 * Returns the invoice number series of the supplier, or undefined if the last digits of the invoice number are the
 * billed period and not a counter.
 */
function seriesOf({ invoice, supplier }: Facts): Series | undefined {
  const run = lastNumericRun(invoice);
  const printed = invoice.number.runs.findLast((text) => /^[0-9]+$/.test(text));
  if (run === undefined || printed === undefined || isPeriod(printed, invoice)) return undefined;
  const before = supplier.profile.sequence
    .filter(({ day }) => day <= invoice.issueDay)
    .map(({ day, text }) => ({ day, value: Number(text) }))
    .sort((left, right) => left.day - right.day || left.value - right.value);
  return { value: Number(run), before };
}

/**
 * Reports an invoice number that is below the highest number that the supplier's series had reached a month before, or
 * far above the highest number so far. A single lower number is allowed, because bills arrive late and some credit
 * notes have their own series. The rule is skipped for suppliers with several series, for series that restart with the
 * year or month and are still below their highest number, and for the first numbers of a year. Earlier numbers that do
 * not fit the series neither raise its highest number nor end it. If the checked number follows the newest of them, the
 * series is assumed to continue from there.
 */
function outOfSequence(
  { invoice, supplier }: Facts,
  { value, before }: Series,
  parameters: NumberParameters,
): RaisedFinding[] {
  if (before.length < parameters.sequenceInvoicesMin || continuesSteadily(before, value, parameters)) return [];
  const series = withoutLastJump(longestRising(before), parameters);
  const last = series.at(-1);
  const newest = before.at(-1);
  if (last === undefined || newest === undefined) return [];
  const oddMax = Math.max(parameters.oddNumbersMin, Math.floor(before.length * (1 - parameters.risingShareMin)));
  if (before.length - series.length > oddMax) return [];
  const steps = stepsOf(series);
  const rising = steps.filter((step) => step > 0);
  if (rising.length < steps.length * parameters.risingShareMin) return [];
  const jumpMax = parameters.jumpStepsMax * median(rising);
  if (newest !== last && value >= newest.value && value - newest.value <= jumpMax) return [];
  const lowest = series.findLast(({ day }) => day <= invoice.issueDay - parameters.sequenceDays)?.value;
  const isBehind = lowest !== undefined && value < lowest;
  // If the step from the previous invoice number is no longer than an earlier step, the number is not far ahead,
  // whatever the usual step is.
  if (!isBehind && rising.some((step) => step >= value - last.value)) return [];
  if (carriesPeriod(String(value), invoice.issueDate) || !isOfYear(last.day, invoice.issueDate)) return [];
  const medianStep = median(rising);
  const medianGap = median(differences(series.map(({ day }) => day)));
  // After a pause of the supplier, the invoice number may be higher: each usual gap between invoices that fits into the
  // pause allows one more step.
  const pauses = Math.max(1, (invoice.issueDay - last.day) / Math.max(1, medianGap));
  const highest = last.value + Math.ceil(jumpMax * pauses);
  const isAhead = value > highest && rising.every((step) => step <= jumpMax);
  if (!isBehind && !isAhead) return [];
  return [
    {
      type: 'INVOICE_NUMBER_OUT_OF_SEQUENCE',
      ...parameters.levels.outOfSequence,
      summary: isBehind
        ? `${invoice.invoiceNumber} is lower than number ${lowest}, which ${invoice.supplierName} had reached ${parameters.sequenceDays} days earlier.`
        : `${invoice.invoiceNumber} is far above number ${last.value}, the last number from ${invoice.supplierName} (${dateOfDayNumber(last.day)}).`,
      about: [invoice.invoiceId],
      parameters: pick(parameters, 'sequenceInvoicesMin', 'sequenceDays', 'jumpStepsMax'),
      observed: { value, lastValue: last.value, medianStep, invoices: supplier.profile.count },
      explanation: [
        series.length === before.length
          ? `The numbers of the last ${before.length} invoices of the supplier rise without exception.`
          : `${series.length} of the last ${before.length} invoices of the supplier have numbers that rise from one to the next.`,
        `The next invoice number of the supplier is usually ${medianStep} higher.`,
        isBehind
          ? `${parameters.sequenceDays} days before this invoice, the supplier had reached invoice number ${lowest}.`
          : `The step from invoice number ${last.value} to ${value} is more than ${parameters.jumpStepsMax} times the usual step.`,
      ],
      extra: { expectedRange: { from: lowest ?? null, to: highest }, value },
    },
  ];
}

/**
 * Checks whether the invoice number continues the series by a step that is no longer than an earlier step. The series
 * must never have fallen, and its last step must not have been a jump. This check runs for every invoice, and most
 * invoice numbers pass it, so it does not build the longest series.
 */
function continuesSteadily(before: readonly Entry[], value: number, { jumpStepsMax }: NumberParameters): boolean {
  let [shortest, longest, last, reached] = [Number.POSITIVE_INFINITY, 0, 0, before[0]?.value ?? value];
  for (const entry of before) {
    // The usual step between invoice numbers is at least as long as the shortest earlier step. This quick check
    // therefore accepts only numbers that the exact check would accept too.
    if (last > 0 && last < shortest) shortest = last;
    last = entry.value - reached;
    if (last < 0) return false;
    if (last > longest) longest = last;
    reached = entry.value;
  }
  const step = value - reached;
  return step >= 0 && longest > 0 && step <= longest && last <= shortest * jumpStepsMax;
}

/**
 * Returns the longest series of invoice numbers in which none is below the previous one. Single numbers that do not fit
 * the series are left out. If several series have the same length, the series with the lowest numbers is chosen.
 */
function longestRising(entries: readonly Entry[]): readonly Entry[] {
  if (entries.every(({ value }, index) => value >= (entries[index - 1]?.value ?? value))) return entries;
  // Indexes of the invoice numbers that end the lowest series of each length.
  const ends: number[] = [];
  const previous: number[] = [];
  const valueAt = (place: number | undefined): number => entries[place ?? -1]?.value ?? 0;
  for (const [index, { value }] of entries.entries()) {
    const longer = ends.findIndex((end) => valueAt(end) > value);
    const length = longer < 0 ? ends.length : longer;
    previous.push(ends[length - 1] ?? -1);
    ends[length] = index;
  }
  const series: Entry[] = [];
  for (let place = ends.at(-1) ?? -1; place >= 0; place = previous[place] ?? -1) {
    const entry = entries[place];
    if (entry !== undefined) series.push(entry);
  }
  return series.reverse();
}

/**
 * Returns the series of invoice numbers without its last entry if that entry is far above the other entries, because a
 * single bill does not raise the level of the series.
 */
function withoutLastJump(series: readonly Entry[], { jumpStepsMax }: NumberParameters): readonly Entry[] {
  const others = series.slice(0, -1);
  const [last, beforeLast] = [series.at(-1), others.at(-1)];
  const rising = stepsOf(others).filter((step) => step > 0);
  if (last === undefined || beforeLast === undefined || rising.length === 0) return series;
  return last.value - beforeLast.value > jumpStepsMax * median(rising) ? others : series;
}

function stepsOf(series: readonly Entry[]): number[] {
  return differences(series.map(({ value }) => value));
}

/**
 * Reports that this organization receives every invoice number of the supplier. If the supplier had other customers,
 * numbers would be missing here. The finding is raised once, and is not raised again after a gap, in a new year or for
 * a repeated number.
 */
function consecutive(facts: Facts, { value, before }: Series, parameters: NumberParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const { count, firstDay, taxIdCount } = supplier.profile;
  if (hasAccountPart(invoice)) return [];
  const entries = withoutRepeats([...before, { day: invoice.issueDay, value }]);
  const saysItAt = (index: number): boolean =>
    saysOnlyCustomer(unbrokenSeries(entries.slice(0, index + 1)), count - (entries.length - 1 - index), parameters);
  const own = entries.length - 1;
  if (before.at(-1)?.value === value || !saysItAt(own)) return [];
  if (entries.some((_, index) => index < own && saysItAt(index))) return [];
  const series = unbrokenSeries(entries);
  const newest = series.slice(-parameters.consecutiveInvoicesMin);
  const first = newest[0]?.day ?? invoice.issueDay;
  const isYoung = firstDay !== null && invoice.issueDay - firstDay < parameters.youngSupplierDays;
  const hasNoTaxId = taxIdCount === 0 && invoice.taxKey === undefined;
  const numbers = newest.map((entry) => String(entry.value));
  return [
    {
      type: 'INVOICE_NUMBERS_CONSECUTIVE',
      ...((isYoung || hasNoTaxId) && isMuchMoney(facts, parameters)
        ? parameters.levels.consecutiveDoubtful
        : parameters.levels.consecutive),
      summary: `The last ${numbers.length} invoices from ${invoice.supplierName} are numbered ${numbers[0] ?? ''} to ${numbers.at(-1) ?? ''} without a gap${hasNoTaxId ? '; it has never stated a tax id' : ''}.`,
      about: [subject.supplier(supplier.supplierId)],
      parameters: {
        ...pick(parameters, 'consecutiveInvoicesMin', 'consecutiveDaysMin'),
        ...limitsIn(LIMIT_CURRENCY, { consecutiveSumMin: parameters.consecutiveSumMin }),
      },
      observed: { invoices: count, days: invoice.issueDay - first },
      explanation: [
        `Over ${counted(invoice.issueDay - first, 'day')}, each invoice number of the supplier directly followed the one before.`,
        ...(isYoung
          ? [`The supplier has been known for less than ${counted(parameters.youngSupplierDays, 'day')}.`]
          : []),
        ...(hasNoTaxId ? ['The supplier has never stated a tax id.'] : []),
      ],
      extra: { numbers },
    },
  ];
}

/**
 * Checks whether the newest invoices of the supplier, as many as are compared, add up to much money. Without an
 * exchange rate, the sum is not known to be high.
 */
function isMuchMoney(facts: Facts, { consecutiveInvoicesMin, consecutiveSumMin }: NumberParameters): boolean {
  const { invoice, supplier } = facts;
  const limit = inInvoiceCurrency(facts, consecutiveSumMin);
  if (limit === undefined) return false;
  const newest = (supplier.profile.amounts[invoice.currency] ?? []).slice(1 - consecutiveInvoicesMin);
  const sum = newest.reduce((total, { minor }) => total + BigInt(minor), BigInt(invoice.amountMinor));
  return sum >= toMinorUnits(limit, minorUnitsOf(invoice.currency));
}

/** Returns the invoices of a series without the invoices that repeat the previous invoice number, as a copy does. */
function withoutRepeats(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ value }, index) => value !== entries[index - 1]?.value);
}

/**
 * Returns the newest invoices whose numbers are consecutive, so that each number is one higher than the previous
 * number.
 */
function unbrokenSeries(entries: readonly Entry[]): readonly Entry[] {
  const start = entries.findLastIndex(
    ({ value }, index) => index === 0 || value !== (entries[index - 1]?.value ?? 0) + 1,
  );
  return entries.slice(start);
}

/**
 * Checks whether the newest invoice numbers of a supplier are enough, over enough days, to show that the buyer is its
 * only customer.
 */
function saysOnlyCustomer(
  entries: readonly Entry[],
  invoicesBefore: number,
  { consecutiveInvoicesMin, consecutiveDaysMin }: NumberParameters,
): boolean {
  const newest = entries.slice(-consecutiveInvoicesMin);
  const [first, last] = [newest[0], newest.at(-1)];
  if (first === undefined || last === undefined || newest.length < consecutiveInvoicesMin) return false;
  return invoicesBefore >= consecutiveInvoicesMin && last.day - first.day >= consecutiveDaysMin;
}

/**
 * Checks whether the invoice number contains digits in addition to the counter and a period, such as the customer
 * number in `<customer>-<count>`. Such numbers count the invoices of each customer separately.
 */
function hasAccountPart(invoice: NormalisedInvoice): boolean {
  const numeric = invoice.number.runs.filter((run) => /^[0-9]+$/.test(run));
  return numeric.slice(0, -1).some((run) => !isPeriod(run, invoice));
}

/**
 * Checks whether digits of an invoice number represent the month or year of the invoice date. Digits with more leading
 * zeros than a month are a counter (`2026.0026`). The last two digits of the year are a counter too, if the number also
 * contains the four-digit year.
 */
function isPeriod(printed: string, { issueDate, number }: NormalisedInvoice): boolean {
  const [year, short, month, day] = [
    issueDate.slice(0, 4),
    issueDate.slice(2, 4),
    issueDate.slice(5, 7),
    issueDate.slice(8),
  ];
  // A number that represents a period ends with the last digits of its year, month or day. Few counters end this way,
  // so this check excludes most of them quickly.
  const end = printed.slice(-2);
  if (!short.endsWith(end) && !month.endsWith(end) && !day.endsWith(end)) return false;
  const written = [year, month, day, year + month, short + month, month + year, month + short];
  const days = [year + month + day, short + month + day, day + month + year];
  const years = number.runs.includes(year) ? [] : [short];
  return [...written, ...days, ...years].some((text) => text === printed || withoutLeadingZeros(text) === printed);
}

/**
 * Checks whether a running number follows the year and month, as in `2025030017`. A number in this form jumps at the
 * beginning of every month.
 */
function carriesPeriod(run: string, date: CalendarDate): boolean {
  const [year = '', month = ''] = date.split('-');
  return [year + month, year.slice(2) + month].some((period) => run.length > period.length && run.startsWith(period));
}

function isOfYear(day: number, date: CalendarDate): boolean {
  const { first, last } = daysOfYear(date);
  return day >= first && day <= last;
}
