import { addDays } from '@invoicecontrol/values/calendar-date';
import { amount, billOf, cents, companies } from './bill.js';
import type { Bill } from './bill.js';
import { partyMaker } from './parties.js';
import type { Party } from './parties.js';
import type { Random } from './random.js';

/** How a supplier bills. All but the first are clean bills that look like something else: hard negatives. */
export const habits = [
  'plain',
  'monthly retainer of equal amounts',
  'numbers that restart each month',
  'numbers that restart each year',
  'several bills a day with neighbouring numbers',
  'price list of few amounts',
  'instalments under one number',
  'credit and re-issue',
  'contract number as invoice number',
  'bank account written in two UK forms',
  'two accounts in regular use',
  'new account for every bill at one bank',
  'shared account of a factor',
  'yearly supplier',
  'indexation every January',
  'partial deliveries on one order',
  'equal bills to two companies',
  'new numbering after a change of system',
  'two currencies',
  'same short number at another supplier',
  'group of companies with nearly one name',
  'name written in changing ways',
] as const;

export type Habit = (typeof habits)[number];

export interface Population {
  readonly bills: readonly Bill[];
  /** Suppliers that bill plainly; anomalies and copies are made of their bills. */
  readonly plain: readonly Party[];
}

const FIRST_MONTH = { year: 2024, month: 1 };
const PLAIN_SHARE = 0.55;

/** A clean history of `months` months. */
export function population(random: Random, suppliers: number, months: number): Population {
  const makeParty = partyMaker(random);
  const factor = makeParty('DE').iban;
  const plain: Party[] = [];
  const bills: Bill[] = [];
  for (let index = 0; index < suppliers; index++) {
    const habit = index / suppliers < PLAIN_SHARE ? 'plain' : (habits[1 + (index % (habits.length - 1))] ?? 'plain');
    const party = makeParty(habit === 'bank account written in two UK forms' ? 'GB' : undefined);
    if (habit === 'plain') plain.push(party);
    bills.push(...billsOf(party, habit, { random, months, factor, sister: makeParty(party.country) }));
  }
  return { bills, plain };
}

interface World {
  readonly random: Random;
  readonly months: number;
  readonly factor: string;
  readonly sister: Party;
}

function billsOf(party: Party, habit: Habit, { random, months, factor, sister }: World): Bill[] {
  const hardNegative = habit === 'plain' ? {} : { hardNegative: habit };
  const typical = Math.exp(4.5 + random.next() * 3.5);
  const terms = random.pick([14, 21, 30, 30, 45, 60]);
  const style = numberStyle(random);
  let counter = random.integer(1_000, 60_000);
  const nextNumber = (date: string): string => style((counter += random.integer(1, 11)), date);
  const bill = (date: string, options: Partial<Parameters<typeof billOf>[1]> = {}): Bill =>
    billOf(party, {
      number: options.number ?? nextNumber(date),
      date,
      gross: options.gross ?? amount(random, typical),
      termsDays: terms,
      ...hardNegative,
      ...options,
    });
  const fixed = amount(random, typical);
  const prices = Array.from({ length: 5 }, () => amount(random, typical));
  const bills: Bill[] = [];
  for (let month = 0; month < months; month++) {
    const day = (from = 1, to = 28): string => dateIn(month, random.integer(from, to));
    const { year, monthOfYear } = calendarMonth(month);
    const perMonth = random.integer(1, 3);
    switch (habit) {
      case 'plain':
        for (let n = 0; n < perMonth; n++) bills.push(bill(day(), random.chance(0.3) ? { order: order(random) } : {}));
        break;
      case 'monthly retainer of equal amounts':
        bills.push(bill(dateIn(month, 3), { gross: fixed }));
        break;
      case 'numbers that restart each month':
        for (let n = 1; n <= perMonth; n++) {
          const number = `FV/${n + 11}/${two(monthOfYear)}/${year}`;
          bills.push(bill(day(), { number, gross: random.chance(0.5) ? fixed : amount(random, typical) }));
        }
        break;
      case 'numbers that restart each year':
        bills.push(
          bill(day(), { number: `${String(monthOfYear + 30).padStart(4, '0')}`, gross: amount(random, typical) }),
        );
        break;
      case 'several bills a day with neighbouring numbers': {
        const date = day();
        const gross = random.pick(prices);
        for (let n = 0; n < 3; n++) bills.push(bill(date, { number: `INV-${++counter}`, gross }));
        break;
      }
      case 'price list of few amounts':
        for (let n = 0; n < 3; n++) bills.push(bill(day(), { gross: random.pick(prices) }));
        break;
      case 'instalments under one number':
        if (month % 4 === 0) {
          const number = nextNumber(dateIn(month, 5));
          for (let n = 1; n <= 3; n++)
            bills.push(bill(addDays(dateIn(month, 5), (n - 1) * 30), { number: `${number}/${n}`, gross: fixed }));
        }
        break;
      case 'credit and re-issue': {
        const first = bill(day(1, 15));
        bills.push(first);
        if (random.chance(0.3)) bills.push(...reissued(first, party, nextNumber, terms, hardNegative));
        break;
      }
      case 'contract number as invoice number':
        bills.push(bill(dateIn(month, 1), { number: `V-${party.taxId.slice(-6)}`, gross: fixed }));
        break;
      case 'bank account written in two UK forms': {
        const written = bill(day());
        bills.push(month % 2 === 0 ? written : inUkForm(written));
        break;
      }
      case 'two accounts in regular use':
        bills.push(bill(day(), { iban: month % 2 === 0 ? party.iban : sister.iban }));
        break;
      case 'new account for every bill at one bank':
        bills.push(bill(day(), { iban: virtualAccount(party.iban, month) }));
        break;
      case 'shared account of a factor':
        bills.push(bill(day(), { iban: factor }));
        break;
      case 'yearly supplier':
        if (monthOfYear === 4) bills.push(bill(dateIn(month, 12)));
        break;
      case 'indexation every January':
        bills.push(bill(dateIn(month, 2), { gross: indexed(fixed, year) }));
        break;
      case 'partial deliveries on one order':
        bills.push(bill(day(), { gross: random.pick(prices), order: `PO-${party.taxId.slice(-5)}-${year}` }));
        break;
      case 'equal bills to two companies': {
        const date = day();
        bills.push(
          bill(date, { gross: fixed }),
          bill(date, { gross: fixed, companyId: companies.second, number: `S${nextNumber(date)}` }),
        );
        break;
      }
      case 'new numbering after a change of system':
        bills.push(bill(day(), month < months / 2 ? {} : { number: `N${year}-${String(++counter)}` }));
        break;
      case 'two currencies':
        bills.push(bill(day(), { currency: month % 2 === 0 ? party.currency : 'USD' }));
        break;
      case 'same short number at another supplier': {
        const number = String(100 + month);
        bills.push(
          bill(day(), { number }),
          billOf(sister, { number, date: day(), gross: amount(random, typical), ...hardNegative }),
        );
        break;
      }
      case 'group of companies with nearly one name':
        bills.push(
          bill(day()),
          billOf(sister, {
            number: nextNumber(day()),
            date: day(),
            gross: amount(random, typical),
            name: groupName(party.name),
            ...hardNegative,
          }),
        );
        break;
      case 'name written in changing ways':
        bills.push(bill(day(), { name: month % 2 === 0 ? party.name : party.name.toUpperCase().replaceAll('.', '') }));
        break;
    }
  }
  return bills;
}

