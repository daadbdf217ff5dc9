import { addDays, swapDayAndMonth } from '@invoicecontrol/values/calendar-date';
import { withInvoice } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import type { Entry, OwnCompany } from './journal.js';
import { centsOf, decimal, restated, workday } from './journal.js';
import { accountOf, nearAccount } from './supplier.js';

/**
 * Creates the copies through which one test bill is claimed a second time, or returns undefined if this bill cannot
 * have a copy of this kind.
 */
export type Slip = (entry: Entry, desk: Desk) => Bill[] | undefined;

/** The generated bills from which a clerk enters copies. */
export interface Desk {
  readonly random: Random;
  readonly companies: readonly OwnCompany[];
  readonly order: (date: string) => string;
  /** The bank account and the name of a factoring company. */
  readonly factor: string;
  readonly to: string;
}

const copied = (bill: Bill, changes: Partial<Bill['invoice']>): Bill => withInvoice(bill, changes);
const numbered = (bill: Bill, number: string | undefined): Bill[] | undefined =>
  number === undefined || number === '' || number === bill.invoice.invoice_number
    ? undefined
    : [copied(bill, { invoice_number: number })];

function dated(bill: Bill, date: string | undefined): Bill | undefined {
  if (date === undefined) return undefined;
  const { issue_date: old, due_date: due } = bill.invoice;
  const terms = due === undefined ? 30 : Math.round((Date.parse(due) - Date.parse(old)) / 86_400_000);
  const moved = copied(bill, { issue_date: date, due_date: addDays(date, terms) });
  return { ...moved, arrival: moved.arrival < date ? date : moved.arrival };
}

function grossed(bill: Bill, gross: number): Bill {
  const old = centsOf(bill.invoice.gross_amount);
  const net = Math.round((centsOf(bill.invoice.net_amount ?? bill.invoice.gross_amount) * gross) / old);
  return copied(bill, {
    gross_amount: decimal(gross),
    net_amount: decimal(net),
    tax_amount: decimal(gross - net),
  });
}

/** Returns each sequence of digits in an invoice number, with its position. */
function digitRuns(number: string): { readonly at: number; readonly text: string }[] {
  return [...number.matchAll(/[0-9]+/g)].map((match) => ({ at: match.index, text: match[0] }));
}

/**
 * Returns a random position among the digits of the longest sequence in an invoice number, which has at least four
 * digits.
 */
function digitAt(number: string, random: Random): number | undefined {
  const [longest] = digitRuns(number).sort((left, right) => right.text.length - left.text.length);
  if (longest === undefined || longest.text.length < 4) return undefined;
  return longest.at + random.integer(0, longest.text.length - 1);
}

function spliced(text: string, at: number, removed: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at + removed);
}

function withoutDigit(number: string, random: Random): string | undefined {
  const at = digitAt(number, random);
  return at === undefined ? undefined : spliced(number, at, 1, '');
}

function withDoubledDigit(number: string, random: Random): string | undefined {
  const at = digitAt(number, random);
  return at === undefined ? undefined : spliced(number, at, 0, number.charAt(at));
}

function withOtherDigit(number: string, random: Random): string | undefined {
  const at = digitAt(number, random);
  if (at === undefined) return undefined;
  return spliced(number, at, 1, String((Number(number.charAt(at)) + random.integer(1, 9)) % 10));
}

function withSwappedDigits(number: string, random: Random): string | undefined {
  const places = digitRuns(number)
    .filter(({ text }) => text.length >= 4)
    .flatMap(({ at, text }) => [...text].slice(1).map((_digit, index) => at + index))
    .filter((at) => number.charAt(at) !== number.charAt(at + 1));
  if (places.length === 0) return undefined;
  const at = random.pick(places);
  return spliced(number, at, 2, number.charAt(at + 1) + number.charAt(at));
}

