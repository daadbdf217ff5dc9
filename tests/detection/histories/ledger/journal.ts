import { addDays } from '@invoicecontrol/values/calendar-date';
import { cents, withInvoice } from '../../bill.js';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import type { Numbering, Series } from './numbers.js';
import { seriesOf } from './numbers.js';
import { accountOf, legalName, standardRate, taxIdOf } from './supplier.js';

export interface OwnCompany {
  readonly companyId: string;
  readonly name: string;
  readonly taxId: string;
  readonly country: string;
}

export type Rhythm =
  | { readonly kind: 'monthly' | 'quarterly' | 'yearly' | 'weekly' | 'fortnightly' }
  | { readonly kind: 'irregular'; readonly perYear: readonly [number, number] }
  | { readonly kind: 'seasonal'; readonly months: readonly number[]; readonly perMonth: readonly [number, number] };

/**
 * Pricing schemes of the suppliers in the test data. A scheme determines the net amounts of a supplier's bills in
 * cents.
 */
export type Pricing =
  | { readonly kind: 'odd'; readonly typical: readonly [number, number] }
  | { readonly kind: 'fixed'; readonly between: readonly [number, number]; readonly rise?: readonly [number, number] }
  | { readonly kind: 'metered'; readonly between: readonly [number, number]; readonly spread: number }
  | { readonly kind: 'list'; readonly prices: readonly number[]; readonly quantity: readonly [number, number] }
  | { readonly kind: 'hours'; readonly rate: readonly [number, number]; readonly hours: readonly [number, number] };

export interface Trade {
  readonly trade: string;
  readonly suppliers: number;
  readonly countries: readonly string[];
  /**
   * Words for the trade of a supplier that are part of the supplier's name. They are listed by country, or for all
   * countries (`any`).
   */
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly rhythm: Rhythm;
  readonly pricing: Pricing;
  readonly numbering: readonly Numbering[];
  readonly orders?: 'always' | 'often' | 'blanket';
  /** Tax rates of the trade that differ from the standard rate, in tenths of a percent. */
  readonly rates?: Readonly<Record<string, number>>;
  /**
   * True if the supply is taxed where it takes place (fuel, tolls, hotels), although the buyer is in another country.
   */
  readonly isLocal?: boolean;
  readonly terms?: readonly number[];
  /** Label for all bills of the trade if they are correct but look like copies. */
  readonly hardNegative?: string;
  /** Minimum and maximum number of bills of the supplier on one day. */
  readonly perDay?: readonly [number, number];
}

export interface Supplier {
  readonly trade: Trade;
  readonly country: string;
  readonly core: string;
  readonly name: string;
  readonly taxId: string | undefined;
  readonly iban: string | undefined;
  readonly currency: string;
  readonly terms: number;
  readonly company: OwnCompany;
  readonly series: Series;
  readonly namesBuyer: boolean;
  readonly chargesTax: boolean;
  readonly blanket: readonly string[];
  /** Returns the net amount, in cents, for a test bill of the supplier that is issued on a day. */
  readonly price: (date: string) => number;
}

/** A generated bill with the data from which it was created. */
export interface Entry {
  bill: Bill;
  readonly supplier: Supplier;
  /** Tax rate of the bill in tenths of a percent. */
  readonly rate: number;
  readonly isRecurring: boolean;
}

export interface World {
  readonly random: Random;
  /** Factor for the number of bills from suppliers that bill without a fixed rhythm. */
  readonly pace: number;
  readonly from: string;
  readonly to: string;
  readonly companies: readonly OwnCompany[];
  readonly cores: Readonly<Record<string, readonly string[]>>;
  readonly currencies: Readonly<Record<string, string>>;
  /** Number of units of each currency per euro, from which price lists are converted. */
  readonly scale: Readonly<Record<string, number>>;
  /** Returns a purchase order number of the buyer for a test bill that is issued on a day. */
  readonly order: (date: string) => string;
  readonly claim: () => string;
}

export interface Written {
  readonly net?: number;
  readonly number?: string;
  readonly order?: string | null;
  readonly hardNegative?: string;
  readonly company?: OwnCompany;
  readonly lag?: number;
}

