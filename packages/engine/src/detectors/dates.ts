import { pick } from '../explanation/evidence.js';
import { subject } from '../explanation/subject.js';
import { dateOfDayNumber, dayNumber, swapDayAndMonth } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { isWeekend, weekdayOf } from '../data/weekends.js';
import type { RaisedFinding } from '../explanation/evidence.js';
import type { Facts } from '../facts/facts.js';
import { countryName } from '../explanation/country.js';
import { counted, grouped } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { DateParameters } from '../policy/dates.js';
import { shortenedTerms } from '../supplier/habits.js';

/**
 * Checks whether the dates are possible and the payment terms are usual (family DATE; detection reference, section
 * 7.5).
 */
export function detectDates(facts: Facts, { dates }: Policy): RaisedFinding[] {
  const ageDays = dayNumber(facts.asOf) - facts.invoice.issueDay;
  return [
    ...issuedInFuture(facts, -ageDays, dates),
    ...issuedLongAgo(facts, ageDays, dates),
    ...dueBeforeIssue(facts, dates),
    ...termsChanged(facts, dates),
    ...issuedOnWeekend(facts, dates),
  ];
}

function issuedInFuture({ invoice, asOf }: Facts, daysAhead: number, parameters: DateParameters): RaisedFinding[] {
  if (daysAhead <= parameters.futureDaysMax) return [];
  const swapped = plausibleSwap(invoice.issueDate, asOf, parameters);
  return [
    {
      type: 'ISSUE_DATE_FUTURE',
      ...(daysAhead > parameters.futureFarDays ? parameters.levels.futureFar : parameters.levels.future),
      summary: `${invoice.invoiceNumber} is dated ${invoice.issueDate}, ${counted(daysAhead, 'day')} in the future.`,
      actionValues: {
        date: swapped === undefined ? 'the day on which it was issued' : `${swapped} if day and month are swapped`,
      },
      about: [invoice.invoiceId],
      parameters: pick(parameters, 'futureDaysMax', 'futureFarDays'),
      observed: { issueDate: invoice.issueDate, asOf, daysAhead },
      explanation: [
        `The invoice was analyzed on ${asOf}.`,
        ...(swapped === undefined ? [] : [`With day and month swapped, the date is ${swapped}.`]),
      ],
      extra: { daysAhead, swappedCandidate: swapped ?? null },
    },
  ];
}

/** Returns the issue date of an invoice with day and month swapped, if the swapped date is a recent day. */
function plausibleSwap(
  date: CalendarDate,
  asOf: CalendarDate,
  { futureDaysMax, staleDays }: DateParameters,
): CalendarDate | undefined {
  const swapped = swapDayAndMonth(date);
  if (swapped === undefined) return undefined;
  const age = dayNumber(asOf) - dayNumber(swapped);
  return age >= -futureDaysMax && age <= staleDays ? swapped : undefined;
}

/**
 * Reports an invoice with an old issue date, because it was sent late or is a duplicate. Rows of history scans and ERP
 * bills are not reported, because old dates are normal there.
 */
function issuedLongAgo({ invoice, asOf }: Facts, ageDays: number, parameters: DateParameters): RaisedFinding[] {
  if (invoice.source === 'SCAN' || invoice.source === 'ERP') return [];
  if (ageDays <= parameters.staleDays) return [];
  return [
    {
      type: 'ISSUE_DATE_STALE',
      ...(ageDays > parameters.staleFarDays ? parameters.levels.staleFar : parameters.levels.stale),
      summary: `${invoice.invoiceNumber} is dated ${invoice.issueDate}, ${counted(ageDays, 'day')} ago.`,
      about: [invoice.invoiceId],
      parameters: pick(parameters, 'staleDays', 'staleFarDays'),
      observed: { issueDate: invoice.issueDate, asOf, ageDays },
      explanation: [`The invoice was analyzed on ${asOf}.`],
      extra: { ageDays },
    },
  ];
}

/**
 * Reports a due date before the issue date. Credit notes are skipped, because they repeat the due date of the credited
 * invoice and request no payment.
 */