const ocr: Readonly<Record<string, string>> = { '0': 'O', '1': 'I', '5': 'S', '8': 'B', '2': 'Z', '6': 'G' };

function readByScanner(number: string, random: Random): string | undefined {
  const places = [...number].flatMap((digit, at) => (ocr[digit] === undefined ? [] : [at]));
  if (places.length === 0) return undefined;
  const at = random.pick(places);
  return spliced(number, at, 1, ocr[number.charAt(at)] ?? '');
}

/** Letters that look like Latin letters but belong to other scripts. */
const foreign: Readonly<Record<string, string>> = {
  A: 'А',
  B: 'В',
  C: 'С',
  E: 'Е',
  H: 'Н',
  K: 'К',
  M: 'М',
  O: 'О',
  P: 'Р',
  T: 'Т',
  X: 'Х',
  a: 'а',
  e: 'е',
  o: 'о',
  p: 'р',
  c: 'с',
};

function inForeignLetters(text: string): string | undefined {
  const at = [...text].findIndex((letter) => foreign[letter] !== undefined);
  return at < 0 ? undefined : spliced(text, at, 1, foreign[text.charAt(at)] ?? '');
}

const slipsOfOneNumber = [withoutDigit, withDoubledDigit, withOtherDigit, withSwappedDigits];