/** Creates the test bill that a supplier issues on a day. */
export function write(world: World, supplier: Supplier, date: string, written: Written = {}): Entry {
  const { random } = world;
  const company = written.company ?? supplier.company;
  const net = written.net ?? supplier.price(date);
  const isTaxed = supplier.chargesTax && (supplier.country === company.country || supplier.trade.isLocal === true);
  const rate = isTaxed ? (supplier.trade.rates?.[supplier.country] ?? standardRate(supplier.country, date)) : 0;
  const order = written.order === undefined ? orderOf(world, supplier, date) : (written.order ?? undefined);
  const hardNegative = written.hardNegative ?? supplier.trade.hardNegative;
  const number = written.number ?? supplier.series.next(date);
  const bill: Bill = {
    invoice: {
      supplier: {
        name: supplier.name,
        ...(supplier.taxId === undefined ? {} : { tax_id: supplier.taxId }),
        ...(supplier.iban === undefined ? {} : { bank_account: { iban: supplier.iban } }),
      },
      invoice_number: number,
      issue_date: date,
      due_date: addDays(date, supplier.terms),
      currency: supplier.currency,
      ...amounts(net, rate, supplier.currency),
      ...(order === undefined ? {} : { purchase_order_ref: order }),
      ...(supplier.namesBuyer ? { buyer: { name: company.name, tax_id: company.taxId } } : {}),
    },
    arrival: addDays(date, written.lag ?? lagOf(random)),
    companyId: company.companyId,
    claim: world.claim(),
    ...(hardNegative === undefined ? {} : { hardNegative }),
  };
  return { bill, supplier, rate, isRecurring: supplier.trade.pricing.kind === 'fixed' };
}

function lagOf(random: Random): number {
  const draw = random.next();
  if (draw < 0.25) return random.integer(0, 1);
  return draw < 0.95 ? random.integer(1, 7) : random.integer(8, 24);
}

function orderOf(world: World, supplier: Supplier, date: string): string | undefined {
  const { random } = world;
  switch (supplier.trade.orders) {
    case 'always':
      return world.order(date);
    case 'often':
      return random.chance(0.6) ? world.order(date) : undefined;
    case 'blanket':
      return supplier.blanket[Number(date.slice(0, 4)) % supplier.blanket.length];
    case undefined:
    default:
      return undefined;
  }
}

/** Returns the net, tax and gross amount of a test bill as decimals. The forint has no cents. */
export function amounts(
  net: number,
  rate: number,
  currency: string,
): { readonly net_amount: string; readonly tax_amount: string; readonly gross_amount: string } {
  const unit = currency === 'HUF' ? 100 : 1;
  const whole = Math.round(net / unit) * unit;
  const tax = Math.round((whole * rate) / 1000 / unit) * unit;
  return { net_amount: decimal(whole), tax_amount: decimal(tax), gross_amount: decimal(whole + tax) };
}

/** Formats an amount in cents as a decimal, which may be negative. */
export function decimal(value: number): string {
  return value < 0 ? `-${cents(-value)}` : cents(value);
}

export function centsOf(amount: string): number {
  return Math.round(Number(amount) * 100);
}

function between(random: Random, [least, most]: readonly [number, number]): number {
  return least + random.next() * (most - least);
}

