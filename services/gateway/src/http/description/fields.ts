import * as kinds from '@invoicecontrol/invoice/kinds';
import { schemaOfKind } from '@invoicecontrol/invoice/schema';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { baseCurrencies, isBaseCurrency } from '@invoicecontrol/values/currency';
import { countryCodes } from '@invoicecontrol/values/country';
import { EMAIL_LENGTH_MAX, isEmailAddress } from '@invoicecontrol/values/email-address';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { faultOfSecret, secretPattern } from '@invoicecontrol/values/secret-text';
import { parseTaxId } from '@invoicecontrol/values/tax-id';
import { z } from 'zod';
import { EXAMPLE_IDS } from './examples.js';

/** Maximum length of a string in a request, in characters (HTTP and security reference, section 2). */
const TEXT_LENGTH_MAX = 1_000;
/** Maximum length of the names of organizations, companies and keys that the organization service accepts. */
export const LABEL_LENGTH_MAX = 200;
/** Maximum length of a note on the review of a finding. */
const NOTE_LENGTH_MAX = 4_000;

/**
 * Schema for a request field with free text: one line of visible characters. The text is stored trimmed; the schema
 * only checks it.
 */
export function text(lengthMax: number = TEXT_LENGTH_MAX) {
  return schemaOfKind(kinds.text(lengthMax));
}

/** Maximum length of a search text for lists. The analysis service refuses longer texts. */
const SEARCH_LENGTH_MAX = 200;

/** Schema for the query parameter `q` of lists that are searched by invoice number and supplier. */
export function searchedText() {
  return text(SEARCH_LENGTH_MAX);
}

/** Schema for a note on a review or a release, which may have several paragraphs. */
export function note() {
  return schemaOfKind(kinds.note(NOTE_LENGTH_MAX));
}

/** Schema for a secret that another system, such as an ERP, issued. The secret is accepted exactly as it was issued. */
export function secret(lengthMin: number, lengthMax: number) {
  const faultOf = (value: unknown): string | undefined => faultOfSecret(String(value), lengthMin, lengthMax);
  return z
    .string()
    .refine((value) => faultOf(value) === undefined, { error: ({ input }) => faultOf(input) })
    .meta({ minLength: lengthMin, maxLength: lengthMax, pattern: secretPattern(lengthMin, lengthMax) });
}

/** Schema for an id in a request, which may be in upper or lower case and is converted to lower case. */
export function uuid() {
  return schemaOfKind(kinds.uuid).overwrite(kinds.uuid.normalise);
}

/** Returns the schema of an id that a response of the API contains. */
export function shownId() {
  return z.string().meta({ format: 'uuid' });
}

/** Returns the schema for a time in an API response. */
export function shownInstant() {
  return z.string().meta({ format: 'date-time' });
}

/**
 * Schema for an e-mail address that the organization service accepts. The published format is the common format
 * `email`.
 */
export function email() {
  return z
    .string()
    .refine((value) => isEmailAddress(value.trim()), 'Must be an e-mail address such as accounts@example.com.')
    .meta({ format: 'email', maxLength: EMAIL_LENGTH_MAX });
}

const TAX_ID_LENGTH_MAX = 100;
/**
 * Maximum length of a tax id in the published schema. Only this number of letters and digits is read, so the limit
 * ensures that no sent digit is ignored.
 */
const TAX_ID_READ_LENGTH = 40;

/** Schema for the tax id of one of the organization's companies. */
export function companyTaxId() {
  return z
    .string()
    .refine(
      (value) => value.length <= TAX_ID_LENGTH_MAX && parseTaxId(value) !== undefined,
      'Must be a VAT id such as DE994175284.',
    )
    .refine((value) => faultOfLine(value) === undefined, { error: ({ input }) => faultOfLine(String(input)) })
    .meta({ pattern: '[0-9].*[0-9].*[0-9]', maxLength: TAX_ID_READ_LENGTH });
}

/**
 * Returns a pattern that lists all allowed words of a request field. The description uses no enumeration, because
 * generated clients would then refuse plain strings, and old clients would refuse new words.
 */
function anyOf(words: readonly string[]): string {
  return `^(?:${words.map((word) => word.replaceAll('.', '[.]')).join('|')})$`;
}

/** Schema for a request field that must be one of the given words. Later versions of the API may accept more words. */
export function wordOf(words: readonly string[], refusal: string) {
  const known = new Set(words);
  return z
    .string()
    .refine((value) => known.has(value), refusal)
    .meta({ pattern: anyOf(words) });
}

/** Maximum number of values in one list filter. */
const FILTER_VALUES_MAX = 8;

/**
 * Schema for a filter of a list that names one or more words, separated by commas. {@link valuesOf} returns the words.
 * @param refusal sentence about the words that are allowed
 */
