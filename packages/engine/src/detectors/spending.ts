import { scaleAmount, toMicro } from '@invoicecontrol/values/decimal-amount';
import { dateOfDayNumber } from '@invoicecontrol/values/calendar-date';
import { pick } from '../explanation/evidence.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import { limitsIn, valueEvidence } from '../explanation/money.js';
import { counted, grouped } from '../explanation/phrases.js';
import { LIMIT_CURRENCY } from '../facts/facts.js';
import type { AmountUse } from '../facts/supplier.js';
import { amountOf, amountText } from '../matching/comparison-row.js';
import type { AmountParameters } from '../policy/amounts.js';
import type { Level } from '../policy/level.js';
import { comparableAmounts } from '../supplier/habits.js';
import { medianAmount } from '../supplier/statistics.js';
import { isWorth, mayBeWorth } from './checked-amount.js';
import type { CheckedAmount } from './checked-amount.js';

// The rules in this file find three kinds of rises of a supplier's amounts (detection reference, section 7.4): a large
// amount after a few small ones, amounts that rise step by step, and many bills within a short time. A comparison with
// the usual spread of single amounts does not find these rises.

/**
 * Reports a rise of a supplier's amounts that the spread of single amounts does not show. The first rule that applies
 * raises the finding.
 */
export function risenAmount(checked: CheckedAmount, parameters: AmountParameters): RaisedFinding[] {
  const found = farAboveFew(checked, parameters);
  if (found.length > 0) return found;
  const climbed = climbing(checked, parameters);
  return climbed.length > 0 ? climbed : spendingSurge(checked, parameters);
}

/**
 * Reports an amount many times larger than the largest amount of a supplier that has too few bills to show how its
 * amounts vary. Amounts in other currencies are converted, so that a bill in a new currency is compared with the
 * earlier bills too.
 */
function farAboveFew(checked: CheckedAmount, parameters: AmountParameters): RaisedFinding[] {
  const { facts, uses } = checked;
  const { outlierSampleMin, fewAmountsTimes, fewAmountsValueMin } = parameters;
  if (uses.length >= outlierSampleMin || !mayBeWorth(checked, fewAmountsValueMin)) return [];
  const earlier = largestEarlier(checked, parameters);
  if (earlier === undefined || earlier.ratio < fewAmountsTimes) return [];
  const { ratio, largest, amounts } = earlier;
  const { invoice } = facts;
  return [
    {
      type: 'AMOUNT_OUTLIER',
      ...riseLevel(checked, parameters),
      summary: `${amountText(invoice)} is ${grouped(ratio)} times the largest amount that ${invoice.supplierName} billed before, ${largest}.`,
      actionValues: { comparison: `the amount is ${grouped(ratio)} times the largest earlier one` },
      about: [invoice.invoiceId],
      parameters: {
        ...pick(parameters, 'fewAmountsTimes', 'outlierSampleMin'),
        ...limitsIn(LIMIT_CURRENCY, pick(parameters, 'fewAmountsValueMin', 'highRiseValueMin')),
      },
      observed: { ratio, invoices: amounts, ...valueEvidence(facts) },
      explanation: [
        amounts === 1
          ? `The only earlier invoice of the supplier is for ${largest}.`
          : `The largest of ${amounts} earlier invoices of the supplier is for ${largest}.`,
        'The supplier has sent too few invoices to tell how much its amounts usually vary.',
      ],
      extra: { ratio, sampleSize: amounts },
    },
  ];
}

/**
 * Returns the ratio of the checked amount to the largest earlier amount, the largest earlier amount as text, and the
 * number of earlier amounts. Amounts in all currencies with a known exchange rate are compared.
 */
