import { AMOUNT_DECIMALS_MAX, AMOUNT_INTEGER_DIGITS_MAX, isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { CALENDAR_YEAR_MAX, CALENDAR_YEAR_MIN, isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { showsSomething } from '@invoicecontrol/values/visible-text';
import { z } from 'zod';

/** Lengths in characters (HTTP and security reference, section 2). */
const TEXT_LENGTH_MAX = 1_000;
export const NAME_LENGTH_MAX = 400;
/** Names of organizations, companies and keys, as their owner takes them. */
export const LABEL_LENGTH_MAX = 200;
/** What people write beside a decision. */
export const NOTE_LENGTH_MAX = 4_000;

/** Free text that shows something. It is stored trimmed; the schema only looks. */
export function text(lengthMax: number = TEXT_LENGTH_MAX) {
  return z
    .string()
    .refine((value) => showsSomething(value), {
      error: ({ input }) =>
        String(input).trim() === '' ? 'Must not be empty or blank.' : 'Must have a visible character.',
    })
    .refine((value) => !isLongerThan(value, lengthMax), `Must have at most ${lengthMax} characters.`)
    .meta({ minLength: 1, maxLength: lengthMax, pattern: '\\S' });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function uuid() {
  return z
    .string()
    .refine((value) => UUID.test(value), 'Must be a UUID.')
    .meta({ format: 'uuid' });
}

/** A decimal amount string (specification 2.1). */
export function amount() {
  return z
    .string()
    .refine(
      isDecimalAmount,
      `Must be a decimal amount: an optional minus sign, 1 to ${AMOUNT_INTEGER_DIGITS_MAX} digits and optionally a dot with 1 to ${AMOUNT_DECIMALS_MAX} digits, such as "1234.50".`,
    )
    .meta({ pattern: `^-?[0-9]{1,${AMOUNT_INTEGER_DIGITS_MAX}}(\\.[0-9]{1,${AMOUNT_DECIMALS_MAX}})?$` });
}

export function calendarDate() {
  return z
    .string()
    .refine(
      isCalendarDate,
      `Must be a real day written YYYY-MM-DD, in the years ${CALENDAR_YEAR_MIN} to ${CALENDAR_YEAR_MAX}.`,
    )
    .meta({ format: 'date' });
}

/** Hyphens and blanks in a sort code do not count (specification 2.2). */
const SORT_CODE = /^[\s-]*(?:[0-9][\s-]*){6}$/;
const SORT_CODE_LENGTH_MAX = 200;

export function ukSortCode() {
  return z
    .string()
    .refine(
      (value) => value.length <= SORT_CODE_LENGTH_MAX && SORT_CODE.test(value),
      'Must be a UK sort code of six digits, such as 12-34-56.',
    )
    .meta({ pattern: SORT_CODE.source, maxLength: SORT_CODE_LENGTH_MAX });
}

const UK_ACCOUNT_NUMBER = /^[0-9]{6,8}$/;

export function ukAccountNumber() {
  return z
    .string()
    .refine((value) => UK_ACCOUNT_NUMBER.test(value), 'Must be six to eight digits.')
    .meta({ pattern: UK_ACCOUNT_NUMBER.source });
}

export const CURRENCY_CODE = /^[A-Za-z]{3}$/;

/** Three letters in any case; whether they are a currency is for the rule that uses them. */
export function currencyCode() {
  return z
    .string()
    .refine((value) => CURRENCY_CODE.test(value), 'Must be a three-letter ISO 4217 code such as EUR.')
    .meta({ pattern: CURRENCY_CODE.source });
}

const DATE_TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/;

function isDateTime(value: string): boolean {
  const day = DATE_TIME.exec(value)?.[1];
  return day !== undefined && isCalendarDate(day);
}

/** An instant with its offset (RFC 3339). */
export function dateTime() {
  return z
    .string()
    .refine(isDateTime, 'Must be a date and time with an offset, such as 2026-01-31T12:00:00Z.')
    .meta({ format: 'date-time' });
}

/** A day, which means its beginning in UTC, or an instant. */
export function dateOrDateTime() {
  return z
    .string()
    .refine(
      (value) => isCalendarDate(value) || isDateTime(value),
      'Must be a day (YYYY-MM-DD) or a date and time with an offset, such as 2026-01-31T12:00:00Z.',
    );
}

/** The instant that {@link dateTime} or {@link dateOrDateTime} accepted. */
export function toInstant(value: string): Date {
  return new Date(value.toUpperCase());
}

/** An instant as every record shows it. Throws a TypeError for a message that lacks it. */
export function showInstant(instant: Date | undefined): string {
  if (instant === undefined) throw new TypeError('A record came without its time.');
  return instant.toISOString();
}

/** A part that every record has. Throws a TypeError for a message that lacks it. */
export function stated<T>(part: T | undefined): T {
  if (part === undefined) throw new TypeError('A record came without one of its parts.');
  return part;
}
