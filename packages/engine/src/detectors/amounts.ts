import { pick } from '../explanation/evidence.js';
import { subject } from '../explanation/subject.js';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { AMOUNT_DECIMALS_MAX, microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { severityRank } from '../explanation/catalogue.js';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import { LIMIT_CURRENCY, valueOf } from '../facts/facts.js';
import type { Facts } from '../facts/facts.js';
import { readInvoiceNumber } from '../normalisation/invoice-number.js';
import { limitsIn, moneyIn, moneyText, valueEvidence } from '../explanation/money.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import { originalsOf, scorePairs } from '../matching/pair-score.js';
import { counted, grouped } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { AmountParameters } from '../policy/amounts.js';
import type { Level } from '../policy/level.js';
import { isRound, roundSteps } from '../supplier/profile.js';
import type { AmountUse, RecentBill } from '../facts/supplier.js';
import { comparableAmounts, usualCount } from '../supplier/habits.js';
import { amountRatio, amountsOf, amountStatistics, differences, medianAmount } from '../supplier/statistics.js';
import { isWorth, mayBeWorth } from './checked-amount.js';
import type { CheckedAmount } from './checked-amount.js';
import { risenAmount } from './spending.js';

/**
 * Checks whether an amount is usual for its supplier and how it relates to approval limits (family AMT; detection
 * reference, section 7.4). Credit notes are skipped, because refunds do not follow the usual amounts.
 */
export function detectAmounts(facts: Facts, policy: Policy): RaisedFinding[] {
  const minor = BigInt(facts.invoice.amountMinor);
  if (minor < 0n) return [];
  if (minor === 0n) return zero(facts, policy.amounts);
  const uses = comparableAmounts(facts, policy.amounts);
  const { value, noRate } = valueOf(facts);
  const checked: CheckedAmount = { facts, minor, value: noRate ? undefined : toMicro(value), uses };
  const amounts = amountsOf(uses);
  const usual = usualCount(amounts, policy.amounts);
  const ratio = amountRatio(amounts.slice(-usual), Number(minor));
  const outliers = outlier(checked, uses.slice(-usual), ratio, policy.amounts);
  return [
    ...(outliers.some(({ severity }) => severity !== 'LOW') ? outliers : risenOr(outliers, checked, policy.amounts)),
    ...magnitudeShift(checked, ratio, policy.amounts),
    ...recurringChanged(checked, policy.amounts),
    ...round(checked, policy.amounts),
    ...approvalLimits(checked, policy),
  ];
}

/**
 * Chooses the only finding that is raised about the size of an amount. A finding about a rise that requires a review
 * replaces a finding that requires none.
 */
function risenOr(
  notices: readonly RaisedFinding[],
  checked: CheckedAmount,
  parameters: AmountParameters,
): readonly RaisedFinding[] {
  const risen = risenAmount(checked, parameters);
  return risen.length > 0 ? risen : notices;
}

function zero({ invoice }: Facts, { levels }: AmountParameters): RaisedFinding[] {
  return [
    {
      type: 'AMOUNT_ZERO',
      ...levels.zero,
      summary: `${invoice.invoiceNumber} from ${invoice.supplierName} is for ${amountText(invoice)}.`,
      about: [invoice.invoiceId],
      observed: { grossAmount: amountOf(invoice), currency: invoice.currency },
      explanation: ['The gross amount is zero.'],
    },
  ];
}

/** Reports an amount that is far above the supplier's usual amounts, measured by the spread of these amounts. */
function outlier(
  checked: CheckedAmount,
  usual: readonly AmountUse[],
  ratio: number | undefined,
  parameters: AmountParameters,
): RaisedFinding[] {
  if (ratio === undefined || usual.length < parameters.outlierSampleMin) return [];
  const steps = parameters.outlierSteps.filter(({ ratioMin }) => ratio >= ratioMin);
  if (steps.length === 0) return [];
  const { facts, uses } = checked;
  const { invoice } = facts;
  const statistics = amountStatistics(usual, invoice.amountMinor, parameters.logMadFloor);
  if (statistics === undefined) return [];
  const { z, sampleSize, logMad, medianMinor } = statistics;
  const step = steps.find(({ zMin }) => z >= zMin);
  const exceeded = ratio >= parameters.beyondAllRatioMin ? largestExceeded(checked, parameters) : undefined;
  const { outlierBeyondAll, outlierHighRise } = parameters.levels;
  const beyondAll = isWorth(checked, parameters.highRiseValueMin) ? outlierHighRise : outlierBeyondAll;
  const level = mostSevere(step?.level, exceeded === undefined ? undefined : beyondAll);
  if (level === undefined) return [];
  if (!mayBeWorth(checked, parameters.outlierValueMin) || isYearlyBill(facts, uses, parameters)) return [];
  const median = amountOf({ currency: invoice.currency, amountMinor: medianMinor });
  const usualAmount = moneyText(median, invoice.currency);
  const ofThisSize = uses.filter(({ minor }) => isOfThisSize(invoice.amountMinor, minor, parameters)).length;
  const isKnownSize = ofThisSize >= parameters.outlierKnownMin;
  return [
    {
      type: 'AMOUNT_OUTLIER',
      ...(isKnownSize ? parameters.levels.outlierOfKnownSize : level),
      summary: `${amountText(invoice)} is ${grouped(ratio)} times the ${usualAmount} that ${invoice.supplierName} usually bills.`,
      actionValues: { comparison: `the amount is ${grouped(ratio)} times the usual amount` },
      about: [invoice.invoiceId],
      parameters: {
        ...(step === undefined ? {} : { zMin: step.zMin, ratioMin: step.ratioMin }),
        ...(exceeded === undefined
          ? {}
          : { beyondAllTimes: parameters.beyondAllTimes, beyondAllRatioMin: parameters.beyondAllRatioMin }),
        outlierSampleMin: parameters.outlierSampleMin,
        ...limitsIn(LIMIT_CURRENCY, pick(parameters, 'outlierValueMin')),
      },
      observed: { z, ratio, median, currency: invoice.currency, ...valueEvidence(facts) },
      explanation: [
        `Half of the last ${counted(sampleSize, 'invoice')} of the supplier are for ${usualAmount} or less.`,
        ...(step === undefined ? [] : ['The amounts of the supplier usually vary far less.']),
        ...(exceeded === undefined
          ? []
          : [
              `The amount is more than ${parameters.beyondAllTimes} times the largest earlier amount of the supplier, ${exceeded}.`,
            ]),
        ...(isKnownSize
          ? [`The supplier has billed about this much before, on ${counted(ofThisSize, 'invoice')}.`]
          : []),
        ...(sampleSize < uses.length
          ? ['The amounts of the supplier are rising, so only the most recent ones were compared.']
          : []),
      ],
      extra: {
        z,
        ratio,
        median,
        currency: invoice.currency,
        mad: logMad,
        sampleSize,
        window: windowOf(uses.slice(-sampleSize)),
      },
    },
  ];
}

/**
 * Returns the supplier's largest earlier amount if the checked amount is many times larger. Where amounts vary widely,
 * the spread rarely shows an outlier, but an amount far above all earlier amounts is still unusual.
 */
function largestExceeded(
  { facts: { invoice }, minor, uses }: CheckedAmount,
  { beyondAllTimes }: AmountParameters,
): string | undefined {
  const amounts = uses.map((use) => BigInt(use.minor));
  const largest = amounts.reduce((larger, amount) => (amount > larger ? amount : larger), 0n);
  return minor > largest * BigInt(beyondAllTimes)
    ? amountText({ currency: invoice.currency, amountMinor: String(largest) })
    : undefined;
}

function mostSevere(left: Level | undefined, right: Level | undefined): Level | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return severityRank(left.severity) >= severityRank(right.severity) ? left : right;
}

