import { compareText } from '@invoicecontrol/engine/facts/record-order';
import { addDays, daysBetween } from '@invoicecontrol/values/calendar-date';
import type { Bill } from '../../bill.js';
import { randomFrom } from '../../random.js';
import type { Random } from '../../random.js';
import { episodesOf } from './episodes.js';
import type { Casting, Entry, OwnCompany, Supplier, Trade, World } from './journal.js';
import { cast, perform, relabelled } from './journal.js';
import { copyLag, slips } from './slips.js';
import type { Desk } from './slips.js';
import { accountOf, taxIdOf } from './supplier.js';
import { wrongs } from './wrong-rows.js';

/** Plan of a history of test bills: its suppliers, their bills and the planted faults. */
export interface Plan {
  readonly pace: number;
  readonly from: string;
  readonly to: string;
  readonly companies: readonly OwnCompany[];
  readonly cores: Readonly<Record<string, readonly string[]>>;
  readonly currencies: Readonly<Record<string, string>>;
  readonly scale: Readonly<Record<string, number>>;
  readonly orderForm: (date: string, serial: number) => string;
  readonly trades: readonly Trade[];
  readonly episodes: { readonly share: number; readonly names?: readonly string[] };
  /** Suppliers in the test data that resemble each other but are different. */
  readonly doubles: readonly Doubles[];
  /** Number of test bills that are sent a second time, by kind of copy. */
  readonly copies: Readonly<Record<string, number>>;
  /** Number of faulty bills in a generated history, by kind of fault. */
  readonly wrong: Readonly<Record<string, number>>;
}

/** Two suppliers of one trade with similar names, or with equal prices and numbers. */
export interface Doubles {
  readonly trade: Trade;
  readonly cores: readonly [string, string];
  readonly country: string;
  readonly hasOnePrice: boolean;
}

/** Returns the companies of an organization, with valid tax ids. */
export function ownCompanies(
  seed: number,
  companies: readonly { readonly name: string; readonly country: string }[],
): readonly OwnCompany[] {
  const random = randomFrom(seed);
  return companies.map(({ name, country }, index) => ({
    companyId: `0192a000-0000-7000-8000-0000000${String(seed).padStart(4, '0')}${index}`,
    name,
    taxId: taxIdOf(country, random).replace('MWST', ''),
    country,
  }));
}

export function ledgerOf(plan: Plan, random: Random): Bill[] {
  const world = worldOf(plan, random);
  const episodes = episodesOf(plan.episodes.share, plan.episodes.names);
  const taken = new Set<string>();
  const suppliers = plan.trades.flatMap((trade) =>
    Array.from({ length: trade.suppliers }, () => cast(world, trade, taken)),
  );
  const castings = [...suppliers, ...plan.doubles.flatMap((doubles) => doublesOf(world, doubles, taken))].map(
    (supplier) => perform(world, supplier, episodes),
  );
  const copied = new Set<Entry>();
  const wrong = withWrongRows(castings, plan, random, copied);
  const copies = copiesOf(wrong, plan, world, copied);
  return [...wrong.flatMap(({ entries }) => entries.map(({ bill }) => bill)), ...copies];
}

function worldOf(plan: Plan, random: Random): World {
  const orders = new Set<string>();
  let claims = 0;
  return {
    random,
    pace: plan.pace,
    from: plan.from,
    to: plan.to,
    companies: plan.companies,
    cores: plan.cores,
    currencies: plan.currencies,
    scale: plan.scale,
    claim: () => `claim-${++claims}`,
    order: (date) => {
      let serial = daysBetween('2023-01-01', date) * 23 + random.integer(0, 22);
      while (orders.has(plan.orderForm(date, serial))) serial++;
      const order = plan.orderForm(date, serial);
      orders.add(order);
      return order;
    },
  };
}

function doublesOf(world: World, { trade, cores, country, hasOnePrice }: Doubles, taken: Set<string>): Supplier[] {
  const first = cast(world, trade, taken, { country, core: cores[0] });
  const second = cast(world, trade, taken, { country, core: cores[1], ...(hasOnePrice ? { price: first.price } : {}) });
  return [first, second];
}

/**
 * Adds faults to some test bills of the suppliers: at most one fault of each kind per supplier, and none in a bill that
 * was made to look like a copy.
 */
