import { hasCrc8, isKsefNumber } from '@invoicecontrol/values/ksef-number';

const REFERENCE = /^\d{8}-[A-Z]{2}-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}$/;

/**
 * Checks whether a string has the form and the check digits of a reference number of a KSeF session, an invoice or a
 * confirmation.
 */
export function isReferenceNumber(text: string): boolean {
  return REFERENCE.test(text) && hasCrc8(text);
}

/** Returns the day in a KSeF number as midnight UTC. */
export function dayOfKsefNumber(ksefNumber: string): Date {
  const [, year, month, day] = /^\d{10}-(\d{4})(\d{2})(\d{2})-/.exec(ksefNumber) ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
}

/**
 * Finds the first KSeF number and the first session number in the message about a duplicate, because KSeF may leave out
 * the members with these values.
 */
export function numbersInText(text: string): {
  readonly ksefNumber: string | undefined;
  readonly sessionReferenceNumber: string | undefined;
} {
  return {
    ksefNumber: text.match(/\d{10}-\d{8}-[0-9A-F]{12}-[0-9A-F]{2}/g)?.find(isKsefNumber),
    sessionReferenceNumber: text.match(/\d{8}-S[OB]-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}/g)?.find(isReferenceNumber),
  };
}
