// Contains the building blocks of the histories in this folder: suppliers, ways of numbering, billing rhythms, amounts,
// and a book that collects drafts of test bills.
import type { CanonicalBankAccount } from '@invoicecontrol/invoice/canonical-invoice';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { cents, companies } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import { digits, ibanIn, taxIdIn } from './registers.js';
import type { Land } from './registers.js';

export interface Trader {
  readonly name: string;
  readonly land: Land;
  readonly taxId?: string;
  readonly account?: CanonicalBankAccount;
  readonly currency: string;
  /** VAT rate of the supplier in tenths of a percent; 0 if no tax is charged. */
  readonly vat: number;
  readonly terms: number;
  /** Number under which the supplier lists the customer. */
  readonly customerNumber: string;
}

/** A bill of the history with amounts in cents, before its invoice is created. */
export interface Draft {
  readonly trader: Trader;
  readonly name: string;
  readonly taxId?: string | undefined;
  readonly account?: CanonicalBankAccount | undefined;
  readonly number: string;
  readonly date: string;
  readonly due: string;
  readonly currency: string;
  readonly net: number;
  readonly tax: number;
  readonly gross: number;
  readonly order?: string | undefined;
  readonly companyId: string;
  readonly arrival: string;
  readonly claim: string;
  /** True if correct bills of the supplier repeat this amount. */
  readonly recurs: boolean;
  readonly mutation?: string;
  readonly hardNegative?: string;
  readonly anomaly?: { readonly name: string; readonly expected: readonly string[] };
}

export type NumberHabit = (date: string) => string;

export interface Stream {
  readonly trader: Trader;
  readonly dates: readonly string[];
  readonly number: NumberHabit;
  readonly net: (date: string) => number;
  readonly order?: () => string | undefined;
  readonly recurs?: boolean;
  readonly hardNegative?: string;
  /** Share of the bills that the supplier sends again, with its next number. */
  readonly billedAgain?: number;
  readonly companyId?: string;
}

export function openBook(random: Random, prefix: string) {
  const drafts: Draft[] = [];
  let claims = 0;

  function draft(
    trader: Trader,
    options: {
      readonly number: string;
      readonly date: string;
      readonly net: number;
      readonly tax?: number;
      readonly order?: string | undefined;
      readonly recurs?: boolean;
      readonly hardNegative?: string;
      readonly companyId?: string;
      readonly arrival?: string;
    },
  ): Draft {
    const { number, date, net, order, recurs = false, hardNegative } = options;
    const tax = options.tax ?? Math.round((net * trader.vat) / 1000);
    return {
      trader,
      name: trader.name,
      taxId: trader.taxId,
      account: trader.account,
      number,
      date,
      due: addDays(date, trader.terms),
      currency: trader.currency,
      net,
      tax,
      gross: net + tax,
      order,
      // A contract or a price list of a supplier belongs to one company of the customer.
      companyId:
        options.companyId ??
        ((recurs || hardNegative !== undefined ? trader.customerNumber.endsWith('7') : random.chance(0.12))
          ? companies.second
          : companies.main),
      arrival: options.arrival ?? addDays(date, random.pick([0, 1, 1, 2, 2, 3, 4, 6])),
      claim: `${prefix}-${++claims}`,
      recurs,
      ...(hardNegative === undefined ? {} : { hardNegative }),
    };
  }

  return {
    drafts,
    /** Adds a correct test bill to the generated supplier history. */
    add(trader: Trader, options: Parameters<typeof draft>[1]): Draft {
      const added = draft(trader, options);
      drafts.push(added);
      return added;
    },
    /**
     * Adds the test bills of one supplier to the history. The supplier sends some of the bills a second time, some
     * weeks later, under its next number.
     */
    stream(stream: Stream): void {
      const again: { date: string; of: Draft }[] = [];
      const used = new Set<string>();
      for (const date of [...stream.dates].sort()) {
        for (const repeat of again.filter((entry) => entry.date <= date)) {
          again.splice(again.indexOf(repeat), 1);
          drafts.push({
            ...repeat.of,
            number: stream.number(repeat.date),
            date: repeat.date,
            due: addDays(repeat.date, stream.trader.terms),
            arrival:
              [addDays(repeat.date, random.integer(0, 3)), addDays(repeat.of.arrival, 1)].sort()[1] ?? repeat.date,
            mutation: 'unrelated: billed again under the next number',
          });
        }
        let net = stream.net(date);
        // Amounts that do not recur differ from each other, so that no two correct bills look like the same claim by
        // accident.
        while (stream.recurs !== true && used.has(`${net}`)) net += random.integer(1, 97);
        used.add(`${net}`);
        const number = stream.number(date);
        // The generated bill gets another price if the supplier has already used this invoice number with this price,
        // for example in the year before.
        for (let tries = 0; tries < 5 && used.has(`${number}|${net}`); tries += 1) net = stream.net(date);
        used.add(`${number}|${net}`);
        const added = draft(stream.trader, {
          number,
          date,
          net,
          order: stream.order?.(),
          recurs: stream.recurs ?? false,
          ...(stream.hardNegative === undefined ? {} : { hardNegative: stream.hardNegative }),
          ...(stream.companyId === undefined ? {} : { companyId: stream.companyId }),
        });
        drafts.push(added);
        if (stream.billedAgain !== undefined && used.size > 12 && random.chance(stream.billedAgain)) {
          again.push({ date: workday(addDays(date, random.pick([1, 2, 4, 7, 9, 14, 18, 25, 31, 40]))), of: added });
        }
      }
    },
    /** Replaces a test bill of the generated supplier history by a changed bill. */
    replace(old: Draft, changed: Draft): void {
      drafts[drafts.indexOf(old)] = changed;
    },
  };
}