function priceOf(pricing: Pricing, random: Random, scale: number, from: string): (date: string) => number {
  switch (pricing.kind) {
    case 'odd': {
      const typical = between(random, pricing.typical) * scale;
      return () => {
        const spread = (random.next() + random.next() + random.next() - 1.5) * 0.75;
        return Math.max(900, Math.round(typical * 100 * Math.exp(spread)));
      };
    }
    case 'fixed': {
      const price = between(random, pricing.between) * scale;
      const first = random.chance(0.5) ? Math.round(price) * 100 : Math.round(price * 100);
      const rise = 1 + between(random, pricing.rise ?? [0.01, 0.045]);
      const month = random.pick(['01', '01', '04', '07']);
      return (date) => {
        let years = Number(date.slice(0, 4)) - Number(from.slice(0, 4));
        if (date.slice(5, 7) < month) years--;
        return Math.round(first * rise ** Math.max(0, years));
      };
    }
    case 'metered': {
      const base = between(random, pricing.between) * scale;
      return () => Math.round(base * 100 * (1 + (random.next() - 0.5) * 2 * pricing.spread));
    }
    case 'list': {
      const own = pricing.prices.filter(() => random.chance(0.7)).map((price) => price * scale);
      const prices = own.length === 0 ? pricing.prices.map((price) => price * scale) : own;
      const rise = 1 + random.next() * 0.05;
      return (date) => {
        const years = Number(date.slice(0, 4)) - Number(from.slice(0, 4));
        const price = random.pick(prices) * rise ** years;
        const unit = price < 10 ? Math.round(price * 10_000) / 10_000 : Math.round(price * 100) / 100;
        return Math.round(unit * 100 * random.integer(...pricing.quantity));
      };
    }
    case 'hours': {
      const rate = Math.round(between(random, pricing.rate) * scale) * 100;
      return (date) =>
        Math.round(
          (rate *
            (1 + 0.03 * (Number(date.slice(0, 4)) - Number(from.slice(0, 4)))) *
            random.integer(pricing.hours[0] * 4, pricing.hours[1] * 4)) /
            4,
        );
    }
  }
}

