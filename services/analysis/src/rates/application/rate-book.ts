import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';

/** Rates that the central bank published on one day: units per 1 EUR. */
export interface PublishedDay {
  readonly day: CalendarDate;
  readonly perEuro: Readonly<Record<string, string>>;
}

export interface RateStore {
  /** Stores days; an existing day is replaced, and none is ever removed. */
  save(days: readonly PublishedDay[]): Promise<void>;
  /** Days from `first` on, oldest first. */
  since(first: CalendarDate): AsyncIterable<PublishedDay>;
  newestDay(): Promise<CalendarDate | undefined>;
}

/** The rates of every published day since 1999, about seven thousand, in memory: a lookup costs no step of the flow. */
export interface RateBook {
  readonly published: PublishedRates;
  /** Reads what another replica or this one has stored since. */
  refresh(): Promise<void>;
}

const FIRST_DAY: CalendarDate = '1999-01-04';
/** Corrections of published days are rare and young. */
const REREAD_DAYS = 7;

export function rateBook(rates: RateStore): RateBook {
  const days = new Map<CalendarDate, PublishedDay['perEuro']>();
  return {
    published: (day) => days.get(day),
    async refresh() {
      const known = [...days.keys()].slice(-REREAD_DAYS);
      for await (const { day, perEuro } of rates.since(known[0] ?? FIRST_DAY)) days.set(day, perEuro);
    },
  };
}