export type Book = ReturnType<typeof openBook>;

/**
 * Returns the bills of a generated supplier history. Correct bills of one supplier that have the same price and are at
 * most five days apart are labelled as hard negatives.
 */
export function billsOf({ drafts }: Book): Bill[] {
  const dates = new Map<string, string[]>();
  const priceOf = ({ name, gross }: Draft): string => `${name}|${gross}`;
  const clean = drafts.filter(({ mutation, anomaly }) => mutation === undefined && anomaly === undefined);
  for (const draft of clean) dates.set(priceOf(draft), [...(dates.get(priceOf(draft)) ?? []), draft.date]);
  return drafts.map((draft) => {
    const near = (dates.get(priceOf(draft)) ?? []).filter(
      (date) => Math.abs(Date.parse(date) - Date.parse(draft.date)) <= 5 * 86_400_000,
    );
    const isLabelled = draft.mutation !== undefined || draft.anomaly !== undefined || draft.hardNegative !== undefined;
    return toBill(
      isLabelled || near.length < 2 ? draft : { ...draft, hardNegative: 'a price of the list again within days' },
    );
  });
}

function toBill(draft: Draft): Bill {
  const { mutation, hardNegative, anomaly } = draft;
  return {
    invoice: {
      supplier: {
        name: draft.name,
        ...(draft.taxId === undefined ? {} : { tax_id: draft.taxId }),
        ...(draft.account === undefined ? {} : { bank_account: draft.account }),
      },
      invoice_number: draft.number,
      issue_date: draft.date,
      due_date: draft.due,
      currency: draft.currency,
      net_amount: signedCents(draft.net),
      tax_amount: signedCents(draft.tax),
      gross_amount: signedCents(draft.gross),
      ...(draft.order === undefined ? {} : { purchase_order_ref: draft.order }),
    },
    arrival: draft.arrival,
    companyId: draft.companyId,
    claim: draft.claim,
    ...(mutation === undefined ? {} : { mutation }),
    ...(hardNegative === undefined || mutation !== undefined ? {} : { hardNegative }),
    ...(anomaly === undefined ? {} : { anomaly }),
  };
}

function signedCents(value: number): string {
  return value < 0 ? `-${cents(-value)}` : cents(value);
}

export interface TraderOptions {
  readonly vat: number;
  readonly currency?: string;
  readonly terms?: number;
  readonly taxIdShare?: number;
  readonly account?: 'iban' | 'uk' | 'none';
}

const CURRENCY: Record<Land, string> = {
  DE: 'EUR',
  AT: 'EUR',
  CH: 'CHF',
  CZ: 'CZK',
  IT: 'EUR',
  PL: 'PLN',
  GB: 'GBP',
  IE: 'EUR',
};

