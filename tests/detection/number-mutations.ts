import { withInvoice } from './bill.js';
import type { Change } from './mutation.js';
import { isTelling, renumbered, writtenAgain } from './mutation.js';

/** Code point distance from a digit to its full-width form. */
const FULL_WIDTH_SHIFT = 0xfee0;

/** The same number in another spelling. */
export const rewrittenNumbers = {
  'label before the number': renumbered((number) => (/^\d/.test(number) ? `Invoice No. ${number}` : undefined)),
  'sign before a short number': renumbered((number, random) =>
    /^\d{1,4}$/.test(number) ? random.pick([`N° ${number}`, `Nr ${number}`, `#${number}`]) : undefined,
  ),
  'other separators': renumbered((number) => number.replaceAll(/[-/]/g, ' ')),
  'no separators': renumbered((number) => number.replaceAll(/[-/]/g, '')),
  'lower case': renumbered((number) => number.toLowerCase()),
  'leading zeros lost': renumbered((number) => number.replace(/(?<![0-9])0+(?=\d)/, '')),
  'leading zeros added': renumbered((number) => number.replace(/\d+/, (run) => `00${run}`)),
  'year left out of the number': renumbered((number, _, { invoice }) =>
    number.replace(new RegExp(`(?<!\\d)${invoice.issue_date.slice(0, 4)}[-/]`), ''),
  ),
  'year of the number in two digits': renumbered((number, _, { invoice }) =>
    number.replace(ownYear(invoice.issue_date, 0), invoice.issue_date.slice(2, 4)),
  ),
  'year of the number in four digits': renumbered((number, _, { invoice }) =>
    number.replace(ownYear(invoice.issue_date, 2), invoice.issue_date.slice(0, 4)),
  ),
  'last year in the number, in January': renumbered((number, _, { invoice }) => {
    const year = invoice.issue_date.slice(0, 4);
    return invoice.issue_date.slice(5, 7) === '01'
      ? number.replace(ownYear(invoice.issue_date, 0), String(Number(year) - 1))
      : undefined;
  }),
  'branch left out of the number': renumbered((number) => number.replace(/^(\d+)\/[A-Z]+\/(\d+)$/, '$1/$2')),
  'letters before the number left out': renumbered((number) => number.replace(/^[A-Z]+[-/]?(?=\d{3})/, '')),
  'full-width digits': renumbered((number) =>
    number.replaceAll(/\d/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + FULL_WIDTH_SHIFT)),
  ),
  'parts of the number reordered': renumbered((number) => reordered(number)),
} as const satisfies Record<string, Change>;

/** Numbers with a suffix. */
export const extendedNumbers = {
  'letter appended': renumbered((number) => (/\d$/.test(number) ? `${number}A` : undefined)),
  'word COPY appended': renumbered((number) => `${number} COPY`),
  'word for a copy appended': renumbered((number, random) =>
    /\d{3}/.test(number)
      ? number + random.pick([' copy', '-KOPIE', 'DUPL', ' Zweitschrift', ' duplicata', '_kopia', ' copia'])
      : undefined,
  ),
  'digit appended after a slash': renumbered((number) => (/\d{4}$/.test(number) ? `${number}/2` : undefined)),
  'digit in brackets': renumbered((number) => (/\d{4}$/.test(number) ? `${number} (2)` : undefined)),
  'suffix -01': renumbered((number) => (/\d{3}$/.test(number) ? `${number}-01` : undefined)),
  'letter R for revised': renumbered((number) => (/\d$/.test(number) ? `${number}-R` : undefined)),
  'version appended': renumbered((number) => (/\d$/.test(number) ? `${number} V2` : undefined)),
  'revision appended': renumbered((number) => (/\d{3}$/.test(number) ? `${number} rev.1` : undefined)),
  'reference appended': renumbered((number, random) =>
    /\d{4}/.test(number)
      ? number + random.pick([` PO ${random.integer(4_500_000, 4_599_999)}`, ` / KD ${random.integer(10_000, 99_999)}`])
      : undefined,
  ),
} as const satisfies Record<string, Change>;

/** Numbers misread or mistyped. */
export const misreadNumbers = {
  'O for 0': renumbered((number) => number.replace('0', 'O')),
  'O for 0 after leading zeros': renumbered((number) => number.replace(/(?<!\d)0{2}(?=\d)/, '0O')),
  'O for 0 after a glued label': renumbered((number) => number.replace(/^([A-Z]+)0(?=\d{3})/, '$1O')),
  'I for 1': renumbered((number) => number.replace('1', 'I')),
  'B for 8': renumbered((number) => number.replace('8', 'B')),
  'S for 5': renumbered((number) => number.replace('5', 'S')),
  'wrong first digit': renumbered((number) => firstDigitChanged(number)),
  'digit left out': renumbered((number) => (longRun(number) ? number.replace(/(\d{2})\d(\d{2})/, '$1$2') : undefined)),
  'start of the number cut off': renumbered((number, random) => {
    const rest = number.slice(random.integer(2, 3));
    return isTelling(rest) ? rest : undefined;
  }),
  'digit doubled': renumbered((number) =>
    longRun(number) ? number.replace(/(\d{2})(\d)(\d{2})/, '$1$2$2$3') : undefined,
  ),
  'digits swapped': renumbered((number) => digitsSwapped(number)),
} as const satisfies Record<string, Change>;

/** Another text in place of the number, or the number on another document about the same claim. */
export const replacedNumbers = {
  'word for no number': renumbered((_, random) => random.pick(['n/a', 'none', 'brak', 'ohne', '-'])),
  'issue date for the number': renumbered((_, random, { invoice }) => {
    const [year = '', month = '', day = ''] = invoice.issue_date.split('-');
    return random.pick([`${year}${month}${day}`, `${day}.${month}.${year}`, `${day}/${month}/${year}`]);
  }),
  'dunning letter booked': (bill, _, random) => {
    const label = random.pick(['Mahnung', 'Reminder', 'Rappel', 'Sollecito', 'Aanmaning', 'Ponaglenie']);
    const again = writtenAgain(bill, random.integer(14, 42));
    return withInvoice(again, { invoice_number: `${label} ${bill.invoice.invoice_number}` });
  },
} as const satisfies Record<string, Change>;

/** Matches the year of the date, from digit `from` on, as a part of the number or right after letters. */
function ownYear(date: string, from: number): RegExp {
  return new RegExp(`(?<!\\d)${date.slice(from, 4)}(?!\\d)`);
}

/** The digit parts in reverse order: 2026/00011 and 00011/2026. */
function reordered(number: string): string | undefined {
  const parts = number.split(/([-/])/);
  const places = parts.flatMap((part, index) => (/^\d+$/.test(part) ? [index] : []));
  const turned = places.map((place) => parts[place] ?? '').reverse();
  for (const [index, place] of places.entries()) parts[place] = turned[index] ?? '';
  return places.length > 1 ? parts.join('') : undefined;
}

function longRun(number: string): boolean {
  return /\d{5}/.test(number);
}

function firstDigitChanged(number: string): string | undefined {
  // An error in the last digits cannot be distinguished from a neighbouring number: a known limit.
  return longRun(number) ? number.replace(/[1-9](?=\d{4})/, (digit) => String((Number(digit) % 9) + 1)) : undefined;
}

function digitsSwapped(number: string): string | undefined {
  return longRun(number) ? number.replace(/(\d)(\d)(?=\d{3})/, '$2$1') : undefined;
}
