import type { Candidate } from '../facts/invoice.js';
import { readInvoiceNumber } from '../normalisation/invoice-number.js';

// Notations of one invoice number that can be recognised from two bills alone.

const ROMAN_MONTHS = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'];
/** Matches a Roman number between the counter and the year of an invoice number, as in `FV/12/III/2026`. */
const ROMAN_MONTH = /(?<=[0-9][^A-Z0-9])[IVX]{1,4}(?=[^A-Z0-9][0-9])/i;

/**
 * Returns the bill with the month of its number in digits, if the number states the month of the issue date in Roman
 * digits. In other months, Roman digits name a series.
 */
export function withMonthInDigits(bill: Candidate): Candidate | undefined {
  const { invoiceNumber, issueDate, number } = bill;
  const month = issueDate.slice(5, 7);
  const roman = ROMAN_MONTHS[Number(month) - 1] ?? '';
  if (!number.runs.includes(roman)) return undefined;
  const stated = ROMAN_MONTH.exec(invoiceNumber)?.[0];
  if (stated?.toUpperCase() !== roman) return undefined;
  const inDigits = invoiceNumber.replace(ROMAN_MONTH, month);
  return { ...bill, invoiceNumber: inDigits, number: readInvoiceNumber(inDigits) };
}

/** Matches a long number that a spreadsheet shows as a power of ten: `4.02134E+11`. */
const POWER_OF_TEN = /^\s*([0-9])(?:[.,]([0-9]{1,14}))?E\+?([0-9]{1,2})\s*$/i;
/** Number of digits that spreadsheets store. Further digits of a number become zeros. */
const STORED_DIGITS = 15;

/** Checks whether a spreadsheet has turned an invoice number into a power of ten. Different numbers then look the same. */
export function isPowerOfTen({ invoiceNumber }: Pick<Candidate, 'invoiceNumber'>): boolean {
  return POWER_OF_TEN.test(invoiceNumber);
}

/** Checks whether one of two invoice numbers is the other as a spreadsheet rounds it. */
export function isRoundedNumber(left: Candidate, right: Candidate): boolean {
  return isRoundedFrom(left, right) || isRoundedFrom(right, left);
}

function isRoundedFrom(rounded: Candidate, { number: { raw0: digits } }: Candidate): boolean {
  if (digits.length < POWER_DIGITS_MIN || !/^[0-9]+$/.test(digits)) return false;
  const { raw0: kept } = rounded.number;
  if (kept.length === digits.length && kept.length > STORED_DIGITS + 1)
    return kept.slice(0, STORED_DIGITS) === digits.slice(0, STORED_DIGITS) && /^0+$/.test(kept.slice(STORED_DIGITS));
  const [, first, decimals = '', power] = POWER_OF_TEN.exec(rounded.invoiceNumber) ?? [];
  if (first === undefined || Number(power) + 1 !== digits.length) return false;
  const known = first + decimals;
  const exact = Number(`${digits.slice(0, known.length)}.${digits.slice(known.length)}`);
  return Math.abs(exact - Number(known)) <= 0.5;
}

/** Minimum number of digits of a number that a spreadsheet shows as a power of ten. */
const POWER_DIGITS_MIN = 8;
