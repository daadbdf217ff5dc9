import type { InvoiceNumber } from '../facts/invoice.js';

/** Words that replace a missing invoice number, in the languages of the suppliers. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'NA NONE NIL NULL UNKNOWN MISSING NONUMBER WITHOUT TBC TBA OHNE OHNENUMMER KEINE KEINENUMMER ON BRAK BEZNUMERU BN ' +
    'SN SANS SANSNUMERO SINNUMERO SIN SENZA SENZANUMERO ND SD GEEN NVT ZONDER ZONDERNUMMER'
  ).split(' '),
);
/** Matches an invoice number that consists only of zeros or only of `X`. */
const FILLER = /^(?:0+|X+)$/;

/** Checks whether an invoice number is a placeholder (a word, zeros or signs), which does not identify a bill. */
export function isPlaceholder({ raw0 }: InvoiceNumber): boolean {
  return raw0 === '' || FILLER.test(raw0) || WORDS.has(raw0);
}

/**
 * Checks whether an invoice number is only the date, the month or the year of its bill, with the year first or last.
 */
export function isOwnDate({ raw0 }: InvoiceNumber, issueDate: string): boolean {
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const short = year.slice(2);
  const dates = [year + month + day, day + month + year, day + month + short, short + month + day];
  return [...dates, year + month, month + year, year].includes(raw0);
}
