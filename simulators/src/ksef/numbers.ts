import { randomBytes } from 'node:crypto';

/** Challenge, authentication, online session, invoice, UPO and token (KSeF reference, section 4). */
export type ReferenceKind = 'CR' | 'AU' | 'SO' | 'EE' | 'EU' | 'EC';

const NIP_WEIGHTS = [6, 5, 7, 2, 3, 4, 5, 6, 7];

/** CRC-8 with polynomial 0x07 and initial value 0x00, as two upper-case hexadecimal digits. */
export function crc8(text: string): string {
  let crc = 0;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return hex(Buffer.of(crc));
}

/** `20261123-SO-0123456789-ABCDEF0123-5C`. */
export function newReferenceNumber(kind: ReferenceKind, now: Date): string {
  const start = `${compactDay(now)}-${kind}-${hex(randomBytes(5))}-${hex(randomBytes(5))}`;
  return `${start}-${crc8(start)}`;
}

/** `5265877635-20261123-0100A0D6723E-46`. */
export function newKsefNumber(sellerNip: string, now: Date): string {
  const start = `${sellerNip}-${compactDay(now)}-${hex(randomBytes(6))}`;
  return `${start}-${crc8(start)}`;
}

export function hasNipCheckDigit(nip: string): boolean {
  const sum = NIP_WEIGHTS.reduce((total, weight, at) => total + weight * Number(nip[at]), 0);
  return sum % 11 === Number(nip[9]);
}

/** The calendar day in Poland, `2026-11-23`. */
export function polishDay(instant: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw', dateStyle: 'short' }).format(instant);
}

/** An instant as KSeF writes it: seven digits of a second and an offset. */
export function timestamp(instant: Date, digitsBelowMs = '0000'): string {
  return instant.toISOString().replace('Z', `${digitsBelowMs}+00:00`);
}

function compactDay(now: Date): string {
  return polishDay(now).replaceAll('-', '');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
