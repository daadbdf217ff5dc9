import { withInvoice, withSupplier } from './bill.js';
import type { Change } from './mutation.js';
import { isTelling, renumbered, writtenAgain } from './mutation.js';
import { validIban } from './parties.js';

/** Distance between the code points of a digit and its full-width form. */
const FULL_WIDTH_SHIFT = 0xfee0;

/** Latin capital letters, and similar letters of other scripts. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  ['AА', 'BΒ', 'CС', 'EΕ', 'HН', 'IІ', 'KК', 'MМ', 'NΝ', 'OО', 'PР', 'TТ', 'XХ', 'YҮ'].map((pair) => [
    pair.charAt(0),
    pair.charAt(1),
  ]),
);

/** Mutations that write the same invoice number in another way. */
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
  'month left out of the number': renumbered((number, _, { invoice }) => {
    const [year = '', month = ''] = invoice.issue_date.split('-');
    return number.replace(`/${month}/${year}`, `/${year}`);
  }),
  'branch left out of the number': renumbered((number) => number.replace(/^(\d+)\/[A-Z]+\/(\d+)$/, '$1/$2')),
  'letters before the number left out': renumbered((number) => number.replace(/^[A-Z]+[-/]?(?=\d{3})/, '')),
  'full-width digits': renumbered((number) =>
    number.replaceAll(/\d/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + FULL_WIDTH_SHIFT)),
  ),
  'letters that only look Latin': renumbered((number) =>
    number.replaceAll(/[A-Z]/g, (letter) => lookAlikes.get(letter) ?? letter),
  ),
  'invisible characters': renumbered((number) => number.replaceAll(/(?<=\d)(?=\d)/g, '\u200b')),
  'parts of the number reordered': renumbered((number) => reordered(number)),
} as const satisfies Record<string, Change>;

/** Mutations that append a suffix to the invoice number. */
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
  'customer number before the number': renumbered((number, random) =>
    /^\d+$/.test(number) ? `${random.integer(100_000, 999_999)}/${number}` : undefined,
  ),
  'reference appended': renumbered((number, random) =>
    /\d{4}/.test(number)
      ? number + random.pick([` PO ${random.integer(4_500_000, 4_599_999)}`, ` / KD ${random.integer(10_000, 99_999)}`])
      : undefined,
  ),
} as const satisfies Record<string, Change>;

/** Mutations that misread or mistype the invoice number. */
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
  'digit of a short number doubled': renumbered((number) =>
    /^\d{3,4}$/.test(number) ? number.replace(/\d/, (digit) => digit + digit) : undefined,
  ),
  'end of the number cut off': renumbered((number) => {
    const rest = number.slice(0, -1);
    return /\d{5}$/.test(number) && isTelling(rest) ? rest : undefined;
  }),
  'month of the number slipped': renumbered((number, _, { invoice }) => {
    const [year = '', month = ''] = invoice.issue_date.split('-');
    const slipped = String((Number(month) % 12) + 1).padStart(2, '0');
    return number.replace(`${month}/${year}`, `${slipped}/${year}`).replace(`${year}/${month}`, `${year}/${slipped}`);
  }),
  'digits swapped': renumbered((number) => digitsSwapped(number)),
  'letter of the prefix left out': renumbered((number) => number.replace(/^([A-Z])([A-Z]+-\d{4})/, '$2')),
  'letters of the prefix swapped': renumbered((number) => number.replace(/^([A-Z])([A-Z])(-\d{4})/, '$2$1$3')),
} as const satisfies Record<string, Change>;

/**
 * Mutations that replace the invoice number by another text, or by the number on another document about the same claim.
 */
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

/**
 * Mutations that repeat the bill under an unrelated number: the number of another document about the same supply, or a
 * new number.
 */
export const unrelatedNumbers = {
  'unrelated: order typed as the number': (bill) => {
    const { purchase_order_ref: order } = bill.invoice;
    return order === undefined ? undefined : withInvoice(bill, { invoice_number: order });
  },
  'unrelated: number and order swapped': (bill) => {
    const { purchase_order_ref: order, invoice_number: number } = bill.invoice;
    return order === undefined ? undefined : withInvoice(bill, { invoice_number: order, purchase_order_ref: number });
  },
  'unrelated: delivery note': renumbered((_, random) => {
    const digits = String(random.integer(80_000_000, 89_999_999));
    return random.pick([digits, `LS-${digits}`, `DN ${digits.slice(2)}`, `WZ/${digits.slice(4)}/2025`]);
  }),
  'unrelated: customer number': (bill, { taxId }) =>
    withInvoice(bill, { invoice_number: `1${taxId.replaceAll(/[^0-9]/g, '').slice(0, 7)}` }),
  'unrelated: pro forma': renumbered((_, random, { invoice }) => {
    const counter = random.integer(10, 900);
    return random.pick([`PF-${counter}`, `PROFORMA ${counter}`, `PRF/${invoice.issue_date.slice(0, 4)}/${counter}`]);
  }),
  'unrelated: self-billing number': renumbered(
    (_, random, { invoice }) => `SB${invoice.issue_date.slice(0, 4)}-${random.integer(1_000, 9_000)}`,
  ),
  'unrelated: reference of a factor': (bill, { country }, random) =>
    withSupplier(withInvoice(bill, { invoice_number: `F0${random.integer(1_000_000, 9_999_999)}-K` }), {
      bank_account: { iban: validIban(country, random) },
    }),
  'unrelated: next number on the same day': renumbered((number) => nextNumberOf(number)),
  'unrelated: next number some days later': (bill, _, random) => {
    const number = nextNumberOf(bill.invoice.invoice_number);
    if (number === undefined) return undefined;
    return withInvoice(writtenAgain(bill, random.integer(1, 5)), { invoice_number: number });
  },
  'unrelated: number of weeks later': (bill, _, random) => {
    const number = nextNumberOf(bill.invoice.invoice_number, random.integer(13, 60));
    if (number === undefined) return undefined;
    return withInvoice(writtenAgain(bill, random.integer(8, 22)), { invoice_number: number });
  },
} as const satisfies Record<string, Change>;

/** Returns the invoice number with its longest sequence of digits increased by one. */
function nextNumberOf(number: string, step = 1): string | undefined {
  const [longest] = (number.match(/\d+/g) ?? []).sort((left, right) => right.length - left.length);
  if (longest === undefined || longest.length < 4) return undefined;
  return number.replace(longest, (run) => String(Number(run) + step).padStart(run.length, '0'));
}

/**
 * Returns a regular expression that finds the year of the issue date in an invoice number if no other digit is next to
 * it. With `from` 2, the year is written with two digits.
 */
function ownYear(date: string, from: number): RegExp {
  return new RegExp(`(?<!\\d)${date.slice(from, 4)}(?!\\d)`);
}

/** Returns the invoice number with its groups of digits in reverse order: `2026/00011` becomes `00011/2026`. */
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
  // Only one of the first digits of the invoice number is changed. A change of the last digits cannot be distinguished
  // from a neighbouring number, which is a known limitation.
  return longRun(number) ? number.replace(/[1-9](?=\d{4})/, (digit) => String((Number(digit) % 9) + 1)) : undefined;
}

function digitsSwapped(number: string): string | undefined {
  return longRun(number) ? number.replace(/(\d)(\d)(?=\d{3})/, '$2$1') : undefined;
}
