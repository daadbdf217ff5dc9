import { randomBytes } from 'node:crypto';

/**
 * Kind of a reference number: challenge, authentication, online session, invoice, UPO, token or export (KSeF reference,
 * sections 4 and 19).
 */
export type ReferenceKind = 'CR' | 'AU' | 'SO' | 'EE' | 'EU' | 'EC' | 'EH';

/** Pattern for KSeF numbers. KSeF 1.0 numbers have an additional hyphen. */
const KSEF_NUMBER = /^\d{10}-\d{8}-[0-9A-F]{6}-?[0-9A-F]{6}-[0-9A-F]{2}$/;
// The date format of Polish days is created only once, because creating it takes longer than using it.
const polishDays = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw', dateStyle: 'short' });
const polishTimes = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Warsaw',
  dateStyle: 'short',
  timeStyle: 'medium',
});
const NIP_WEIGHTS = [6, 5, 7, 2, 3, 4, 5, 6, 7];

/**
 * Returns the checksum of a KSeF number: CRC-8 with polynomial 0x07 and initial value 0x00, as two upper-case
 * hexadecimal digits.
 */
export function crc8(text: string): string {
  let crc = 0;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return hex(Buffer.of(crc));
}

/** Returns a new KSeF reference number, such as `20261123-SO-0123456789-ABCDEF0123-5C`. */
export function newReferenceNumber(kind: ReferenceKind, now: Date): string {
  const start = `${compactDay(now)}-${kind}-${hex(randomBytes(5))}-${hex(randomBytes(5))}`;
  return `${start}-${crc8(start)}`;
}

/**
 * Returns a KSeF number such as `5265877635-20261123-0100A0D6723E-46`.
 * @param unique six bytes
 */
export function newKsefNumber(sellerNip: string, now: Date, unique: Uint8Array = randomBytes(6)): string {
  const start = `${sellerNip}-${compactDay(now)}-${hex(unique)}`;
  return `${start}-${crc8(start)}`;
}

export function hasNipCheckDigit(nip: string): boolean {
  const sum = NIP_WEIGHTS.reduce((total, weight, at) => total + weight * Number(nip[at]), 0);
  return sum % 11 === Number(nip[9]);
}

/** Returns the calendar day in Poland of a KSeF time, such as `2026-11-23`. */
export function polishDay(instant: Date): string {
  return polishDays.format(instant);
}

/** Formats an instant as KSeF does, with seven fraction digits and an offset. */
export function timestamp(instant: Date, digitsBelowMs = '0000'): string {
  return instant.toISOString().replace('Z', `${digitsBelowMs}+00:00`);
}

/** Formats an instant in microseconds since 1970 as KSeF does. */
export function microTimestamp(microseconds: number): string {
  return timestamp(new Date(Math.floor(microseconds / 1_000)), `${String(microseconds % 1_000).padStart(3, '0')}0`);
}

/**
 * Converts an instant to a string that sorts by time, such as `2026-11-23T10:00:00.1234567` in UTC. KSeF writes more
 * digits than a Date has, and treats an instant without an offset as Polish time.
 * @returns undefined if the string is not a date and time
 */
export function sortableInstant(text: string): string | undefined {
  const [, local, fraction = '', offset] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,7}))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const ms = Date.parse(`${local}${offset ?? 'Z'}`);
  if (Number.isNaN(ms)) return undefined;
  const utc = new Date(offset === undefined ? ms - polishOffsetMs(ms) : ms);
  return `${utc.toISOString().slice(0, 19)}.${fraction.padEnd(7, '0')}`;
}

/**
 * Returns the offset of Polish time from UTC in milliseconds.
 * @param ms instant in milliseconds since 1970, without a fraction of a second
 */
function polishOffsetMs(ms: number): number {
  const [day = '', time = ''] = polishTimes.format(ms).split(' ');
  return Date.parse(`${day}T${time}Z`) - ms;
}

/** Checks whether a string has the form of a KSeF number. */
export function isKsefNumber(text: string): boolean {
  return KSEF_NUMBER.test(text);
}

function compactDay(now: Date): string {
  return polishDay(now).replaceAll('-', '');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