export function severalOf(words: readonly string[], refusal: string) {
  const known = new Set(words);
  const one = `(?:${words.join('|')})`;
  return z
    .string()
    .refine((value) => {
      const values = value.split(',', FILTER_VALUES_MAX + 1);
      return values.length <= FILTER_VALUES_MAX && values.every((word) => known.has(word));
    }, `Must be 1 to ${FILTER_VALUES_MAX} values, separated by commas. ${refusal}`)
    .meta({ pattern: `^${one}(?:,${one}){0,${FILTER_VALUES_MAX - 1}}$` });
}

/** Returns the words of a filter that {@link severalOf} accepted, each once. */
export function valuesOf<Word extends string>(filter: string | undefined): Word[] {
  return filter === undefined ? [] : [...new Set(filter.split(','))].map((word) => word as Word);
}

export const country = wordOf(countryCodes, 'Must be an ISO 3166-1 alpha-2 code in upper case, such as PL.').meta({
  id: 'CountryCode',
  description: 'A country as an ISO 3166-1 alpha-2 code, or XK for Kosovo.',
});

/** Schema for a decimal amount in a request that is not negative. */
export function nonNegativeAmount() {
  return schemaOfKind(kinds.amount)
    .refine((value) => !value.startsWith('-'), 'Must not be below zero.')
    .meta({ pattern: `^${kinds.UNSIGNED_AMOUNT}$` });
}

/** Returns the schema for a request field with a day in the form `YYYY-MM-DD`. */
export function calendarDay() {
  return schemaOfKind(kinds.calendarDate);
}

const DAY = kinds.DAY;
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])';
const DATE_TIME = new RegExp(`^(${DAY})[Tt]${TIME}$`);

/**
 * Pattern for a request field with a day or a time. A pattern is used instead of a union, because generated clients
 * would have a class for each alternative of the union.
 */
export const DATE_OR_DATE_TIME = `^(?:${DAY})(?:[Tt]${TIME})?$`;

/**
 * Schema for a currency code of three letters in upper or lower case. The rule that uses the schema checks whether the
 * letters name a currency that is valid on the given day.
 */
export function currencyCode() {
  return schemaOfKind(kinds.currencyCode);
}

/**
 * Schema for the code of a base currency, in upper or lower case. Amounts can be converted to every currency that the
 * schema accepts.
 */
export const baseCurrency = z
  .string()
  .refine(
    (value) => isBaseCurrency(value.toUpperCase()),
    'Must be EUR, a currency with a European Central Bank reference rate, or one with a fixed parity.',
  )
  .meta({
    id: 'BaseCurrencyCode',
    description:
      'A base currency: EUR, a currency with a European Central Bank reference rate, or a currency with a fixed parity.',
    pattern: anyOf(baseCurrencies),
  });

function isDateTime(value: string): boolean {
  const day = DATE_TIME.exec(value)?.[1];
  return day !== undefined && isCalendarDate(day);
}

/** Schema for a request field with a time and an offset (RFC 3339). */
export function dateTime() {
  return z
    .string()
    .refine(isDateTime, 'Must be a date and time with an offset, such as 2026-01-31T12:00:00Z.')
    .meta({ format: 'date-time', pattern: DATE_TIME.source });
}

/** Schema for a request field with a time, or with a day, which means the beginning of that day in UTC. */
export function dateOrDateTime() {
  return z
    .string()
    .refine(
      (value) => isCalendarDate(value) || isDateTime(value),
      'Must be a day (YYYY-MM-DD) or a date and time with an offset, such as 2026-01-31T12:00:00Z.',
    )
    .meta({ pattern: DATE_OR_DATE_TIME });
}

/** Returns the time of a request field that {@link dateTime} or {@link dateOrDateTime} accepted. */
export function toInstant(value: string): Date {
  return new Date(value.toUpperCase());
}

/** Formats a time as it appears in every API record. Throws a TypeError if the time is missing. */
export function showInstant(instant: Date | undefined): string {
  if (instant === undefined)
    throw new TypeError('The stored record from which the response is built lacks a required timestamp.');
  return instant.toISOString();
}

/**
 * Returns a required part of the gRPC message from which a response is built. Throws a TypeError if the part is
 * missing.
 */
export function stated<T>(part: T | undefined): T {
  if (part === undefined)
    throw new TypeError('The stored record from which the response is built lacks a required field.');
  return part;
}

/** Names of the resources whose ids occur in request paths, by the schema of the id. */
export const resourceNames = z.registry<{ readonly name: string }>();

/**
 * Returns the schema of an id in the path of a request.
 * @param resource kind of resource that the id names; the example in the description is an id that no resource has
 * @param name name of the resource in refusals
 * @param described name of the resource in the description, if `name` is also used for another resource
 */
export function pathId(resource: keyof typeof EXAMPLE_IDS, name: string = resource, described: string = name) {
  return uuid()
    .meta({ description: `The id of the ${described}.`, param: { example: EXAMPLE_IDS[resource] } })
    .register(resourceNames, { name });
}