export function traderOf(random: Random, land: Land, name: string, options: TraderOptions): Trader {
  const iban = ibanIn(land, random);
  const account =
    options.account === 'none'
      ? undefined
      : options.account === 'uk'
        ? { sort_code: iban.slice(8, 14), account_number: iban.slice(14) }
        : { iban };
  return {
    name,
    land,
    ...(random.chance(options.taxIdShare ?? 0.93) ? { taxId: taxIdIn(land, random) } : {}),
    ...(account === undefined ? {} : { account }),
    currency: options.currency ?? CURRENCY[land],
    vat: options.vat,
    terms: options.terms ?? random.pick([14, 14, 30, 30, 30, 45]),
    customerNumber: random.pick([
      digits(random, 5),
      `K${digits(random, 6)}`,
      digits(random, 7),
      `10${digits(random, 4)}`,
    ]),
  };
}

// Rhythms

export function workday(date: string): string {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return day === 0 ? addDays(date, 1) : day === 6 ? addDays(date, 2) : date;
}

/** Returns irregular issue days of test bills with an average interval of `meanDays`. */
export function irregular(random: Random, from: string, to: string, meanDays: number): string[] {
  const dates: string[] = [];
  let date = addDays(from, random.integer(0, Math.ceil(meanDays * 2)));
  while (date < to) {
    dates.push(workday(date));
    date = addDays(date, Math.max(meanDays < 2 ? 0 : 1, Math.round(-Math.log(1 - random.next()) * meanDays)));
  }
  return dates.filter((each) => each < to);
}

/**
 * Returns issue days of test bills with the given number of months between two bills, each near the same day of the
 * month.
 */
export function everyMonths(
  random: Random,
  from: string,
  to: string,
  options: { months?: number; day?: number; jitter?: number } = {},
): string[] {
  const { months = 1, day = random.integer(1, 26), jitter = 0 } = options;
  const dates: string[] = [];
  let year = Number(from.slice(0, 4));
  let month = Number(from.slice(5, 7)) + random.integer(0, months - 1);
  for (;;) {
    year += Math.floor((month - 1) / 12);
    month = ((month - 1) % 12) + 1;
    const date = addDays(`${year}-${two(month)}-${two(day)}`, random.integer(0, jitter));
    if (date >= to) return dates;
    if (date >= from) dates.push(jitter === 0 ? date : workday(date));
    month += months;
  }
}

export function everyDays(from: string, to: string, days: number): string[] {
  const dates: string[] = [];
  for (let date = from; date < to; date = addDays(date, days)) dates.push(date);
  return dates;
}

// Numbers

export function two(value: number): string {
  return String(value).padStart(2, '0');
}

export function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

const yearOf = (date: string): string => date.slice(0, 4);
const monthOf = (date: string): string => date.slice(5, 7);

/**
 * Returns by how much the invoice counter of a supplier has grown since the customer's last bill. The counter also
 * counts the supplier's bills to other customers.
 */
function steps(random: Random, last: string | undefined, date: string, perDay: number): number {
  if (last === undefined) return 1;
  const gap = Math.max(0, (Date.parse(date) - Date.parse(last)) / 86_400_000);
  return Math.max(1, Math.round(gap * perDay * (0.6 + 0.8 * random.next())) || 1);
}

/** Returns numbers for test bills with one continuous counter. */
export function running(
  random: Random,
  start: number,
  perDay: number,
  format: (n: number, date: string) => string,
): NumberHabit {
  let n = start;
  let last: string | undefined;
  return (date) => {
    n += steps(random, last, date, perDay);
    last = date;
    return format(n, date);
  };
}

/**
 * Returns invoice numbers whose counter restarts each period, given by the first `letters` of the date (4: year, 7:
 * month, 10: day).
 */
export function restarting(
  random: Random,
  perDay: number,
  letters: 4 | 7 | 10,
  format: (n: number, date: string) => string,
): NumberHabit {
  let n = 0;
  let last: string | undefined;
  return (date) => {
    const isNew = last === undefined || last.slice(0, letters) !== date.slice(0, letters);
    const start = letters === 4 ? `${yearOf(date)}-01-01` : letters === 7 ? `${date.slice(0, 7)}-01` : date;
    n = isNew
      ? Math.max(
          1,
          Math.round(((Date.parse(date) - Date.parse(start)) / 86_400_000) * perDay * (0.8 + 0.4 * random.next())),
        )
      : n + steps(random, last, date, perDay);
    last = date;
    return format(n, date);
  };
}