const relatedSlips: Readonly<Record<string, Slip>> = {
  'sent again unchanged': ({ bill }) => [bill],
  'other separators': ({ bill }) => {
    const { invoice_number: number } = bill.invoice;
    return numbered(bill, number.replace(/[-/. ]/g, '') === number ? undefined : number.replace(/[-/. ]+/g, ' '));
  },
  'separators left out and the label before it': ({ bill }, { random }) =>
    numbered(
      bill,
      `${random.pick(['Nr. ', 'No ', 'Rechnung ', 'Faktura ', 'INV '])}${bill.invoice.invoice_number.replace(/[-. ]/g, '')}`,
    ),
  'letter read for a digit': ({ bill }, { random }) =>
    numbered(bill, readByScanner(bill.invoice.invoice_number, random)),
  'copy mark behind the number': ({ bill }, { random }) =>
    numbered(
      bill,
      `${bill.invoice.invoice_number}${random.pick([' COPY', '-KOPIE', ' (2)', 'A', '/2', ' DUPLIKAT', '-R1', ' kopia'])}`,
    ),
  'digit missing': ({ bill }, { random }) => numbered(bill, withoutDigit(bill.invoice.invoice_number, random)),
  'digit doubled': ({ bill }, { random }) => numbered(bill, withDoubledDigit(bill.invoice.invoice_number, random)),
  'other digit': ({ bill }, { random }) => numbered(bill, withOtherDigit(bill.invoice.invoice_number, random)),
  'two digits swapped': ({ bill }, { random }) =>
    numbered(bill, withSwappedDigits(bill.invoice.invoice_number, random)),
  'prefix left out': ({ bill }) => {
    const rest = bill.invoice.invoice_number.replace(/^[^0-9]+/, '');
    return rest.length < 4 ? undefined : numbered(bill, rest);
  },
  'prefix letter lost': ({ bill }) => {
    const { invoice_number: number } = bill.invoice;
    return /^[A-Z]{2,4}(?![A-Z])/.test(number) ? numbered(bill, number.slice(1)) : undefined;
  },
  'prefix letters exchanged': ({ bill }) => {
    const { invoice_number: number } = bill.invoice;
    if (!/^[A-Z]{2,3}(?![A-Z])/.test(number) || number.charAt(0) === number.charAt(1)) return undefined;
    return numbered(bill, number.charAt(1) + number.charAt(0) + number.slice(2));
  },
  'month of the number slipped': ({ bill }) => {
    const { invoice_number: number, issue_date: date } = bill.invoice;
    const [year, month] = [date.slice(0, 4), date.slice(5, 7)];
    const other = String(((Number(month) + 10) % 12) + 1).padStart(2, '0');
    const found = [
      `${year}-${month}`,
      `${year}${month}`,
      `${month}/${year}`,
      `${year}/${month}`,
      `${date.slice(2, 4)}${month}`,
    ].find((period) => number.includes(period));
    return found === undefined || number.replace(found, '').replace(/[^0-9]/g, '').length < 3
      ? undefined
      : numbered(bill, number.replace(found, found.replace(new RegExp(`${month}(?=$|/)`), other)));
  },
  'year left out of the number': ({ bill }) => {
    const { invoice_number: number, issue_date: date } = bill.invoice;
    const rest = number.replace(new RegExp(`[-/.]?(${date.slice(0, 4)})[-/.]?`), '');
    return rest.replace(/[^0-9]/g, '').length < 4 ? undefined : numbered(bill, rest);
  },
  'last year in the number': ({ bill }) => {
    const { invoice_number: number, issue_date: date } = bill.invoice;
    const year = date.slice(0, 4);
    if (!number.includes(year) || number.replace(year, '').replace(/[^0-9]/g, '').length < 3) return undefined;
    return numbered(bill, number.replace(year, String(Number(year) - 1)));
  },
  'parts of the number in another order': ({ bill }) => {
    const parts = bill.invoice.invoice_number.split(/[-/]/);
    return parts.length < 2 || parts.some((part) => part === '')
      ? undefined
      : numbered(bill, parts.reverse().join('/'));
  },
  'letters of another script in number and name': ({ bill }) => {
    const number = inForeignLetters(bill.invoice.invoice_number);
    const name = inForeignLetters(bill.invoice.supplier.name);
    return number === undefined || name === undefined ? undefined : numbered(restated(bill, { name }), number);
  },
  'day and month exchanged': ({ bill }, { to }) => {
    const date = swapDayAndMonth(bill.invoice.issue_date);
    if (date === undefined || date === bill.invoice.issue_date || date > to) return undefined;
    const moved = dated(bill, date);
    return moved && [moved];
  },
  'day of receipt as date': ({ bill }, { random }) => {
    const moved = dated(bill, addDays(bill.invoice.issue_date, random.integer(1, 5)));
    return (moved && numbered(moved, bill.invoice.invoice_number.replace(/[-/. ]/g, ''))) ?? (moved && [moved]);
  },
  'two digits of the amount swapped': ({ bill }, { random }) => {
    const digits = String(centsOf(bill.invoice.gross_amount));
    const swapped = withSwappedDigits(digits, random);
    return swapped === undefined || swapped.startsWith('0') ? undefined : [grossed(bill, Number(swapped))];
  },
  'point of the amount slipped': ({ bill }, { random }) => {
    const gross = centsOf(bill.invoice.gross_amount) * random.pick([10, 100]);
    return gross > 400_000_000 ? undefined : [grossed(bill, gross)];
  },
  'amount without cents': ({ bill }) => {
    const gross = centsOf(bill.invoice.gross_amount);
    return gross % 100 === 0 || gross < 10_000 ? undefined : [grossed(bill, Math.floor(gross / 100) * 100)];
  },
  'net for gross': ({ bill, rate }) => {
    const { net_amount: net = '0.00' } = bill.invoice;
    return rate === 0 ? undefined : [copied(bill, { gross_amount: net, net_amount: net, tax_amount: '0.00' })];
  },
  'net for gross at a reduced rate': ({ bill, supplier, rate }) => {
    const { net_amount: net = '0.00' } = bill.invoice;
    const isReduced = rate !== 0 && rate === supplier.trade.rates?.[supplier.country];
    return isReduced ? [copied(bill, { gross_amount: net, net_amount: net, tax_amount: '0.00' })] : undefined;
  },
  'same figures in another currency': ({ bill, supplier }) =>
    supplier.currency === 'EUR' ? undefined : [copied(bill, { currency: 'EUR' })],
  'name without legal form, no tax id': ({ bill, supplier }) =>
    supplier.taxId === undefined || supplier.iban === undefined
      ? undefined
      : [
          {
            ...withoutTaxId(bill),
            invoice: {
              ...withoutTaxId(bill).invoice,
              supplier: { ...withoutTaxId(bill).invoice.supplier, name: ascii(supplier.core).toUpperCase() },
            },
          },
        ],
  'words of the name in another order, no tax id, no account': ({ bill, supplier }) => {
    const words = supplier.core.split(' ');
    if (words.length < 2 || supplier.taxId === undefined) return undefined;
    const { invoice } = bill;
    return [{ ...bill, invoice: { ...invoice, supplier: { name: words.reverse().join(' ') } } }];
  },
  'slip in the name, no tax id': ({ bill, supplier }, { random }) => {
    if (supplier.taxId === undefined || supplier.iban === undefined || supplier.core.length < 8) return undefined;
    const at = random.integer(2, supplier.core.length - 2);
    return [restated(withoutTaxId(bill), { name: spliced(supplier.core, at, 1, '') })];
  },
  'slip in the tax id': ({ bill, supplier }, { random }) => {
    const id = supplier.taxId === undefined ? undefined : withSwappedDigits(supplier.taxId, random);
    return id === undefined ? undefined : [restated(bill, { tax_id: id })];
  },
  'number and date slipped': ({ bill }, { random }) => {
    const number = random.pick(slipsOfOneNumber)(bill.invoice.invoice_number, random);
    const moved = dated(bill, addDays(bill.invoice.issue_date, random.pick([1, 1, 2, 3, 10])));
    return moved && numbered(moved, number);
  },
  'number and amount slipped': ({ bill }, { random }) => {
    const gross = withSwappedDigits(String(centsOf(bill.invoice.gross_amount)), random);
    const number = readByScanner(bill.invoice.invoice_number, random) ?? `${bill.invoice.invoice_number}A`;
    return gross === undefined || gross.startsWith('0') ? undefined : numbered(grossed(bill, Number(gross)), number);
  },
  'copy with another account': ({ bill, supplier }, { random }) => {
    if (supplier.iban === undefined) return undefined;
    const other = random.chance(0.5) ? nearAccount(supplier.iban, random) : accountOf(supplier.country, random);
    const number = random.pick(slipsOfOneNumber)(bill.invoice.invoice_number, random);
    return numbered(restated(bill, { bank_account: { iban: other } }), number);
  },
  'billed to the other company': ({ bill }, { random, companies }) => {
    const other = random.pick(companies.filter(({ companyId }) => companyId !== bill.companyId));
    const { buyer } = bill.invoice;
    const { name, taxId: tax_id } = other;
    return [{ ...copied(bill, buyer === undefined ? {} : { buyer: { name, tax_id } }), companyId: other.companyId }];
  },
  'split in two': (entry, { random }) =>
    split(
      entry,
      random,
      2,
      random.pick([
        ['-1', '-2'],
        ['/1', '/2'],
        ['A', 'B'],
      ]),
    ),
  'split in three': (entry, { random }) =>
    split(
      entry,
      random,
      3,
      random.pick([
        ['-1', '-2', '-3'],
        ['a', 'b', 'c'],
        [' 1/3', ' 2/3', ' 3/3'],
      ]),
    ),
  'split under one number': (entry, { random }) => split(entry, random, 2, ['', '']),
};