function dueBeforeIssue({ invoice, supplier }: Facts, parameters: DateParameters): RaisedFinding[] {
  const { dueDay, issueDay } = invoice;
  if (dueDay === undefined || dueDay >= issueDay || BigInt(invoice.amountMinor) <= 0n) return [];
  const days = issueDay - dueDay;
  const dueDate = dateOfDayNumber(dueDay);
  const earlier = supplier.profile.terms.filter(({ value }) => value < 0).length;
  const isHabit = earlier >= parameters.prepaidHabitMin;
  return [
    {
      type: 'DUE_DATE_BEFORE_ISSUE',
      ...(isHabit ? parameters.levels.dueBeforeIssueHabitual : parameters.levels.dueBeforeIssue),
      summary: `${invoice.invoiceNumber} was due on ${dueDate}, ${counted(days, 'day')} before it was issued.`,
      about: [invoice.invoiceId],
      parameters: pick(parameters, 'prepaidHabitMin'),
      observed: { issueDate: invoice.issueDate, dueDate, days, earlierInvoices: earlier },
      explanation: [
        `The issue date is ${invoice.issueDate} and the due date ${dueDate}.`,
        ...(isHabit
          ? [
              'Earlier invoices of the supplier were also due before they were issued, as is usual for suppliers that are paid in advance.',
            ]
          : []),
      ],
      extra: { days },
    },
  ];
}

/**
 * Reports shorter payment terms, because many fraudulent invoices request early payment. A due date before the issue
 * date is a separate finding.
 */
function termsChanged(facts: Facts, parameters: DateParameters): RaisedFinding[] {
  const { invoice, supplier } = facts;
  const terms = shortenedTerms(facts, parameters);
  if (terms === undefined || terms.newDays < 0 || BigInt(invoice.amountMinor) <= 0n) return [];
  const { usualDays, newDays } = terms;
  const isImmediate = newDays <= parameters.immediateTermsDays && usualDays >= parameters.immediateUsualDays;
  return [
    {
      type: 'PAYMENT_TERMS_CHANGED',
      ...(isImmediate ? parameters.levels.termsChangedImmediate : parameters.levels.termsChanged),
      summary: `${invoice.supplierName} asks for payment ${newDays === 0 ? 'immediately' : `in ${counted(newDays, 'day')}`} instead of in ${counted(usualDays, 'day')}.`,
      about: [subject.supplier(supplier.supplierId), String(newDays)],
      parameters: pick(parameters, 'termsHistoryMin', 'termsModeShare', 'shortenedTermsDays', 'termsAcceptedAfter'),
      observed: { usualDays, newDays, invoices: supplier.profile.terms.length },
      explanation: [
        `Most of the last ${supplier.profile.terms.length} invoices of the supplier were due in ${counted(usualDays, 'day')}.`,
      ],
      extra: { usualDays, newDays },
    },
  ];
}

/** Reports an issue date on a weekend. The last day of a month is accepted, because many invoices have that date. */
function issuedOnWeekend({ invoice, supplier }: Facts, parameters: DateParameters): RaisedFinding[] {
  const { count, weekendCount } = supplier.profile;
  const { issueDay, issueDate, taxCountry } = invoice;
  if (count < parameters.weekendHistoryMin || weekendCount >= count * parameters.weekendShareMax) return [];
  if (!isWeekend(issueDay, taxCountry) || isLastOfMonth(issueDay)) return [];
  const weekday = weekdayOf(issueDay);
  return [
    {
      type: 'ISSUE_DATE_WEEKEND',
      ...parameters.levels.weekend,
      summary: `${invoice.invoiceNumber} is dated ${issueDate}, a ${weekday}; ${weekendCount === 0 ? 'none' : grouped(weekendCount)} of ${counted(count, 'earlier invoice')} from ${invoice.supplierName} ${weekendCount < 2 ? 'is' : 'are'} dated on a weekend.`,
      about: [invoice.invoiceId],
      parameters: pick(parameters, 'weekendHistoryMin', 'weekendShareMax'),
      observed: { invoices: count, ofWeekends: weekendCount },
      explanation: [
        `${weekday} is part of the weekend${taxCountry === undefined ? '' : ` in ${countryName(taxCountry)}`}.`,
      ],
      extra: { weekday },
    },
  ];
}

function isLastOfMonth(day: number): boolean {
  return dateOfDayNumber(day + 1).endsWith('-01');
}
