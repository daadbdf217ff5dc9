import { addDays, dayNumber } from '@invoicecontrol/values/calendar-date';
import type { Bill } from '../../bill.js';
import type { Random } from '../../random.js';
import type { Trader } from './trader.js';

/** A test bill of a generated history with its supplier and the other documents about the same supply. */
export interface Entry {
  readonly bill: Bill;
  readonly trader: Trader;
  readonly deliveryNote: string;
  /**
   * The number that the supplier left out after the number of this bill. A copy of the bill may be sent later under
   * this number.
   */
  readonly spare?: { readonly number: string; readonly date: string };
}

export interface Supply {
  readonly date: string;
  readonly netCents: number;
  readonly number?: string;
  readonly order?: string | undefined;
  readonly companyId?: string;
  readonly iban?: string;
  readonly hardNegative?: string;
  /** Number of days from the issue of the bill to its arrival. */
  readonly lagDays?: number;
  readonly spareUntil?: string;
}

/** Counts claims and delivery notes while a history of bills is written. */
export interface Book {
  readonly random: Random;
  readonly firstDay: string;
  readonly lastDay: string;
  enter(trader: Trader, supply: Supply): Entry;
}

/**
 * Share of the bills for which the numbering skips a number. The skipped number is used when the bill is sent again.
 */
const SPARE_SHARE = 0.15;

export function openBook(random: Random, firstDay: string, lastDay: string): Book {
  let claims = 0;
  let notes = random.integer(20_000, 60_000);
  return {
    random,
    firstDay,
    lastDay,
    enter(trader, supply) {
      const { date, netCents, order, spareUntil } = supply;
      const tax = Math.round((netCents * trader.vatPercent) / 100);
      const number = supply.number ?? trader.numbers(date);
      const iban = supply.iban ?? trader.iban;
      const spareDate = workday(addDays(date, random.integer(1, 8)));
      const hasSpare = spareUntil !== undefined && spareDate < spareUntil && random.chance(SPARE_SHARE);
      claims += 1;
      notes += random.integer(1, 40);
      const bill: Bill = {
        invoice: {
          supplier: {
            name: trader.name,
            ...(trader.taxId && { tax_id: trader.taxId }),
            ...(iban && { bank_account: { iban } }),
          },
          invoice_number: number,
          issue_date: date,
          due_date: addDays(date, trader.termsDays),
          currency: trader.currency,
          net_amount: decimal(netCents),
          tax_amount: decimal(tax),
          gross_amount: decimal(netCents + tax),
          ...(order && { purchase_order_ref: order }),
        },
        arrival: workday(addDays(date, supply.lagDays ?? random.pick([0, 0, 1, 1, 2, 3, 5, 9]))),
        companyId: supply.companyId ?? trader.companyId,
        claim: `claim-${claims}`,
        ...(supply.hardNegative && { hardNegative: supply.hardNegative }),
      };
      return {
        bill,
        trader,
        deliveryNote: String(notes),
        ...(hasSpare && { spare: { number: trader.numbers(spareDate), date: spareDate } }),
      };
    },
  };
}

/** Formats an amount in cents as a decimal string. */
export function decimal(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function centsOf(amount: string): number {
  return Math.round(Number(amount) * 100);
}

/** Returns the issue day of a generated bill: the day itself, or the Monday after a weekend. */
export function workday(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday === 6 ? addDays(date, 2) : weekday === 0 ? addDays(date, 1) : date;
}

/** Function that returns the days on which a supplier issues bills. */
export type Rhythm = (book: Pick<Book, 'random' | 'firstDay' | 'lastDay'>) => string[];

/** Returns one issue day of a bill in the month at the given interval of months, moved to Monday on weekends. */
export function monthly({ every = 1, day }: { readonly every?: number; readonly day?: number } = {}): Rhythm {
  return ({ firstDay, lastDay, random }) => {
    const ofMonth = String(day ?? random.integer(1, 28)).padStart(2, '0');
    const months: string[] = [];
    const [year = 0, month = 0] = firstDay.split('-').map(Number);
    for (let index = random.integer(0, every - 1); index < 60; index += every) {
      const at = month - 1 + index;
      const date = workday(`${year + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-${ofMonth}`);
      if (date > lastDay) break;
      if (date >= firstDay) months.push(date);
    }
    return months;
  };
}

/** Returns the issue days of a supplier's bills with the given number of days between two bills. */
export function every(min: number, max: number): Rhythm {
  return ({ firstDay, lastDay, random }) => {
    const days: string[] = [];
    for (
      let at = addDays(firstDay, random.integer(0, max));
      at <= lastDay;
      at = addDays(at, random.integer(min, max))
    ) {
      const date = workday(at);
      if (date !== days.at(-1) && date <= lastDay) days.push(date);
    }
    return days;
  };
}

/** Returns the same weekday of every week in the period, as the issue days of a supplier. */
export const weekly: Rhythm = ({ firstDay, lastDay, random }) => {
  const first = workday(addDays(firstDay, random.integer(0, 6)));
  const count = Math.floor((dayNumber(lastDay) - dayNumber(first)) / 7);
  return Array.from({ length: count + 1 }, (_, week) => addDays(first, 7 * week));
};

/** Returns the net amount of a supplier's test bill on a day. */
export type Pricing = (random: Random) => (date: string) => number;

/** Returns amounts of test bills with irregular cents around a typical amount, which differs between suppliers. */
export function varied(typicalCents: number, spread = 0.8): Pricing {
  return (random) => {
    const own = typicalCents * Math.exp((random.next() - 0.5) * 1.2);
    return () =>
      Math.max(1_900, Math.round(own * Math.exp((random.next() + random.next() + random.next() - 1.5) * spread)));
  };
}

/**
 * Returns amounts of test bills that are products of a few prices and small quantities, so that equal amounts repeat.
 */
export function priced(prices: readonly number[], quantityMax: number): Pricing {
  return (random) => {
    const own = Array.from({ length: 3 }, () => random.pick(prices) + 10 * random.integer(0, 40));
    return () => random.pick(own) * random.integer(1, quantityMax);
  };
}

/** Returns a fixed price for a supplier's test bills. The price is raised by some percent each January. */
export function fixed(typicalCents: number, yearlyPercent = 3): Pricing {
  return (random) => {
    const start = 100 * Math.round((typicalCents * Math.exp((random.next() - 0.5) * 1.4)) / 100);
    return (date) => 10 * Math.round((start * (1 + (yearlyPercent / 100) * (Number(date.slice(0, 4)) - 2024))) / 10);
  };
}

/** Returns amounts of test bills for consumption. The amounts are high in winter and never repeat. */
export function metered(typicalCents: number): Pricing {
  return (random) => {
    const own = typicalCents * Math.exp((random.next() - 0.5) * 1.2);
    return (date) => {
      const winter = 1 + 0.45 * Math.cos(((Number(date.slice(5, 7)) - 1) / 6) * Math.PI);
      return Math.round(own * winter * (0.9 + 0.2 * random.next()));
    };
  };
}