/** Returns numbers for the test bills of a supplier. A habit of numbering is chosen at random for each bill. */
function seriesOf(random: Random, habits: readonly NumberHabit[]): NumberHabit {
  return (date) => random.pick(habits)(date);
}

/** Returns at random one of the ways in which small suppliers number their test bills. */
export function someHabit(random: Random, style: 'de' | 'pl' | 'uk' | 'it' | 'cz'): NumberHabit {
  const perDay = random.pick([0.15, 0.4, 1, 2.5, 6]);
  const start = random.integer(300, 98_000);
  const letters = random.pick(['RE', 'R', 'AR', 'RG', 'B', 'VR', 'KB', 'TH', 'AB', 'YU', 'MD', 'SW']);
  const customer = digits(random, 5);
  const habits: Record<typeof style, readonly (() => NumberHabit)[]> = {
    de: [
      () => running(random, start, perDay, (n) => `${letters}-${n}`),
      () => running(random, start, perDay, (n) => `${letters}${pad(n, 7)}`),
      () => running(random, 10 * start, perDay, (n) => String(n)),
      () => restarting(random, perDay, 4, (n, d) => `${yearOf(d)}-${pad(n, 5)}`),
      () => restarting(random, perDay, 4, (n, d) => `${letters} ${yearOf(d).slice(2)}/${pad(n, 4)}`),
      () => restarting(random, perDay, 4, (n, d) => `${letters}-${yearOf(d)}-${pad(n, 4)}`),
      () => restarting(random, perDay, 10, (n, d) => `${d.replaceAll('-', '')}-${two(n)}`),
      () => running(random, random.integer(10, 300), perDay / 8, (n) => `${customer}-${pad(n, 4)}`),
      () =>
        seriesOf(random, [
          running(random, start, perDay, (n) => `A${n}`),
          running(random, 3 * start, perDay, (n) => `W${n}`),
        ]),
      () => restarting(random, perDay, 7, (n, d) => `${yearOf(d)}${monthOf(d)}${pad(n, 3)}`),
      () => running(random, start, perDay, (n) => `9${digits(random, 1)}${pad(n, 6)}${n % 9}`),
      () => restarting(random, perDay, 4, (n) => `${letters} ${pad(n + 1000, 5)}`),
    ],
    pl: [
      () => restarting(random, perDay, 7, (n, d) => `FV/${n}/${monthOf(d)}/${yearOf(d)}`),
      () => restarting(random, perDay, 7, (n, d) => `${n}/${monthOf(d)}/${yearOf(d)}`),
      () => restarting(random, perDay, 4, (n, d) => `FV ${n}/${yearOf(d)}`),
      () => restarting(random, perDay, 4, (n, d) => `FS-${n}/${yearOf(d).slice(2)}/MAG1`),
      () => restarting(random, perDay, 7, (n, d) => `F/${pad(n, 6)}/${yearOf(d).slice(2)}/${monthOf(d)}`),
      () => restarting(random, perDay, 10, (n, d) => `${d.slice(8)}/${monthOf(d)}/${yearOf(d)}/${n}`),
      () => running(random, start, perDay, (n) => `FVS/${n}`),
      () => running(random, 100_000 + start, perDay, (n) => `F${n}`),
      () => running(random, 10_000_000 + start, perDay, (n) => `${n}`),
      () =>
        seriesOf(random, [
          restarting(random, perDay, 4, (n, d) => `WAW/${n}/${yearOf(d)}`),
          restarting(random, perDay, 4, (n, d) => `KRK/${n}/${yearOf(d)}`),
        ]),
      () => restarting(random, perDay, 4, (n) => `${n}`),
      () => restarting(random, perDay, 4, (n, d) => `${yearOf(d)}/${pad(n, 5)}/FA`),
    ],
    uk: [
      () => running(random, start, perDay, (n) => `INV-${pad(n, 5)}`),
      () => running(random, start, perDay, (n) => `SI${pad(n, 6)}`),
      () => running(random, start, perDay, (n) => `${n}`),
      () => running(random, start, perDay, (n) => `${letters}-${n}`),
      () => restarting(random, perDay, 4, (n, d) => `${yearOf(d).slice(2)}-${pad(n, 4)}`),
      () => running(random, 100, perDay / 8, (n) => `${letters}${customer}/${n}`),
      () => restarting(random, perDay, 10, (n, d) => `${d.slice(8)}${monthOf(d)}${yearOf(d).slice(2)}/${n}`),
      () => restarting(random, perDay, 7, (n, d) => `${yearOf(d)}${monthOf(d)}-${pad(n, 3)}`),
      () => running(random, 1_000_000 + start, perDay, (n) => `${n}`),
      () => running(random, start, perDay, (n, d) => `${letters}/${yearOf(d).slice(2)}/${n}`),
      () =>
        seriesOf(random, [
          running(random, start, perDay, (n) => `LDN${n}`),
          running(random, 2 * start, perDay, (n) => `MAN${n}`),
        ]),
      () => () => `${letters}${random.integer(2, 9)}${random.pick(['K', 'X', 'Q', 'T'])}-${digits(random, 5)}`,
    ],
    it: [
      () => restarting(random, perDay, 4, (n, d) => `${n}/${yearOf(d)}`),
      () => restarting(random, perDay, 4, (n, d) => `FT ${n}/A/${yearOf(d).slice(2)}`),
      () => restarting(random, perDay, 4, (n, d) => `FPR ${n}/${yearOf(d).slice(2)}`),
      () => restarting(random, perDay, 4, (n, d) => `${yearOf(d)}/${pad(n, 4)}/E`),
    ],
    cz: [
      () => restarting(random, perDay, 4, (n, d) => `${yearOf(d)}${pad(n, 5)}`),
      () => restarting(random, perDay, 4, (n, d) => `FV${yearOf(d).slice(2)}${pad(n, 5)}`),
      () => restarting(random, perDay, 4, (n, d) => `11${yearOf(d).slice(2)}${pad(n, 4)}`),
      () => running(random, 240_000 + start, perDay, (n) => `${n}`),
    ],
  };
  return random.pick(habits[style])();
}