/** Checks whether a bill of similar size was sent about a year ago, as for insurance or a licence. */
function isYearlyBill(facts: Facts, uses: readonly AmountUse[], parameters: AmountParameters): boolean {
  const { amountMinor } = facts.invoice;
  return aYearBefore(facts, uses, parameters).some(({ minor }) => isOfThisSize(amountMinor, minor, parameters));
}

function aYearBefore(
  { invoice }: Facts,
  uses: readonly AmountUse[],
  { yearlyGapDays: { min, max } }: AmountParameters,
): readonly AmountUse[] {
  return uses.filter(({ day }) => invoice.issueDay - day >= min && invoice.issueDay - day <= max);
}

/** Checks whether an earlier amount is nearly as large as the checked amount, or larger. */
function isOfThisSize(checkedMinor: string, earlierMinor: string, { sameSizeShareMin }: AmountParameters): boolean {
  return Number(earlierMinor) >= Number(checkedMinor) * sameSizeShareMin;
}

function windowOf(uses: readonly AmountUse[]): EvidenceValue {
  const [first, last] = [uses[0], uses.at(-1)];
  return first === undefined || last === undefined
    ? null
    : { from: dateOfDayNumber(first.day), to: dateOfDayNumber(last.day) };
}

/**
 * Reports an invoice amount with a decimal point in the wrong place. Where amounts vary widely, some amount is always
 * near a tenth of another, so the digits must be equal. Where all amounts are similar, a similar amount is enough.
 */
