import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { isDecimalAmount, microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';

/** The limits of the canonical invoice (packages/invoice): a longer text would not be accepted. */
const NAME_LENGTH_MAX = 400;
const TEXT_LENGTH_MAX = 1_000;

/** Trimmed; undefined where it shows nothing or is too long. */
export function readText(raw: string): string | undefined {
  const text = raw.trim();
  return hasVisibleText(text) && !isLongerThan(text, TEXT_LENGTH_MAX) ? text : undefined;
}

/** A name: line breaks and tabs of a formatted file become one blank. */
export function readName(raw: string): string | undefined {
  const name = raw.trim().replace(/(?<! ) *[\t\r\n]\s*/g, ' ');
  return hasVisibleText(name) && !isLongerThan(name, NAME_LENGTH_MAX) ? name : undefined;
}

/** Returns the id as printed; undefined for a placeholder such as `N/A`: an id has three digits at least. */
export function readTaxId(raw: string): string | undefined {
  const text = readText(raw);
  return text !== undefined && text.replace(/[^0-9]/g, '').length >= 3 ? text : undefined;
}

/** Undefined for the placeholders `NA` and `N/A` of senders whose software insists on a reference. */
export function readReference(raw: string): string | undefined {
  const text = readText(raw);
  return text === undefined || /^n\/?a$/i.test(text) ? undefined : text;
}

/**
 * A plain decimal with at most 6 decimals (documents reference, section 5). `+12`, `.5`, `5.` and `007.50` are legal in
 * XML and become `12`, `0.5`, `5` and `7.50`; an exponent, groups or a comma make it unreadable.
 */
export function readAmount(raw: string): string | undefined {
  const amount = plainDecimal(raw);
  if (amount === undefined) return undefined;
  const fitting = amount.replace(/(\.[0-9]{6})0+$/, '$1');
  return isDecimalAmount(fitting) ? fitting : undefined;
}

/** A quantity, price or rate of a line: as an amount, with any number of decimals. */
export function plainDecimal(raw: string): string | undefined {
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?$/.exec(raw.trim());
  if (match === null || raw.length > TEXT_LENGTH_MAX) return undefined;
  const [, sign, integer = '', fraction = ''] = match;
  if (integer === '' && fraction === '') return undefined;
  const magnitude = `${integer.replace(/^0+(?=[0-9])/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`;
  return sign === '-' && /[1-9]/.test(magnitude) ? `-${magnitude}` : magnitude;
}

/** Changes the sign; zero has none. */
export function negated(decimal: string): string {
  if (!/[1-9]/.test(decimal)) return decimal;
  return decimal.startsWith('-') ? decimal.slice(1) : `-${decimal}`;
}

/** The exact sum, with as many decimals as the longest term: `10.00` and `5.5` are `15.50`. One term stays as printed. */
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

/** A day is certain; the first day of a month or week is a guess. */
const CERTAIN = 1;
const FIRST_DAY_OF_PERIOD = 0.5;

/**
 * `YYYY-MM-DD`; a time and a zone behind it are cut. With `format` the code lists of CII: 102 `YYYYMMDD`, 203 and 204
 * with a time, 610 `YYYYMM` and 616 `YYYYWW` as their first day.
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

/** ISO 8601: week 1 has the fourth of January. */
function mondayOf(year: number, week: number): DateReading | undefined {
  if (week < 1 || week > 53) return undefined;
  const fourth = new Date(Date.UTC(year, 0, 4));
  const firstMonday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * MS_PER_DAY;
  return day(new Date(firstMonday + (week - 1) * 7 * MS_PER_DAY).toISOString().slice(0, 10), FIRST_DAY_OF_PERIOD);
}