function largestEarlier(
  checked: CheckedAmount,
  parameters: AmountParameters,
): { readonly ratio: number; readonly largest: string; readonly amounts: number } | undefined {
  const { facts, minor, value, uses } = checked;
  const { currency } = facts.invoice;
  let found: { ratio: number; largest: string } | undefined;
  let amounts = 0;
  for (const other of Object.keys(facts.supplier.profile.amounts).sort()) {
    const isSame = other === currency;
    const perEuro = other === LIMIT_CURRENCY ? '1' : facts.ratesPerEuro[other];
    if (!isSame && (value === undefined || perEuro === undefined)) continue;
    const ofCurrency = isSame ? uses : comparableAmounts(facts, parameters, other);
    if (ofCurrency.length === 0) continue;
    amounts += ofCurrency.length;
    const record = { currency: other, amountMinor: String(largestOf(ofCurrency)) };
    const [left, right] = isSame
      ? [minor, BigInt(record.amountMinor)]
      : [value ?? 0n, toMicro(scaleAmount(amountOf(record), '1', perEuro ?? '1'))];
    const ratio = ratioOf(left, right);
    if (found === undefined || ratio < found.ratio) found = { ratio, largest: amountText(record) };
  }
  return found === undefined ? undefined : { ...found, amounts };
}

/**
 * Reports a supplier whose bills are each a little larger than all its earlier bills. Other rules do not find such a
 * rise, because no single step is large and the usual spread of the amounts grows with them. The rise is measured from
 * the supplier's first amounts, and most of the later bills must exceed every bill before them.
 */
function climbing(checked: CheckedAmount, parameters: AmountParameters): RaisedFinding[] {
  const { facts, minor, uses } = checked;
  const { climbBaseAmounts, climbTimes, climbStepPercent, climbRecordsMin, climbShareMin, climbValueMin } = parameters;
  if (uses.length < climbBaseAmounts || !mayBeWorth(checked, climbValueMin)) return [];
  const base = medianAmount(uses.slice(0, climbBaseAmounts));
  if (minor < base * BigInt(climbTimes)) return [];
  const since = [...uses.slice(1).map((use) => BigInt(use.minor)), minor];
  let largest = BigInt(uses[0]?.minor ?? '0');
  let records = 0;
  let isRecord = false;
  for (const amount of since) {
    isRecord = amount * 100n >= largest * BigInt(100 + climbStepPercent);
    if (isRecord) records += 1;
    if (amount > largest) largest = amount;
  }
  if (!isRecord || records < climbRecordsMin || records < since.length * climbShareMin) return [];
  const { invoice } = facts;
  const { currency } = invoice;
  const ratio = ratioOf(minor, base);
  const money = (amountMinor: bigint): string => amountText({ currency, amountMinor: String(amountMinor) });
  return [
    {
      type: 'AMOUNT_OUTLIER',
      ...riseLevel(checked, parameters),
      summary: `${amountText(invoice)} is ${grouped(ratio)} times the ${money(base)} that ${invoice.supplierName} billed at first; its amounts have risen step by step.`,
      actionValues: { comparison: `the amount is ${grouped(ratio)} times the first ones` },
      about: [invoice.invoiceId],
      parameters: {
        ...pick(parameters, 'climbBaseAmounts', 'climbTimes', 'climbStepPercent', 'climbRecordsMin', 'climbShareMin'),
        ...limitsIn(LIMIT_CURRENCY, pick(parameters, 'climbValueMin', 'highRiseValueMin')),
      },
      observed: { ratio, records, invoices: since.length, ...valueEvidence(facts) },
      explanation: [
        `${records} of the last ${since.length} invoices were each the largest of the supplier so far.`,
        `The largest earlier amount of the supplier is ${money(largestOf(uses))}.`,
      ],
      extra: { ratio, sampleSize: uses.length },
    },
  ];
}

/**
 * Reports many bills within a short time. No bill is unusual alone, but the sum of the bills is several times the
 * largest sum in any earlier period of the same length.
 */