function magnitudeShift(
  checked: CheckedAmount,
  ratio: number | undefined,
  parameters: AmountParameters,
): RaisedFinding[] {
  const { facts, uses, minor: amount } = checked;
  if (ratio === undefined || uses.length < parameters.shiftSampleMin) return [];
  const isTooHigh = ratio >= parameters.shiftRatioMin;
  if (!isTooHigh && ratio * parameters.shiftRatioMin > 1) return [];
  const { invoice } = facts;
  const isEven = areAlike(uses, parameters);
  const found = (isTooHigh ? parameters.shiftFactors : parameters.shiftFactors.slice(0, 1))
    .map((factor) => ({
      factor,
      matched: closest(uses, ({ minor }) => {
        const [larger, smaller] = isTooHigh ? [amount, BigInt(minor)] : [BigInt(minor), amount];
        const unshifted = smaller * BigInt(factor);
        const fits = isEven
          ? isWithin(larger, unshifted, parameters.shiftTolerancePercent)
          : larger === unshifted && digitsOf(smaller) >= parameters.shiftDigitsMin;
        return fits ? distance(larger, unshifted) : undefined;
      }),
    }))
    .find(({ matched }) => matched !== undefined);
  if (found?.matched === undefined) return [];
  // The larger one of the two amounts with the decimal point in different places could be paid by mistake, so it is
  // compared with the value limit.
  if (!mayBeWorth(checked, parameters.shiftValueMin, isTooHigh ? 1 : found.factor)) return [];
  const { matched, factor } = found;
  const isSold = !isEven && isSoldByQuantity(uses, amount, BigInt(matched.minor), parameters);
  const { magnitudeShift: tooHigh, magnitudeShiftDown: tooLow, magnitudeShiftOfQuantity } = parameters.levels;
  const matchedAmount = amountOf({ currency: invoice.currency, amountMinor: matched.minor });
  const minor = BigInt(matched.minor);
  const isExact = isTooHigh ? amount === minor * BigInt(factor) : minor === amount * BigInt(factor);
  const relation = `${isExact ? '' : 'about '}${isTooHigh ? `${grouped(factor)} times` : `1/${grouped(factor)} of`}`;
  return [
    {
      type: 'AMOUNT_MAGNITUDE_SHIFT',
      ...(isSold ? magnitudeShiftOfQuantity : isTooHigh ? tooHigh : tooLow),
      summary: `${amountText(invoice)} is ${relation} the ${moneyText(matchedAmount, invoice.currency)} that ${invoice.supplierName} billed on ${dateOfDayNumber(matched.day)}.`,
      about: [invoice.invoiceId],
      parameters: pick(
        parameters,
        'shiftFactors',
        'shiftTolerancePercent',
        'shiftRatioMin',
        'shiftRangeMax',
        'shiftDigitsMin',
      ),
      observed: { ratio, factor, matchedAmount, currency: invoice.currency },
      explanation: [
        isEven
          ? `With the decimal point moved, the amount is within ${parameters.shiftTolerancePercent}% of an earlier amount of the supplier.`
          : 'The amount has the same digits as an earlier amount of the supplier.',
        isTooHigh
          ? `The amount is ${grouped(ratio)} times the usual amount.`
          : `The usual amount of the supplier is ${grouped(Math.round(10 / ratio) / 10)} times as large.`,
        ...(isSold ? ['The supplier has billed this amount before, or other multiples of the same price.'] : []),
      ],
      extra: { matchedAmount, currency: invoice.currency, factor: isTooHigh ? String(factor) : `1/${factor}` },
    },
  ];
}

/**
 * Checks whether the larger of two amounts, which is about ten times the smaller one, may be the price of ten pieces:
 * the supplier has billed the checked amount before, or has billed other multiples of the smaller amount. Rounding of
 * each line may change an amount by a few cents.
 */
function isSoldByQuantity(
  uses: readonly AmountUse[],
  amount: bigint,
  matched: bigint,
  { shiftMultiplesMin, shiftMultipleMax }: AmountParameters,
): boolean {
  const others = new Set(uses.map(({ minor }) => BigInt(minor)));
  if (others.has(amount)) return true;
  others.delete(matched);
  const price = amount < matched ? amount : matched;
  const multiples = [...others].filter((minor) => {
    const pieces = (minor + 1n) / price;
    const rest = minor - pieces * price;
    return pieces >= 2n && pieces <= BigInt(shiftMultipleMax) && rest >= -1n && rest <= 1n;
  });
  return multiples.length >= shiftMultiplesMin;
}

/**
 * Returns the supplier's earlier amount for which the given function computes the smallest distance. If several amounts
 * are equally near, the newest amount is returned. Amounts for which no distance can be computed are skipped.
 */