function withWrongRows(
  castings: readonly Casting[],
  plan: Plan,
  random: Random,
  touched: Set<Entry>,
): readonly Casting[] {
  const mutable = castings.map(({ supplier, entries }) => ({
    supplier,
    entries: [...entries].sort((left, right) => compareText(left.bill.arrival, right.bill.arrival)),
  }));
  const used = new Set<Supplier>();
  for (const [name, count] of Object.entries(plan.wrong)) {
    const wrong = wrongs[name];
    if (wrong === undefined) throw new RangeError(`no wrong row "${name}"`);
    let made = 0;
    for (let tries = 0; made < count && tries < 4_000; tries++) {
      const casting = random.pick(mutable);
      const at = random.integer(wrong.after ?? 12, Math.max(wrong.after ?? 12, casting.entries.length - 3));
      const entry = casting.entries[at];
      const isFree = entry !== undefined && !used.has(casting.supplier) && isPlain(entry);
      if (!isFree || !(wrong.fits?.(entry, casting) ?? true)) continue;
      const changed = wrong.make(entry, { random, casting, at, others: mutable });
      used.add(casting.supplier);
      const planted = { ...entry, bill: { ...changed, anomaly: { name, expected: wrong.expected } } };
      casting.entries[at] = planted;
      touched.add(planted);
      if (wrong.returns === true) markReturn(casting.entries, at);
      made++;
    }
    if (made < count) throw new RangeError(`only ${made} of "${name}"`);
  }
  return mutable;
}

/**
 * Labels the test bill that follows a planted change of the bank account and returns to the usual account of the
 * supplier. The bill must cause BANK_ACCOUNT_REVERTED if the usual account was used for 8 bills over 90 days before
 * (detection reference, section 7.2). If it was used less, if the next bill was issued more than 60 days later, or if
 * bills did not arrive in the order of their issue, the bills that may be meant are labelled as correct bills that may
 * cause the finding.
 */
function markReturn(entries: Entry[], at: number): void {
  const { issue_date: date = '' } = entries[at]?.bill.invoice ?? {};
  const [issuedNext] = entries
    .map(({ bill }, index) => ({ index, date: bill.invoice.issue_date }))
    .filter((each) => each.date > date || (each.date === date && each.index > at))
    .sort((left, right) => compareText(left.date, right.date) || left.index - right.index);
  const usual = entries.slice(0, at).filter(({ bill }) => bill.invoice.issue_date < date);
  const days = usual.map(({ bill }) => bill.invoice.issue_date).sort(compareText);
  const isLongUsed = usual.length >= 8 && daysBetween(days[0] ?? date, days.at(-1) ?? date) >= 90;
  const isSoon = issuedNext !== undefined && daysBetween(date, issuedNext.date) <= 60;
  const isOneOrder = issuedNext?.index === at + 1;
  for (const index of new Set([at + 1, issuedNext?.index ?? at + 1])) {
    const entry = entries[index];
    if (entry === undefined || !isPlain(entry)) continue;
    const name = 'first bill back on the usual account';
    const isAsked = isLongUsed && isSoon && isOneOrder;
    entries[index] = isAsked
      ? { ...entry, bill: { ...entry.bill, anomaly: { name, expected: ['BANK_ACCOUNT_REVERTED'] } } }
      : relabelled(entry, name);
  }
}

function isPlain({ bill }: Entry): boolean {
  return bill.hardNegative === undefined && bill.anomaly === undefined && !bill.invoice.gross_amount.startsWith('-');
}

/** Number of bills that a supplier has sent before one of them is copied. */
const SENT_BEFORE = 6;

function copiesOf(castings: readonly Casting[], plan: Plan, world: World, copied: Set<Entry>): Bill[] {
  const { random } = world;
  const desk: Desk = {
    random,
    companies: plan.companies,
    order: world.order,
    factor: accountOf('DE', random),
    to: plan.to,
  };
  const pool = castings.flatMap(({ entries }) => entries.slice(SENT_BEFORE));
  return Object.entries(plan.copies).flatMap(([name, count]) => {
    const slip = slips[name];
    if (slip === undefined) throw new RangeError(`no copy "${name}"`);
    const made: Bill[] = [];
    let claims = 0;
    for (let tries = 0; claims < count && tries < 20_000; tries++) {
      const entry = random.pick(pool);
      if (copied.has(entry) || !isPlain(entry) || entry.bill.invoice.gross_amount === '0.00') continue;
      const isUnrelated = name.startsWith('unrelated: ') && !name.includes('subscription');
      if (isUnrelated && entry.isRecurring) continue;
      const bills = slip(entry, desk);
      const lag = copyLag(random);
      if (bills === undefined) continue;
      const arrivals = bills.map((bill) =>
        addDays(bill.arrival > entry.bill.arrival ? bill.arrival : entry.bill.arrival, lag),
      );
      if (arrivals.some((arrival) => arrival > addDays(plan.to, 60))) continue;
      made.push(...bills.map((bill, index) => ({ ...bill, arrival: arrivals[index] ?? bill.arrival, mutation: name })));
      copied.add(entry);
      claims++;
    }
    if (claims < count) throw new RangeError(`only ${claims} of "${name}"`);
    return made;
  });
}