function split(
  { bill, rate, supplier }: Entry,
  random: Random,
  count: number,
  marks: readonly string[],
): Bill[] | undefined {
  const net = centsOf(bill.invoice.net_amount ?? '0');
  const gross = centsOf(bill.invoice.gross_amount);
  if (net < 60_000 || supplier.currency === 'HUF') return undefined;
  let rest = gross;
  return Array.from({ length: count }, (_part, index) => {
    const isLast = index === count - 1;
    const part = isLast ? rest : Math.round((gross / count) * (0.7 + random.next() * 0.5));
    rest -= part;
    const partNet = Math.round((part * 1000) / (1000 + rate));
    return copied(bill, {
      invoice_number: `${bill.invoice.invoice_number}${marks[index] ?? ''}`,
      gross_amount: decimal(part),
      net_amount: decimal(partNet),
      tax_amount: decimal(part - partNet),
    });
  });
}

function withoutTaxId(bill: Bill): Bill {
  const { tax_id: _left, ...supplier } = bill.invoice.supplier;
  return copied(bill, { supplier });
}

function ascii(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/ł/g, 'l')
    .replace(/Ł/g, 'L')
    .replace(/ß/g, 'ss');
}

/**
 * Returns the number of another document of the supplier, such as a delivery note. Each call for the same bill returns
 * the same number.
 */