function closest(
  uses: readonly AmountUse[],
  distanceOf: (use: AmountUse) => bigint | undefined,
): AmountUse | undefined {
  let nearest: { use: AmountUse; distance: bigint } | undefined;
  for (const use of uses) {
    const distance = distanceOf(use);
    if (distance !== undefined && (nearest === undefined || distance <= nearest.distance)) nearest = { use, distance };
  }
  return nearest?.use;
}

/**
 * Checks whether a supplier's amounts are similar, if the highest tenth and the lowest tenth of the amounts are left
 * out.
 */
function areAlike(uses: readonly AmountUse[], { shiftRangeMax }: AmountParameters): boolean {
  const sorted = uses.map(({ minor }) => Number(minor)).sort((left, right) => left - right);
  const cut = Math.floor(sorted.length / 10);
  return (sorted.at(-1 - cut) ?? 0) <= (sorted[cut] ?? 0) * shiftRangeMax;
}

/**
 * Reports a changed amount from a supplier that bills the same amount at regular intervals, when the next bill is due.
 */
function recurringChanged(
  { facts, minor: amount, uses }: CheckedAmount,
  parameters: AmountParameters,
): RaisedFinding[] {
  const { invoice } = facts;
  const series = recurringSeries(uses, invoice.issueDay, parameters);
  const last = series?.at(-1);
  if (series === undefined || last === undefined) return risingFee({ facts, minor: amount, uses }, parameters);
  const oldAmount = BigInt(last.minor);
  if (isWithin(amount, oldAmount, parameters.recurringChangePercent)) return [];
  const isRaisedMuch = (minor: bigint): boolean =>
    minor > oldAmount && !isWithin(minor, oldAmount, parameters.recurringRaisePercent);
  // The rule about recurring amounts accepts a final bill with another amount, such as the bill that a utility sends
  // after a year of advance payments.
  const finalBills = uses.filter(({ minor }) => isRaisedMuch(BigInt(minor)));
  if (isRaisedMuch(amount) && isYearlyBill(facts, finalBills, parameters)) return [];
  const isFinalBill = isRaisedMuch(amount) && aYearBefore(facts, finalBills, parameters).length > 0;
  const isIndexation = parameters.indexationMonths.includes(Number(invoice.issueDate.slice(5, 7)));
  const isContractBroken = isRaisedMuch(amount) && !isIndexation && !isFinalBill;
  const isInterrupted = uses.slice(-series.length).some((use) => !series.includes(use));
  const changePct = Number(((amount - oldAmount) * 1000n) / oldAmount) / 10;
  const old = amountOf({ currency: invoice.currency, amountMinor: last.minor });
  return [
    {
      type: 'RECURRING_AMOUNT_CHANGED',
      ...(isContractBroken ? parameters.levels.recurringRaisedMuch : parameters.levels.recurringChanged),
      summary: `${invoice.supplierName} billed ${moneyText(old, invoice.currency)} on each of its last ${series.length} ${isInterrupted ? 'regular ' : ''}invoices and now bills ${amountText(invoice)} (${changePct > 0 ? '+' : ''}${grouped(changePct)}%).`,
      about: [invoice.invoiceId],
      parameters: pick(
        parameters,
        'recurringMin',
        'recurringExceptionsMax',
        'recurringChangePercent',
        'recurringRaisePercent',
      ),
      observed: { oldAmount: old, newAmount: amountOf(invoice), currency: invoice.currency, changePct },
      explanation: [
        `The last ${series.length} ${isInterrupted ? 'regular ' : ''}invoices came at regular intervals and were for nearly the same amount.`,
        ...(isInterrupted ? ['The supplier also billed other amounts in between.'] : []),
        ...(isIndexation ? ['Prices in contracts are often adjusted in this month.'] : []),
        ...(isFinalBill
          ? ['About a year ago the supplier also billed more than usual, as in a yearly final bill.']
          : []),
      ],
      extra: {
        series: series.map(({ day, minor }) => ({
          issueDate: dateOfDayNumber(day),
          grossAmount: amountOf({ currency: invoice.currency, amountMinor: minor }),
          currency: invoice.currency,
        })),
        oldAmount: old,
        currency: invoice.currency,
        changePct,
      },
    },
  ];
}

/**
 * Reports bills for a recurring fee that rises a little each time. No single rise interrupts the series, but compared
 * with the fee half a year ago the rise is large.
 */