/** Returns the days on which a supplier with the given billing rhythm sends test bills. */
function daysOf(world: World, rhythm: Rhythm): string[] {
  const { random, to } = world;
  const startsLate = random.chance(0.18);
  let day = addDays(world.from, startsLate ? random.integer(60, 400) : random.integer(0, 25));
  const end = random.chance(0.08) ? addDays(to, -random.integer(60, 300)) : to;
  const days: string[] = [];
  if (rhythm.kind === 'monthly' || rhythm.kind === 'quarterly' || rhythm.kind === 'yearly') {
    const every = { monthly: 1, quarterly: 3, yearly: 12 }[rhythm.kind];
    const isLast = random.chance(0.3);
    const dayOfMonth = random.integer(1, 27);
    let month = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
    for (; ; month += every) {
      const first = `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
      const date = isLast
        ? addDays(firstOfNext(first), -1)
        : addDays(first, dayOfMonth - 1 + random.pick([0, 0, 0, 1]));
      if (date > end) return days;
      days.push(isLast ? date : workday(date));
    }
  }
  if (rhythm.kind === 'weekly' || rhythm.kind === 'fortnightly') {
    for (; day <= end; day = addDays(day, rhythm.kind === 'weekly' ? 7 : 14)) days.push(workday(day));
    return days;
  }
  if (rhythm.kind === 'irregular') {
    const perYear = between(random, rhythm.perYear) * world.pace;
    for (;;) {
      day = addDays(day, Math.max(1, Math.round(-Math.log(1 - random.next()) * (365 / perYear))));
      if (day > end) return days;
      days.push(random.chance(0.92) ? workday(day) : day);
    }
  }
  if (rhythm.kind !== 'seasonal') return days;
  for (let first = `${world.from.slice(0, 7)}-01`; first <= end; first = firstOfNext(first)) {
    if (!rhythm.months.includes(Number(first.slice(5, 7)))) continue;
    const count = Math.max(1, Math.round(random.integer(...rhythm.perMonth) * world.pace));
    for (let index = 0; index < count; index++) days.push(workday(addDays(first, random.integer(0, 27))));
  }
  return days.filter((date) => date >= world.from && date <= end).sort();
}

function firstOfNext(first: string): string {
  return `${addDays(first, 32).slice(0, 7)}-01`;
}

/** Returns the issue day of a generated bill: the same day, or the Monday after a weekend. */
export function workday(date: string): string {
  const weekday = new Date(Date.parse(date)).getUTCDay();
  if (weekday === 6) return addDays(date, 2);
  return weekday === 0 ? addDays(date, 1) : date;
}

/**
 * An incident in a test history: on one day, the supplier sends particular bills instead of one plain bill. Bills that
 * follow on later days are added to the supplier's calendar.
 */
export interface Episode {
  readonly name: string;
  readonly share: number;
  readonly fits?: (supplier: Supplier) => boolean;
  readonly play: (scene: Scene) => Entry[];
}

export interface Scene {
  readonly world: World;
  readonly supplier: Supplier;
  readonly date: string;
  readonly earlier: readonly Entry[];
  readonly later: (date: string, play: () => Entry[]) => void;
}

export interface Casting {
  readonly supplier: Supplier;
  readonly entries: readonly Entry[];
}

/** Returns a supplier name that differs from every other name in at least one word. */
function nameOf(world: World, taken: Set<string>, trade: Trade, country: string): string {
  const { random, cores } = world;
  const words = trade.words[country] ?? trade.words['any'] ?? [''];
  for (let tries = 0; tries < 400; tries++) {
    const core = random.pick(cores[country] ?? cores['any'] ?? []);
    const word = random.pick(words);
    const name = word.includes('_') ? word.replace('_', core) : `${core} ${word}`.trim();
    const uses = [...taken].filter((other) => other.startsWith(`${core}|`)).length;
    if (taken.has(`${core}|${word}`) || uses > 1 + Math.floor(tries / 100)) continue;
    taken.add(`${core}|${word}`);
    return name;
  }
  throw new RangeError(`no name left for ${trade.trade} in ${country}`);
}

export function cast(world: World, trade: Trade, taken: Set<string>, overrides: Partial<Supplier> = {}): Supplier {
  const { random, companies } = world;
  const country = overrides.country ?? random.pick(trade.countries);
  const core = overrides.core ?? nameOf(world, taken, trade, country);
  const home = companies.filter((company) => company.country === country);
  const company = random.pick(home.length > 0 ? home : companies.slice(0, 1));
  const currency = company.country === country ? (world.currencies[country] ?? 'EUR') : 'EUR';
  const isSmall = random.chance(0.1);
  return {
    trade,
    country,
    core,
    name: legalName(core, country, random),
    taxId: isSmall ? undefined : taxIdOf(country, random),
    iban: random.chance(0.95) ? accountOf(country, random) : undefined,
    currency,
    terms: random.pick(trade.terms ?? [7, 14, 14, 21, 30, 30, 30, 45, 60]),
    company,
    series: seriesOf(random.pick(trade.numbering), random),
    namesBuyer: random.chance(0.4),
    chargesTax: !isSmall || random.chance(0.5),
    blanket: [world.order(world.from), world.order(addDays(world.from, 200)), world.order(addDays(world.from, 400))],
    price: priceOf(trade.pricing, random, world.scale[currency] ?? 1, world.from),
    ...overrides,
  };
}

/** Returns all test bills of a supplier, in the order of their days. */
export function perform(world: World, supplier: Supplier, episodes: readonly Episode[]): Casting {
  const { random } = world;
  const { trade } = supplier;
  const entries: Entry[] = [];
  const queue: { readonly date: string; readonly play?: () => Entry[] }[] = daysOf(world, trade.rhythm).map((date) => ({
    date,
  }));
  const later = (date: string, play: () => Entry[]): void => {
    if (date <= world.to) {
      const at = queue.findIndex((each) => each.date > date);
      queue.splice(at < 0 ? queue.length : at, 0, { date, play });
    }
  };
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
    const { date, play } = event;
    if (play !== undefined) {
      entries.push(...play());
      continue;
    }
    const episode =
      trade.hardNegative !== undefined
        ? undefined
        : episodes.find((each) => (each.fits?.(supplier) ?? true) && random.chance(each.share));
    const count = trade.perDay === undefined ? 1 : random.integer(...trade.perDay);
    if (episode !== undefined) entries.push(...episode.play({ world, supplier, date, earlier: entries, later }));
    else for (let index = 0; index < count; index++) entries.push(write(world, supplier, date));
  }
  return { supplier, entries };
}

export function relabelled(entry: Entry, hardNegative: string): Entry {
  return { ...entry, bill: { ...entry.bill, hardNegative } };
}

/** Returns a copy of the test bill in which some fields of the supplier have other values. */
export function restated(bill: Bill, changes: Partial<Bill['invoice']['supplier']>): Bill {
  return withInvoice(bill, { supplier: { ...bill.invoice.supplier, ...changes } });
}
