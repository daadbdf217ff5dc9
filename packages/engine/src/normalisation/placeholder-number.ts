import type { InvoiceNumber } from '../facts/invoice.js';

/** What people write where a number is required and the bill has none, in the languages of our suppliers. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'NA NONE NIL NULL UNKNOWN MISSING NONUMBER WITHOUT TBC TBA OHNE OHNENUMMER KEINE KEINENUMMER ON BRAK BEZNUMERU BN ' +
    'SN SANS SANSNUMERO SINNUMERO SIN SENZA SENZANUMERO ND SD GEEN NVT ZONDER ZONDERNUMMER'
  ).split(' '),
);
/** One character again and again: `000`, or the letter that stands for nothing. */
const FILLER = /^(?:0+|X+)$/;

/** Whether a word, zeros or signs stand in the place of the number; such a text tells no bill from another. */
export function isPlaceholder({ raw0 }: InvoiceNumber): boolean {
  return raw0 === '' || FILLER.test(raw0) || WORDS.has(raw0);
}

/** Whether the number is the date of its own bill and nothing else, in either order of day and year. */
export function isOwnDate({ raw0 }: InvoiceNumber, issueDate: string): boolean {
  const [year = '', month = '', day = ''] = issueDate.split('-');
  const short = year.slice(2);
  return [year + month + day, day + month + year, day + month + short, short + month + day].includes(raw0);
}