function paperNumber({ bill, supplier }: Entry, random: Random, offset: number): number {
  const days = Math.floor(Date.parse(bill.invoice.issue_date) / 86_400_000);
  return (
    10_000 + (Number(supplier.series.customer) % 7) * 9_000 + (days - 19_500) * 11 + offset + random.integer(0, 10)
  );
}

const deliveryWords: Readonly<Record<string, string>> = {
  DE: 'LS-',
  AT: 'LS',
  CH: 'LS-',
  PL: 'WZ/',
  FR: 'BL ',
  IT: 'DDT ',
  ES: 'ALB-',
  CZ: 'DL',
  SK: 'DL',
  LT: 'VAZ-',
  LV: 'PPR ',
  HU: 'SZL-',
  RO: 'AVIZ ',
  FI: 'LAH-',
  EE: 'SL-',
  SI: 'DOB-',
};

/** Checks whether a supplier in the test data delivers goods with a delivery note. */
function delivers({ supplier: { trade } }: Entry): boolean {
  return trade.orders !== undefined || /dairies|repair|growers|vineyards|tyres|fuel|cold/.test(trade.trade);
}

/** Checks whether the customer may issue the supplier's test bills (self-billing). */
function mayBeSelfBilled({ supplier: { trade } }: Entry): boolean {
  return /carriers|growers|vineyards|agencies|ports|staff/.test(trade.trade);
}

