import { isCalendarDate } from './calendar-date.js';
import type { CalendarDate } from './calendar-date.js';

const KSEF_NUMBER = /^\d{10}-\d{8}-[0-9A-F]{12}-[0-9A-F]{2}$/;

/** The facts that a KSeF number states about its invoice. */
export interface KsefNumberParts {
  /** Tax id (NIP) of the seller in a KSeF number, ten digits. */
  readonly sellerNip: string;
  /** Day in Poland on which KSeF received the invoice. */
  readonly receivedOn: CalendarDate;
}

/** Checks whether a string has the form and the check digits of a KSeF 2.0 number. */
export function isKsefNumber(text: string): boolean {
  return KSEF_NUMBER.test(text) && hasCrc8(text);
}

/** Returns the KSeF number that a person entered, in upper case and without spaces. Undefined for any other text. */
export function readStatedKsefNumber(text: string): string | undefined {
  const number = text.length > STATED_LENGTH_MAX ? '' : text.replace(/\s/g, '').toUpperCase();
  return isKsefNumber(number) ? number : undefined;
}

/** Maximum length of a text that may be a KSeF number with spaces in it. */
const STATED_LENGTH_MAX = 60;

/**
 * Returns the seller and the day in a KSeF number, or undefined if the string is not a KSeF number or names no real
 * day.
 */
export function readKsefNumber(text: string): KsefNumberParts | undefined {
  if (!isKsefNumber(text)) return undefined;
  const receivedOn = `${text.slice(11, 15)}-${text.slice(15, 17)}-${text.slice(17, 19)}`;
  return isCalendarDate(receivedOn) ? { sellerNip: text.slice(0, 10), receivedOn } : undefined;
}

/** Checks whether a KSeF number ends with the CRC-8 of the part before its last hyphen. */
export function hasCrc8(text: string): boolean {
  const at = text.lastIndexOf('-');
  return crc8(text.slice(0, at)) === text.slice(at + 1);
}

/**
 * Checksum of a KSeF number: CRC-8 with polynomial 0x07 and initial value 0x00, as two upper-case hexadecimal digits.
 */
export function crc8(text: string): string {
  let crc = 0;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 0xff;
  }
  return crc.toString(16).toUpperCase().padStart(2, '0');
}
