const REFERENCE = /^\d{8}-[A-Z]{2}-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}$/;
const KSEF_NUMBER = /^\d{10}-\d{8}-[0-9A-F]{12}-[0-9A-F]{2}$/;

/** Tells whether a text is a number that KSeF 2.0 gives to an invoice: its form and its check digits. */
export function isKsefNumber(text: string): boolean {
  return KSEF_NUMBER.test(text) && hasCheckDigits(text);
}

/** Tells whether a text is a reference number of a session, an invoice or a confirmation: its form and its check digits. */
export function isReferenceNumber(text: string): boolean {
  return REFERENCE.test(text) && hasCheckDigits(text);
}

/** The day in a KSeF number, at midnight UTC. */
export function dayOfKsefNumber(ksefNumber: string): Date {
  const [, year, month, day] = /^\d{10}-(\d{4})(\d{2})(\d{2})-/.exec(ksefNumber) ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
}

/** The first KSeF number and session in the text of a duplicate: KSeF may leave out the members that hold them. */
export function numbersInText(text: string): {
  readonly ksefNumber: string | undefined;
  readonly sessionReferenceNumber: string | undefined;
} {
  return {
    ksefNumber: text.match(/\d{10}-\d{8}-[0-9A-F]{12}-[0-9A-F]{2}/g)?.find(isKsefNumber),
    sessionReferenceNumber: text.match(/\d{8}-S[OB]-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}/g)?.find(isReferenceNumber),
  };
}

function hasCheckDigits(text: string): boolean {
  const at = text.lastIndexOf('-');
  return crc8(text.slice(0, at)) === text.slice(at + 1);
}

/** CRC-8 with polynomial 0x07 and initial value 0x00, as two upper-case hexadecimal digits. */
export function crc8(text: string): string {
  let crc = 0;
  for (const byte of Buffer.from(text, 'ascii')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 0xff;
  }
  return crc.toString(16).toUpperCase().padStart(2, '0');
}