const unrelatedSlips: Readonly<Record<string, Slip>> = {
  'unrelated: order typed as the number': ({ bill }) => numbered(bill, bill.invoice.purchase_order_ref),
  'unrelated: number and order exchanged': ({ bill }) => {
    const { purchase_order_ref: order, invoice_number: number } = bill.invoice;
    return order === undefined || order === number
      ? undefined
      : [copied(bill, { invoice_number: order, purchase_order_ref: number })];
  },
  'unrelated: delivery note typed as the number': (entry, { random }) =>
    !delivers(entry)
      ? undefined
      : numbered(entry.bill, `${deliveryWords[entry.supplier.country] ?? 'DN-'}${paperNumber(entry, random, 3)}`),
  'unrelated: bare delivery note typed as the number': (entry, { random }) =>
    !delivers(entry) ? undefined : numbered(entry.bill, String(paperNumber(entry, random, 700_000))),
  'unrelated: customer number typed as the number': ({ bill, supplier }) => numbered(bill, supplier.series.customer),
  'unrelated: pro forma then bill': (entry, { random }) => {
    const word = random.pick(['PF-', 'PRO ', 'PROFORMA ', 'PP/', 'Pro forma ', 'ZAL-']);
    const year = entry.bill.invoice.issue_date.slice(0, 4);
    return numbered(entry.bill, `${word}${year}/${paperNumber(entry, random, 0) % 3_000}`);
  },
  'unrelated: self-billing number': (entry, { random }) =>
    !mayBeSelfBilled(entry)
      ? undefined
      : numbered(
          entry.bill,
          `${random.pick(['SB-', 'GS-', 'AUTOFACT ', 'SELF-'])}${500_000 + paperNumber(entry, random, 0)}`,
        ),
  'unrelated: billed again under the next number': ({ bill, supplier }, { random, to }) => {
    const date = workday(addDays(bill.invoice.issue_date, random.pick([0, 1, 3, 7, 12, 18])));
    const moved = date > to ? undefined : dated(bill, date);
    return moved && numbered(moved, supplier.series.unused(date));
  },
  'unrelated: subscription billed twice under the next number': ({ bill, supplier, isRecurring }, { random, to }) => {
    const date = workday(addDays(bill.invoice.issue_date, random.integer(0, 2)));
    const moved = !isRecurring || date > to ? undefined : dated(bill, date);
    return moved && numbered(moved, supplier.series.unused(date));
  },
  'unrelated: sent again by a factor': (entry, { random, factor }) =>
    numbered(
      restated(entry.bill, { bank_account: { iban: factor } }),
      `${random.pick(['FCT', 'CF', 'ZES'])}${entry.bill.invoice.issue_date.slice(2, 4)}${800_000 + paperNumber(entry, random, 9)}`,
    ),
  'unrelated: reminder with its own number': (entry, { random, to }) => {
    const date = workday(addDays(entry.bill.invoice.issue_date, entry.supplier.terms + random.integer(5, 20)));
    const moved = date > to ? undefined : dated(entry.bill, date);
    return (
      moved &&
      numbered(moved, `${random.pick(['MAHNUNG ', 'M', 'RAP-', 'SOLL. ', 'UPO '])}${paperNumber(entry, random, 40)}`)
    );
  },
  'unrelated: payment reference typed as the number': (entry, { random }) => {
    const base = `${entry.supplier.series.customer}${paperNumber(entry, random, 0)}`;
    return numbered(
      entry.bill,
      `${base}${[...base].reduce((sum, digit, at) => sum + Number(digit) * [7, 3, 1][at % 3]!, 0) % 10}`,
    );
  },
  'unrelated: consignment note typed as the number': (entry, { random }) =>
    !/carriers|ports/.test(entry.supplier.trade.trade)
      ? undefined
      : numbered(
          entry.bill,
          `CMR ${random.pick(['LT', 'PL', 'EE', 'DE', 'LV'])}${paperNumber(entry, random, 200_000)}`,
        ),
  'unrelated: id of the portal typed as the number': (entry, { random }) => {
    const id = Array.from({ length: 10 }, () => random.pick([...'0123456789ABCDEF'])).join('');
    return numbered(
      entry.bill,
      random.chance(0.5) ? id : String(6_000_000_000 + paperNumber(entry, random, 0) * 4_421),
    );
  },
  'unrelated: period typed as the number': ({ bill }, { random }) => {
    const date = bill.invoice.issue_date;
    return numbered(
      bill,
      random.pick([
        `${date.slice(5, 7)}/${date.slice(0, 4)}`,
        `${date.slice(0, 7)}`,
        `${date.slice(8, 10)}.${date.slice(5, 7)}.${date.slice(0, 4)}`,
      ]),
    );
  },
  'unrelated: statement of account typed as the number': (entry, { random }) => {
    const moved = dated(entry.bill, addDays(entry.bill.invoice.issue_date, random.integer(0, 4)));
    return (
      moved &&
      numbered(
        moved,
        `${random.pick(['SAMMEL-', 'RELEVE-', 'E/C '])}${entry.supplier.series.customer}-${entry.bill.invoice.issue_date.slice(5, 7)}`,
      )
    );
  },
};

export const slips: Readonly<Record<string, Slip>> = { ...relatedSlips, ...unrelatedSlips };

/** Returns the number of days between a test bill and its generated copy. */
export function copyLag(random: Random): number {
  return random.chance(0.6) ? random.integer(0, 14) : random.integer(15, 58);
}