function risingFee(
  { facts, minor: amount, uses }: Pick<CheckedAmount, 'facts' | 'minor' | 'uses'>,
  parameters: AmountParameters,
): RaisedFinding[] {
  const { invoice } = facts;
  const { recurringMin, recurringTolerancePercent, recurringStepPercent, recurringRiseDays } = parameters;
  const series = uses.slice(-recurringMin);
  const earlier = series.findLast(({ day }) => invoice.issueDay - day >= recurringRiseDays);
  if (series.length < recurringMin || earlier === undefined) return [];
  const days = [...series.map(({ day }) => day), invoice.issueDay];
  const gaps = differences(days);
  const isRegular = parameters.recurringGapsDays.some(({ min, max }) => gaps.every((gap) => gap >= min && gap <= max));
  if (!isRegular) return [];
  const fees = [...series.map(({ minor }) => BigInt(minor)), amount];
  const isGradual = fees.slice(1).every((fee, index) => {
    const before = fees[index] ?? fee;
    return fee >= before
      ? isWithin(fee, before, recurringStepPercent)
      : isWithin(fee, before, recurringTolerancePercent);
  });
  const base = BigInt(earlier.minor);
  if (!isGradual || amount <= base || isWithin(amount, base, parameters.recurringRaisePercent)) return [];
  const changePct = Number(((amount - base) * 1000n) / base) / 10;
  const { currency } = invoice;
  const oldAmount = amountOf({ currency, amountMinor: earlier.minor });
  return [
    {
      type: 'RECURRING_AMOUNT_CHANGED',
      ...parameters.levels.recurringRaisedMuch,
      summary: `${invoice.supplierName} billed ${moneyText(oldAmount, currency)} on ${dateOfDayNumber(earlier.day)} and now bills ${amountText(invoice)} (+${grouped(changePct)}%), after small increases of a regular amount.`,
      about: [invoice.invoiceId],
      parameters: pick(
        parameters,
        'recurringMin',
        'recurringStepPercent',
        'recurringRiseDays',
        'recurringRaisePercent',
      ),
      observed: { oldAmount, newAmount: amountOf(invoice), currency, changePct },
      explanation: [
        `The last ${series.length} invoices came at regular intervals, each for about the same amount as the one before or a little more.`,
        `Each increase was small; together they come to more than ${parameters.recurringRaisePercent}% since ${dateOfDayNumber(earlier.day)}.`,
      ],
      extra: {
        series: series.map(({ day, minor }) => ({
          issueDate: dateOfDayNumber(day),
          grossAmount: amountOf({ currency, amountMinor: minor }),
          currency,
        })),
        oldAmount,
        currency,
        changePct,
      },
    },
  ];
}

/**
 * Returns the newest bills with the same amount if they form a series that the checked bill continues. A few bills with
 * other amounts and a few missing bills are allowed. A bill with another amount in place of a regular bill counts as
 * both, so that varying bills do not form a series.
 */
function recurringSeries(
  uses: readonly AmountUse[],
  issueDay: number,
  parameters: AmountParameters,
): readonly AmountUse[] | undefined {
  const { recurringMin, recurringExceptionsMax, recurringTolerancePercent, recurringGapsDays } = parameters;
  const newest = uses.slice(-(recurringMin + recurringExceptionsMax));
  if (newest.length < recurringMin) return undefined;
  const amount = medianAmount(newest);
  const series = newest
    .filter(({ minor }) => isWithin(BigInt(minor), amount, recurringTolerancePercent))
    .slice(-recurringMin);
  const [first] = series;
  if (first === undefined || series.length < recurringMin) return undefined;
  const others = newest.slice(newest.indexOf(first)).length - series.length;
  const days = [...series.map(({ day }) => day), issueDay];
  const gaps = differences(days);
  const isRegular = recurringGapsDays.some(({ min, max }) => {
    const irregular = gaps.filter((gap) => gap < min || gap > max);
    const isLeftOut = (gap: number): boolean => gap >= 2 * min && gap <= 2 * max;
    return irregular.every(isLeftOut) && irregular.length + others <= recurringExceptionsMax;
  });
  return isRegular ? series : undefined;
}

/**
 * Reports a round amount, because invented amounts are often round. Suppliers that often bill round amounts, or have
 * billed this amount before, are skipped.
 */
function round(checked: CheckedAmount, parameters: AmountParameters): RaisedFinding[] {
  if (!isRound(checked.minor, checked.facts.invoice.currency) || !isWorth(checked, parameters.roundValueMin)) return [];
  const { facts, uses } = checked;
  const { invoice, supplier } = facts;
  if (uses.some(({ minor }) => minor === invoice.amountMinor)) return [];
  const { count, roundCount } = supplier.profile;
  const isYoung = count < parameters.roundHistoryMin;
  if (!isYoung && roundCount >= count * parameters.roundShareMax) return [];
  return [
    {
      type: 'AMOUNT_ROUND',
      ...(isYoung ? parameters.levels.roundYoung : parameters.levels.round),
      summary: `${amountText(invoice)} is a round amount; ${roundHabitText(invoice.supplierName, roundCount, count)}.`,
      about: [invoice.invoiceId],
      parameters: {
        ...limitsIn(LIMIT_CURRENCY, pick(parameters, 'roundValueMin')),
        ...pick(parameters, 'roundHistoryMin', 'roundShareMax'),
      },
      observed: { invoices: count, roundInvoices: roundCount, ...valueEvidence(facts) },
      explanation: [
        `The amount is a multiple of ${roundStepText(checked)}.`,
        isYoung
          ? 'The supplier has sent too few invoices to tell whether round amounts are usual.'
          : 'The amounts of the supplier are rarely round.',
      ],
      extra: { roundShare: count === 0 ? null : Math.floor((roundCount * 100) / count) / 100 },
    },
  ];
}

