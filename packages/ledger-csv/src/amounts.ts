import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { currencyIn } from './currencies.js';

/** The decimal separator in the amounts of a CSV file. */
export type DecimalMark = 'comma' | 'point';
export const decimalMarks = ['comma', 'point'] as const;

const marks: Readonly<Record<DecimalMark, string>> = { comma: ',', point: '.' };
/**
 * Pattern for an amount in a CSV file with grouped digits: groups of three, or of two before the last group as in
 * India, always with the same separator.
 */
const GROUPED = /^[1-9]\d{0,2}(?<separator>[.,' ])\d{2,3}(?:\k<separator>\d{2,3})*$/;
const LAST_GROUP = /[.,' ]\d{3}$/;
const DECIMALS_MAX = 6;

export interface ReadAmount {
  /** A decimal amount string (specification 2.1). */
  readonly amount: string;
  /** The currency in the cell: an ISO 4217 code in upper case, or a sign that several currencies share. */
  readonly currency?: string;
}

/**
 * Reads an amount such as `1.234,56`, `1,234.56`, `1 234,56` or `1'234.56`. A negative amount has a minus sign before
 * or after it, or is in parentheses. A currency may be before or after the amount. The decimals are not changed.
 * @returns undefined if the text is not an amount with this decimal mark
 */
export function readAmount(text: string, mark: DecimalMark): ReadAmount | undefined {
  const parts = splitAmount(text);
  if (parts === undefined) return undefined;
  const magnitude = readNumber(parts.number, mark);
  if (magnitude === undefined) return undefined;
  const amount = parts.isNegative ? negated(magnitude) : magnitude;
  if (!isDecimalAmount(amount)) return undefined;
  return { amount, ...(parts.currency === undefined ? {} : { currency: parts.currency }) };
}

/** Returns the amount of a CSV cell with the opposite sign. */
export function negated(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1);
  return /[1-9]/.test(amount) ? `-${amount}` : amount;
}

interface Parts {
  readonly number: string;
  readonly isNegative: boolean;
  readonly currency: string | undefined;
}

function splitAmount(text: string): Parts | undefined {
  const plain = text
    .trim()
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[\u2212\u2013]/g, '-')
    .replaceAll(/[\u2018\u2019\u00b4`]/g, "'");
  const token = plain.replaceAll(/[\d.,' +\-()]/g, '');
  const currency = token === '' ? undefined : currencyIn(token);
  if (token !== '' && (currency === undefined || !isAtStartOrEnd(plain, token))) return undefined;
  const rest = plain.replace(token, '').trim();
  const match =
    /^(?<open>\()?(?:\s*(?<before>[+-]))?\s*(?<number>[\d.,](?:[\d.,' ]*[\d.,'])?)(?:\s*(?<after>[+-]))?(?:\s*(?<close>\)))?$/.exec(
      rest,
    );
  const { open, before, number = '', after, close } = match?.groups ?? {};
  if (match === null || (open === undefined) !== (close === undefined)) return undefined;
  if ([open, before, after].filter((sign) => sign !== undefined).length > 1) return undefined;
  return { number, isNegative: open !== undefined || before === '-' || after === '-', currency };
}

/** Removing a currency sign between the digits, as in `12€50`, would change the amount. */
function isAtStartOrEnd(text: string, token: string): boolean {
  const bare = text.replaceAll(/^[\s(+-]+|(?<![\s)+-])[\s)+-]+$/g, '');
  return bare.startsWith(token) || bare.endsWith(token);
}

function readNumber(number: string, mark: DecimalMark): string | undefined {
  const [integer = '', fraction, ...more] = number.split(marks[mark]);
  if (more.length > 0) return undefined;
  if (fraction !== undefined && !/^\d*$/.test(fraction)) return undefined;
  if (integer === '' && !fraction) return undefined;
  const isGrouped = GROUPED.test(integer) && LAST_GROUP.test(integer);
  if (!/^\d*$/.test(integer) && !isGrouped) return undefined;
  const digits = integer.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  const decimals =
    (fraction ?? '').length > DECIMALS_MAX ? (fraction ?? '').replace(/(?<!0)0+$/, '') : (fraction ?? '');
  return decimals === '' ? digits : `${digits}.${decimals}`;
}
