import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';

/** Exchange rates that the central bank published on one day: units per 1 EUR. */
export interface PublishedDay {
  readonly day: CalendarDate;
  readonly perEuro: Readonly<Record<string, string>>;
}

export interface RateStore {
  /**
   * Stores days with exchange rates, oldest first, so that another replica that reads at the same time misses only
   * newer days. An existing day is replaced, and none is removed.
   */
  save(days: readonly PublishedDay[]): Promise<void>;
  /** Returns the days with published exchange rates from `first` on, oldest first. */
  since(first: CalendarDate): AsyncIterable<PublishedDay>;
  newestDay(): Promise<CalendarDate | undefined>;
}

/**
 * Keeps the exchange rates of every published day since 1999 (about seven thousand days) in memory, so that a lookup
 * needs no database command.
 */
export interface RateBook {
  readonly published: PublishedRates;
  /** Reads the exchange rates that this or another replica has stored since the last call. */
  refresh(): Promise<void>;
}

const FIRST_DAY: CalendarDate = '1999-01-04';
/** Number of newest days whose exchange rates are read again: at least as many as a reading of the feed may correct. */
const REREAD_DAYS = 90;

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