function roundStepText({ facts: { invoice }, minor }: CheckedAmount): string {
  const { thousand, hundred } = roundSteps(invoice.currency);
  const step = minor % thousand === 0n ? thousand : hundred;
  return amountText({ currency: invoice.currency, amountMinor: String(step) });
}

function roundHabitText(supplierName: string, roundCount: number, count: number): string {
  if (count === 0) return `there is no earlier invoice from ${supplierName}`;
  if (count === 1)
    return `the only earlier invoice from ${supplierName} is ${roundCount === 0 ? 'not' : 'also'} for one`;
  const earlier = `${counted(count, 'earlier invoice')} from ${supplierName}`;
  return roundCount === 0
    ? `none of the ${earlier} is for one`
    : `${grouped(roundCount)} of ${earlier} ${roundCount === 1 ? 'is' : 'are'} also for one`;
}

/**
 * Raises the findings about an amount just below an approval limit, and about a purchase that is split into such
 * amounts.
 */
function approvalLimits(checked: CheckedAmount, policy: Policy): RaisedFinding[] {
  if (!mayBeWorth(checked, policy.amounts.approvalValueMin)) return [];
  const currencies = limitCurrencies(checked.facts);
  return [...belowThreshold(checked, currencies, policy.amounts), ...splitBelowThreshold(checked, currencies, policy)];
}

function belowThreshold(
  { facts, uses }: CheckedAmount,
  currencies: readonly LimitCurrency[],
  parameters: AmountParameters,
): RaisedFinding[] {
  const { invoice } = facts;
  const band = bandOf(invoice.amountMinor, currencies, parameters.belowThresholdPercent, parameters);
  if (band === undefined) return [];
  const isBilledBefore = uses.some(({ minor }) => minor === invoice.amountMinor);
  if (isBilledBefore || isPricePoint(uses, band, parameters.belowThresholdPercent, parameters)) return [];
  return [
    {
      type: 'AMOUNT_BELOW_THRESHOLD',
      ...parameters.levels.belowThreshold,
      summary: `${amountText(invoice)}${inLimitCurrency(invoice, band)} is just under the approval limit of ${limitText(band)}.`,
      about: [invoice.invoiceId],
      parameters: pick(parameters, 'belowThresholdPercent'),
      observed: {
        value: moneyIn(band.currency, microToDecimal(band.value)),
        valueCurrency: band.currency,
        ...thresholdEvidence(band),
      },
      explanation: [`The amount is at least ${parameters.belowThresholdPercent}% of the approval limit, but below it.`],
      extra: thresholdEvidence(band),
    },
  ];
}

/** Reports a purchase that is split over several bills, each below an approval limit that their total exceeds. */
function splitBelowThreshold(
  { facts, uses }: CheckedAmount,
  currencies: readonly LimitCurrency[],
  policy: Policy,
): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const parameters = policy.amounts;
  const band = bandOf(invoice.amountMinor, currencies, parameters.splitPercent, parameters);
  if (band === undefined) return [];
  const group = splitGroup(facts, band, policy);
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined || group.length < 2) return [];
  const before = uses.filter(({ day }) => day < first.day);
  const isUsual =
    isPricePoint(before, band, parameters.splitPercent, parameters) ||
    group.every(({ minor }) => before.some((use) => use.minor === minor));
  if (isUsual && group.length < parameters.splitGroupMin) return [];
  const level = isUsual ? parameters.levels.splitPair : splitLevel(group, parameters);
  const { currency } = invoice;
  const sum = amountOf({
    currency,
    amountMinor: String(group.reduce((total, { minor }) => total + BigInt(minor), 0n)),
  });
  const days = last.day - first.day;
  const others = group.filter(({ invoiceId }) => invoiceId !== invoice.invoiceId);
  return [
    {
      type: 'SPLIT_BELOW_THRESHOLD',
      ...level,
      summary: `${invoice.supplierName} sent ${counted(group.length, 'invoice')} within ${counted(parameters.splitDays, 'day')}, each under the approval limit of ${limitText(band)}; together they come to ${moneyText(sum, currency)}.`,
      about: [subject.supplier(supplier.supplierId), ...group.map(({ invoiceId }) => invoiceId)],
      parameters: pick(parameters, 'splitPercent', 'splitDays', 'splitGroupMin'),
      observed: { invoices: group.length, sum, currency, days, ...thresholdEvidence(band) },
      explanation: [
        `Each of the invoices is for at least ${parameters.splitPercent}% of the approval limit, but below it.`,
        ...(haveConsecutiveNumbers(group) ? ['The numbers of the invoices are consecutive.'] : []),
        ...(haveOneOrder(group) ? ['All of the invoices state the same purchase order.'] : []),
        ...(haveNoOrder(group) ? ['None of the invoices states a purchase order.'] : []),
        ...(isUsual ? ['Single prices of the supplier are usually of this size.'] : []),
      ],
      extra: {
        group: group.map((bill) => ({
          invoiceId: bill.invoiceId,
          invoiceNumber: bill.invoiceNumber,
          issueDate: dateOfDayNumber(bill.day),
          grossAmount: amountOf({ currency: bill.currency, amountMinor: bill.minor }),
          currency: bill.currency,
          order: bill.poKey ?? null,
        })),
        sum,
        currency,
        ...thresholdEvidence(band),
        days,
      },
      relatedInvoiceIds: others.map(({ invoiceId }) => invoiceId),
    },
  ];
}