/** Many ways in which suppliers number their bills; a supplier keeps one. */
function numberStyle(random: Random): (counter: number, date: string) => string {
  const styles: readonly ((counter: number, date: string) => string)[] = [
    (counter) => `INV-${String(counter).padStart(6, '0')}`,
    (counter, date) => `RE${date.slice(0, 4)}${String(counter).padStart(5, '0')}`,
    (counter) => String(counter),
    (counter, date) => `${date.slice(0, 4)}/${counter}`,
    (counter, date) => `F${date.slice(2, 4)}/${String(counter).padStart(5, '0')}`,
    (counter) => `${counter}-${String.fromCharCode(65 + (counter % 26))}`,
    (counter, date) => `FV/${counter}/${date.slice(5, 7)}/${date.slice(0, 4)}`,
  ];
  return random.pick(styles);
}

function reissued(
  first: Bill,
  party: Party,
  nextNumber: (date: string) => string,
  termsDays: number,
  hardNegative: object,
): Bill[] {
  const { gross_amount: gross, invoice_number: number, issue_date: date } = first.invoice;
  const creditDate = addDays(date, 4);
  const credit = billOf(party, {
    number: `CN-${number}`,
    date: creditDate,
    gross: `-${gross}`,
    termsDays,
    ...hardNegative,
  });
  const again = billOf(party, {
    number: nextNumber(creditDate),
    date: addDays(date, 5),
    gross,
    termsDays,
    ...hardNegative,
  });
  return [credit, again];
}

/** The same account as sort code and account number. */
export function inUkForm(bill: Bill): Bill {
  const iban = bill.invoice.supplier.bank_account?.iban ?? '';
  const account = { sort_code: iban.slice(8, 14), account_number: iban.slice(14) };
  return { ...bill, invoice: { ...bill.invoice, supplier: { ...bill.invoice.supplier, bank_account: account } } };
}

/** Another account of the same bank and customer: the last digits differ, the check digits follow. */
function virtualAccount(iban: string, index: number): string {
  const body = `${iban.slice(4, -4)}${String(1_000 + index * 7)}`;
  const numeric = `${body}${iban.slice(0, 2)}00`.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const check = 98n - (BigInt(numeric) % 97n);
  return `${iban.slice(0, 2)}${String(check).padStart(2, '0')}${body}`;
}

function groupName(name: string): string {
  const [first = '', ...rest] = name.split(' ');
  return [first, 'Immobilien', ...rest.slice(2)].join(' ');
}

function indexed(amount: string, year: number): string {
  return cents(Math.round(Number(amount) * 100 * 1.04 ** (year - FIRST_MONTH.year)));
}

function order(random: Random): string {
  return `45${random.integer(10_000_000, 99_999_999)}`;
}

function calendarMonth(month: number): { year: number; monthOfYear: number } {
  return { year: FIRST_MONTH.year + Math.floor(month / 12), monthOfYear: (month % 12) + 1 };
}

function dateIn(month: number, day: number): string {
  const { year, monthOfYear } = calendarMonth(month);
  return `${year}-${two(monthOfYear)}-${two(day)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