// Returns a function that returns random bill amounts in cents around a typical amount.

export function odd(random: Random, typical: number, spread = 0.7): () => number {
  return () => {
    const lean = Math.exp((random.next() + random.next() + random.next() - 1.5) * spread);
    return Math.max(900, Math.round(typical * 100 * lean));
  };
}

/** Returns amounts of test bills for varying quantities of a few articles. */
export function priceList(random: Random, prices: readonly number[], quantities: readonly number[]): () => number {
  return () => Math.round(random.pick(prices) * 100) * random.pick(quantities);
}

/** Returns a fixed amount of test bills that is raised every January. */
export function fixed(amount: number, yearly = 0): (date: string) => number {
  const first = 2024;
  return (date) => Math.round(amount * 100 * (1 + yearly) ** (Number(yearOf(date)) - first));
}

export function hours(random: Random, rate: number, least: number, most: number): () => number {
  return () => Math.round((random.integer(least * 4, most * 4) / 4) * rate * 100);
}

export function seasonal(random: Random, typical: number): (date: string) => number {
  return (date) => {
    const month = Number(monthOf(date));
    const winter = 1 + 0.5 * Math.cos(((month - 1) / 12) * 2 * Math.PI);
    return Math.round(typical * 100 * winter * (0.85 + 0.3 * random.next()));
  };
}

// Returns purchase order numbers, for which the whole company of the customer uses one series.

export function orderDesk(random: Random, format: (n: number) => string, start: number) {
  let n = start;
  const next = (): string => format((n += random.integer(1, 7)));
  return {
    next,
    /** Returns a new purchase order number for each test bill, and sometimes none. */
    each:
      (share = 1) =>
      () =>
        random.chance(share) ? next() : undefined,
    /** Returns one purchase order number for the given number of test bills, and then a new number. */
    blanket(bills: number): () => string {
      let current = next();
      let left = bills;
      return () => {
        if (left === 0) {
          current = next();
          left = bills;
        }
        left -= 1;
        return current;
      };
    },
  };
}

export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items];
  const result: T[] = [];
  while (rest.length > 0) result.push(...rest.splice(random.integer(0, rest.length - 1), 1));
  return result;
}