/**
 * Returns the checked bill and other bills just below one approval limit, sorted by day, in the time window that
 * contains most of these bills.
 */
function splitGroup(facts: Facts, band: Band, policy: Policy): readonly RecentBill[] {
  const { invoice, supplier } = facts;
  const { splitDays, splitPercent } = policy.amounts;
  const own: RecentBill = {
    day: invoice.issueDay,
    minor: invoice.amountMinor,
    invoiceId: invoice.invoiceId,
    invoiceNumber: invoice.invoiceNumber,
    currency: invoice.currency,
    ...(invoice.poKey === undefined ? {} : { poKey: invoice.poKey }),
  };
  const near = (supplier.profile.recentBills ?? []).filter(
    (bill) =>
      bill.currency === invoice.currency &&
      bill.invoiceId !== invoice.invoiceId &&
      Math.abs(bill.day - invoice.issueDay) <= splitDays &&
      isInBand(bill.minor, band, splitPercent),
  );
  if (near.length === 0) return [];
  const duplicates = duplicatesOf(facts, policy);
  const bills: RecentBill[] = [own];
  const numbers = new Set([numberOf(own)]);
  for (const bill of near) {
    if (numbers.has(numberOf(bill)) || duplicates.has(bill.invoiceId)) continue;
    bills.push(bill);
    numbers.add(numberOf(bill));
  }
  const byDay = bills.sort((left, right) => left.day - right.day);
  const windows = byDay
    .filter(({ day }) => day <= invoice.issueDay)
    .map(({ day: from }) => byDay.filter(({ day }) => day >= from && day <= from + splitDays));
  return windows.reduce((fullest, window) => (window.length > fullest.length ? window : fullest), []);
}

/**
 * Returns the records that duplicate the checked invoice. Duplicates are reported separately and do not count as parts
 * of a split purchase.
 */
function duplicatesOf(facts: Facts, { duplicates }: Policy): ReadonlySet<string> {
  const pairs = scorePairs(facts, originalsOf(facts), duplicates);
  return new Set(
    pairs.filter(({ halfPoints }) => halfPoints >= duplicates.mediumMin).map(({ other }) => other.invoiceId),
  );
}

function splitLevel(group: readonly RecentBill[], { levels, splitGroupMin }: AmountParameters): Level {
  const isOneOrder = haveOneOrder(group);
  if (group.length < splitGroupMin) return isOneOrder ? levels.splitPairOneOrder : levels.splitPair;
  const isConsecutive = haveConsecutiveNumbers(group);
  if (isOneOrder) return isConsecutive ? levels.splitGroupOneOrderConsecutive : levels.splitGroupOneOrder;
  return isConsecutive || haveNoOrder(group) ? levels.splitGroupSuspicious : levels.splitGroup;
}

function haveOneOrder(group: readonly RecentBill[]): boolean {
  const [first] = group;
  return first?.poKey !== undefined && group.every(({ poKey }) => poKey === first.poKey);
}

function haveNoOrder(group: readonly RecentBill[]): boolean {
  return group.every(({ poKey }) => poKey === undefined);
}

function haveConsecutiveNumbers(group: readonly RecentBill[]): boolean {
  const runs = group.map(({ invoiceNumber }) => readInvoiceNumber(invoiceNumber).runs.findLast(isNumeric));
  if (runs.includes(undefined)) return false;
  const sorted = runs.map((run) => BigInt(run ?? 0)).sort((left, right) => Number(left - right));
  return sorted.every((run, index) => index === 0 || run - (sorted[index - 1] ?? 0n) === 1n);
}