function spendingSurge(checked: CheckedAmount, parameters: AmountParameters): RaisedFinding[] {
  const { facts, minor, value, uses } = checked;
  const { invoice } = facts;
  const { surgeDays, surgeBillsMin, surgeTimes, surgeHistoryDays, surgeValueMin, outlierSampleMin } = parameters;
  const start = invoice.issueDay - surgeDays + 1;
  const [oldest, firstOfMany] = [uses[0], uses.at(1 - surgeBillsMin)];
  if (oldest === undefined || start - oldest.day < surgeHistoryDays) return [];
  if (firstOfMany === undefined || firstOfMany.day < start) return [];
  const older = uses.filter(({ day }) => day < start);
  const recent = uses.filter(({ day }) => day >= start && day <= invoice.issueDay);
  if (older.length < outlierSampleMin || recent.length + 1 < surgeBillsMin) return [];
  const sum = recent.reduce((total, use) => total + BigInt(use.minor), minor);
  const together = { value: value === undefined ? undefined : (value * sum) / minor };
  if (!mayBeWorth(together, surgeValueMin)) return [];
  // A single large earlier bill is usually enough to show that the sum of a supplier's bills is not unusual. Rounding
  // errors of floating-point numbers are too small to change the result.
  const enough = (Number(sum) / surgeTimes) * 1.001;
  if (older.some((use) => Number(use.minor) > enough)) return [];
  const most = mostWithin(older, surgeDays);
  const limit = most.sum * BigInt(surgeTimes);
  if (sum < limit) return [];
  // An earlier bill whose amount alone reaches the limit is reported separately, and is left out of the sums.
  const single = largestOf(recent);
  if (single >= limit && sum - single < limit) return [];
  const { currency } = invoice;
  const ratio = ratioOf(sum, most.sum);
  const money = (amountMinor: bigint): string => amountText({ currency, amountMinor: String(amountMinor) });
  const bills = recent.length + 1;
  return [
    {
      type: 'AMOUNT_OUTLIER',
      ...riseLevel(together, parameters),
      summary: `${invoice.supplierName} billed ${money(sum)} on ${counted(bills, 'invoice')} within ${counted(surgeDays, 'day')}, ${grouped(ratio)} times as much as in any earlier ${counted(surgeDays, 'day')}.`,
      actionValues: {
        comparison: `compare the invoices of these ${counted(surgeDays, 'day')} with contracts and deliveries`,
      },
      about: [invoice.invoiceId],
      parameters: {
        ...pick(parameters, 'surgeDays', 'surgeBillsMin', 'surgeTimes', 'surgeHistoryDays', 'outlierSampleMin'),
        ...limitsIn(LIMIT_CURRENCY, pick(parameters, 'surgeValueMin', 'highRiseValueMin')),
      },
      observed: { sum: amountOf({ currency, amountMinor: String(sum) }), currency, invoices: bills, ratio },
      explanation: [
        `Until ${dateOfDayNumber(start - 1)} the supplier billed at most ${money(most.sum)} within ${counted(surgeDays, 'day')}, on ${counted(most.bills, 'invoice')}.`,
        'Much higher amounts that still wait for a review are not included.',
      ],
      extra: { ratio, sampleSize: older.length, currency },
    },
  ];
}

/**
 * Returns the severity and the confidence of a finding about a rise of amounts. A high amount remains unusual until a
 * person reviews it (supplier/suspicion.ts).
 */
function riseLevel(worth: Pick<CheckedAmount, 'value'>, { levels, highRiseValueMin }: AmountParameters): Level {
  return isWorth(worth, highRiseValueMin) ? levels.outlierHighRise : levels.outlierRise;
}

/** Returns the largest sum of amounts within a given number of days. */
function mostWithin(uses: readonly AmountUse[], days: number): { readonly sum: bigint; readonly bills: number } {
  let most = { sum: 0n, bills: 0 };
  let sum = 0n;
  let from = 0;
  for (const [index, { day, minor }] of uses.entries()) {
    sum += BigInt(minor);
    for (; day - (uses[from]?.day ?? day) >= days; from += 1) sum -= BigInt(uses[from]?.minor ?? '0');
    if (sum > most.sum) most = { sum, bills: index - from + 1 };
  }
  return most;
}

function largestOf(uses: readonly AmountUse[]): bigint {
  return uses.reduce((largest, { minor }) => (BigInt(minor) > largest ? BigInt(minor) : largest), 0n);
}

/**
 * Divides two amounts and rounds down to one decimal, so that a limit that the finding states has really been reached.
 */
function ratioOf(amount: bigint, other: bigint): number {
  return other === 0n ? 0 : Number((amount * 10n) / other) / 10;
}
