import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { isDecimalAmount, microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';

/** Maximum lengths of texts in the canonical invoice (packages/invoice). Longer texts are not read. */
const NAME_LENGTH_MAX = 400;
const TEXT_LENGTH_MAX = 1_000;

/** Trims the text of an XML field. Returns undefined if it has no visible character or is too long. */
export function readText(raw: string): string | undefined {
  const text = raw.trim();
  return hasVisibleText(text) && !isLongerThan(text, TEXT_LENGTH_MAX) ? text : undefined;
}

/** Trims a name in an XML invoice. Line breaks and tabs in a formatted file become one space. */
export function readName(raw: string): string | undefined {
  const name = raw.trim().replace(/(?<! ) *[\t\r\n]\s*/g, ' ');
  return hasVisibleText(name) && !isLongerThan(name, NAME_LENGTH_MAX) ? name : undefined;
}

/**
 * Returns a tax id as printed in the XML, or undefined for a placeholder such as `N/A`. An id has at least three
 * digits.
 */
export function readTaxId(raw: string): string | undefined {
  const text = readText(raw);
  return text !== undefined && text.replace(/[^0-9]/g, '').length >= 3 ? text : undefined;
}

/**
 * Returns an order number of the XML invoice, or undefined for `NA` and `N/A`, which some software writes because a
 * reference is mandatory.
 */
export function readReference(raw: string): string | undefined {
  const text = readText(raw);
  return text === undefined || /^n\/?a$/i.test(text) ? undefined : text;
}

/**
 * Reads a plain decimal with at most 6 decimals (documents reference, section 5). `+12`, `.5`, `5.` and `007.50` are
 * valid in XML and become `12`, `0.5`, `5` and `7.50`. A number with an exponent, group separators or a comma cannot be
 * read.
 */
export function readAmount(raw: string): string | undefined {
  const amount = plainDecimal(raw);
  if (amount === undefined) return undefined;
  const fitting = amount.replace(/(\.[0-9]{6})0+$/, '$1');
  return isDecimalAmount(fitting) ? fitting : undefined;
}

/** Reads a quantity, price or rate of an invoice line like an amount, with any number of decimals. */
export function plainDecimal(raw: string): string | undefined {
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?$/.exec(raw.trim());
  if (match === null || raw.length > TEXT_LENGTH_MAX) return undefined;
  const [, sign, integer = '', fraction = ''] = match;
  if (integer === '' && fraction === '') return undefined;
  const magnitude = `${integer.replace(/^0+(?=[0-9])/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`;
  return sign === '-' && /[1-9]/.test(magnitude) ? `-${magnitude}` : magnitude;
}

/** Changes the sign of an amount in an XML invoice. Zero has no sign. */
export function negated(decimal: string): string {
  if (!/[1-9]/.test(decimal)) return decimal;
  return decimal.startsWith('-') ? decimal.slice(1) : `-${decimal}`;
}

/**
 * Returns the exact sum of amounts in an XML invoice, with as many decimals as the longest term: `10.00` and `5.5` are
 * `15.50`. A single term stays as printed.
 */
export function sumOf(terms: readonly string[]): string {
  const sum = microToDecimal(terms.reduce((total, term) => total + toMicro(term), 0n));
  const decimals = Math.max(...terms.map(decimalsOf));
  const missing = decimals - decimalsOf(sum);
  if (missing <= 0) return sum;
  return `${sum}${sum.includes('.') ? '' : '.'}${'0'.repeat(missing)}`;
}

function decimalsOf(amount: string): number {
  const dot = amount.indexOf('.');
  return dot < 0 ? 0 : amount.length - dot - 1;
}

interface DateReading {
  readonly value: string;
  readonly confidence: number;
}

/**
 * Confidence of an invoice date that the document states completely. The first day of a stated month or week is only a
 * guess.
 */
const CERTAIN = 1;
const FIRST_DAY_OF_PERIOD = 0.5;

/**
 * Reads a date of an XML invoice as `YYYY-MM-DD`, without a following time and time zone. `format` is a code of CII:
 * 102 (`YYYYMMDD`), 203 and 204 (with a time), 610 (`YYYYMM`) or 616 (`YYYYWW`). A month or a week becomes its first
 * day.
 */
export function readDate(raw: string, format?: string): DateReading | undefined {
  const text = raw.trim();
  const iso = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9:.]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?$/.exec(text);
  if (iso !== null) return day(iso[1] ?? '');
  switch (format?.trim()) {
    case '610':
      return /^[0-9]{6}$/.test(text) ? day(`${text.slice(0, 4)}-${text.slice(4)}-01`, FIRST_DAY_OF_PERIOD) : undefined;
    case '616':
      return /^[0-9]{6}$/.test(text) ? mondayOf(Number(text.slice(0, 4)), Number(text.slice(4))) : undefined;
    case '203':
    case '204':
    case '102':
    case undefined:
    case '':
      return /^[0-9]{8}(?:[0-9]{4}|[0-9]{6})?$/.test(text)
        ? day(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`)
        : undefined;
    default:
      return undefined;
  }
}

function day(value: string, confidence = CERTAIN): DateReading | undefined {
  return isCalendarDate(value) ? { value, confidence } : undefined;
}

const MS_PER_DAY = 86_400_000;

/**
 * Returns the Monday of a calendar week that a document states as a date. By ISO 8601, week 1 contains the fourth of
 * January.
 */
function mondayOf(year: number, week: number): DateReading | undefined {
  if (week < 1 || week > 53) return undefined;
  const fourth = new Date(Date.UTC(year, 0, 4));
  const firstMonday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * MS_PER_DAY;
  return day(new Date(firstMonday + (week - 1) * 7 * MS_PER_DAY).toISOString().slice(0, 10), FIRST_DAY_OF_PERIOD);
}