function isNumeric(run: string): boolean {
  return /^[0-9]+$/.test(run);
}

function numberOf({ invoiceNumber }: RecentBill): string {
  return readInvoiceNumber(invoiceNumber).o2;
}

/** A currency in which approval limits are stated, with the conversion from the currency of the invoice. */
interface LimitCurrency {
  readonly currency: string;
  /** Converts an amount from minor units of the invoice currency to micro-units of the limit currency. */
  readonly worthOf: (minor: string) => bigint;
}

/** An approval limit that the amount of the checked invoice is just below. */
interface Band extends LimitCurrency {
  readonly threshold: string;
  /** Approval limit in micro-units, with which the amount of the invoice is compared. */
  readonly limit: bigint;
  /** Amount of the checked invoice in micro-units. */
  readonly value: bigint;
}

/**
 * Returns the currencies in which approval limits apply: the invoice currency, and the base currency at the exchange
 * rate of the invoice.
 */
function limitCurrencies({ invoice, base }: Facts): LimitCurrency[] {
  const microPerMinor = 10n ** BigInt(AMOUNT_DECIMALS_MAX - minorUnitsOf(invoice.currency));
  const own = { currency: invoice.currency, worthOf: (minor: string) => BigInt(minor) * microPerMinor };
  if (base === null || base.currency === invoice.currency) return [own];
  const gross = toMicro(invoice.grossAmount);
  const converted = toMicro(base.amount);
  const worthOf = (minor: string): bigint => (own.worthOf(minor) * converted + gross / 2n) / gross;
  return [own, { currency: base.currency, worthOf }];
}

function bandOf(
  amountMinor: string,
  currencies: readonly LimitCurrency[],
  percent: number,
  { approvalThresholds }: AmountParameters,
): Band | undefined {
  const limits = inMicro(approvalThresholds);
  for (const { currency, worthOf } of currencies) {
    const value = worthOf(amountMinor);
    const index = limits.findIndex((limit) => isJustUnder(value, limit, percent));
    const [threshold, limit] = [approvalThresholds[index], limits[index]];
    if (threshold !== undefined && limit !== undefined) return { currency, worthOf, threshold, limit, value };
  }
  return undefined;
}

/**
 * Cache of the approval limits of policies as numbers. The limits are parsed once for each policy, because every
 * invoice is compared with all of them.
 */
const readLimits = new WeakMap<readonly string[], readonly bigint[]>();

function inMicro(thresholds: readonly string[]): readonly bigint[] {
  const known = readLimits.get(thresholds);
  if (known !== undefined) return known;
  const limits = thresholds.map(toMicro);
  readLimits.set(thresholds, limits);
  return limits;
}

/** Checks whether another of the supplier's amounts is also just below the approval limit. */
function isInBand(minor: string, { worthOf, limit }: Band, percent: number): boolean {
  return isJustUnder(worthOf(minor), limit, percent);
}

function isJustUnder(value: bigint, limit: bigint, percent: number): boolean {
  return value < limit && value * 100n >= limit * BigInt(percent);
}

/**
 * Checks whether many of the supplier's earlier amounts are just below the approval limit, which shows that its prices
 * are in that range.
 */
function isPricePoint(
  uses: readonly AmountUse[],
  band: Band,
  percent: number,
  { pricePointHistoryMin, pricePointShareMin }: AmountParameters,
): boolean {
  if (uses.length < pricePointHistoryMin) return false;
  return uses.filter(({ minor }) => isInBand(minor, band, percent)).length >= uses.length * pricePointShareMin;
}

/** Returns the value of the amount in the limit currency as text, or an empty string if both have the same currency. */
function inLimitCurrency({ currency }: Facts['invoice'], band: Band): string {
  return band.currency === currency ? '' : ` (${moneyText(microToDecimal(band.value), band.currency)})`;
}

function limitText({ threshold, currency }: Band): string {
  return moneyText(threshold, currency);
}

function thresholdEvidence({ threshold, currency }: Band): { [name: string]: EvidenceValue } {
  return { threshold: moneyIn(currency, threshold), thresholdCurrency: currency };
}

/** Counts the significant digits in an amount. 1200.00 has two. */
function digitsOf(minor: bigint): number {
  return String(minor).replace(/(?<!0)0+$/, '').length;
}

/** Checks whether an invoice amount differs from a positive amount by at most a percentage of that amount. */
function isWithin(amount: bigint, expected: bigint, percent: number): boolean {
  return distance(amount, expected) * 100n <= expected * BigInt(percent);
}

function distance(left: bigint, right: bigint): bigint {
  return left > right ? left - right : right - left;
}
