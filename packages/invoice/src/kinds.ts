import { AMOUNT_DECIMALS_MAX, AMOUNT_INTEGER_DIGITS_MAX, isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { CALENDAR_YEAR_MAX, CALENDAR_YEAR_MIN, isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrencies } from '@invoicecontrol/values/currency';
import { faultOfLine, faultOfNote, normaliseNote } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import type { Kind } from './declaration.js';

/** A kind of invoice field whose JSON Schema is published. */
export interface PublishedKind<T = unknown> extends Kind<T> {
  readonly published: { readonly type: 'string' | 'integer' } & Readonly<Record<string, unknown>>;
}

interface TextRule {
  readonly faultOf: (text: string) => string | undefined;
  readonly normalise?: (text: string) => string;
  readonly published: Readonly<Record<string, unknown>>;
}

function textKind({ faultOf, normalise = asItIs, published }: TextRule): PublishedKind<string> {
  return {
    faultOf: (value) => (typeof value === 'string' ? faultOf(value) : 'Must be a string.'),
    normalise,
    published: { type: 'string', ...published },
  };
}

/**
 * Creates the kind of an invoice field that holds one line of text. The text must have a visible character and no
 * hidden ones, and is stored trimmed. Lengths are in characters (HTTP and security reference, section 2).
 */
export function text(lengthMax: number): PublishedKind<string> {
  return freeText(lengthMax, faultOfLine, (value) => value.trim());
}

/** Kind of a note on a decision. It has the rules of {@link text}, but may contain line breaks and tabs. */
export function note(lengthMax: number): PublishedKind<string> {
  return freeText(lengthMax, faultOfNote, normaliseNote);
}

function freeText(
  lengthMax: number,
  unreadableIn: (value: string) => string | undefined,
  normalise: (value: string) => string,
): PublishedKind<string> {
  return textKind({
    faultOf(value) {
      if (!hasVisibleText(value)) {
        return value.trim() === '' ? 'Must not be empty or blank.' : 'Must have a visible character.';
      }
      if (isLongerThan(value, lengthMax)) return `Must have at most ${lengthMax} characters.`;
      return unreadableIn(value);
    },
    normalise,
    published: { minLength: 1, maxLength: lengthMax, pattern: '\\S' },
  });
}

/** Regular expressions for amounts in the published API description. These expressions have no anchors. */
export const UNSIGNED_AMOUNT = `[0-9]{1,${AMOUNT_INTEGER_DIGITS_MAX}}(\\.[0-9]{1,${AMOUNT_DECIMALS_MAX}})?`;
/** Published pattern of an invoice date. The pattern does not check that the day exists; the published format does. */
export const DAY = '(?:19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}';

/** Kind of an invoice field with a decimal amount as a string (specification 2.1). */
export const amount = textKind({
  faultOf: (value) =>
    isDecimalAmount(value)
      ? undefined
      : `Must be a decimal amount: an optional minus sign, 1 to ${AMOUNT_INTEGER_DIGITS_MAX} digits and optionally a dot with 1 to ${AMOUNT_DECIMALS_MAX} digits, such as "1234.50".`,
  published: { pattern: `^-?${UNSIGNED_AMOUNT}$` },
});

export const calendarDate = textKind({
  faultOf: (value) =>
    isCalendarDate(value)
      ? undefined
      : `Must be a real day written YYYY-MM-DD, in the years ${CALENDAR_YEAR_MIN} to ${CALENDAR_YEAR_MAX}.`,
  published: { format: 'date', pattern: `^${DAY}$` },
});

/**
 * Kind of a currency field: three letters in upper or lower case, stored in upper case. A separate rule checks that the
 * letters name a currency.
 */
export const currencyCode = textKind({
  faultOf: (value) => (/^[A-Za-z]{3}$/.test(value) ? undefined : 'Must be a three-letter ISO 4217 code such as EUR.'),
  normalise: (value) => value.toUpperCase(),
  published: {
    id: 'CurrencyCode',
    description:
      'A currency as an ISO 4217 code; requests may use lower case. An invoice is refused if its issue date is more than 365 days after its currency was withdrawn.',
    // The schema of a currency has no enumeration, so that generated clients accept plain strings. A pattern for both
    // cases is used, because JSON Schema cannot ignore case.
    pattern: `^(?:${invoiceCurrencies.map(inAnyCase).join('|')})$`,
  },
});

function inAnyCase(code: string): string {
  return [...code].map((letter) => `[${letter}${letter.toLowerCase()}]`).join('');
}

/** Hyphens and spaces of a bank account or tax id are ignored (specification 2.2) and not stored. */
export const ukSortCode = matching({
  pattern: /^[\s-]*(?:[0-9][\s-]*){6}$/,
  lengthMax: 200,
  fault: 'Must be a UK sort code of six digits, such as 12-34-56.',
  normalise: (value) => value.replace(/[\s-]/g, ''),
});

export const ukAccountNumber = matching({ pattern: /^[0-9]{6,8}$/, fault: 'Must be six to eight digits.' });

const UUID = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/;

export const uuid = textKind({
  faultOf: (value) => (UUID.test(value) ? undefined : 'Must be a UUID.'),
  normalise: (value) => value.toLowerCase(),
  published: { format: 'uuid', pattern: UUID.source },
});

export const safeInteger: PublishedKind<number> = {
  faultOf(value) {
    if (typeof value !== 'number') return 'Must be a number.';
    return Number.isSafeInteger(value) ? undefined : 'Must be an integer that a JSON number holds exactly.';
  },
  normalise: asItIs,
  published: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
};

function matching({
  pattern,
  lengthMax = Infinity,
  fault,
  normalise,
}: {
  readonly pattern: RegExp;
  readonly lengthMax?: number;
  readonly fault: string;
  readonly normalise?: (text: string) => string;
}): PublishedKind<string> {
  return textKind({
    faultOf: (value) => (value.length <= lengthMax && pattern.test(value) ? undefined : fault),
    ...(normalise === undefined ? {} : { normalise }),
    published: { pattern: pattern.source, ...(lengthMax === Infinity ? {} : { maxLength: lengthMax }) },
  });
}

function asItIs<T>(value: T): T {
  return value;
}
