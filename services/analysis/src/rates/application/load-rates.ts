import { ecbReferenceCurrencies } from '@invoicecontrol/values/currency';
import { addDays, daysBetween } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { repeat } from '@invoicecontrol/runtime/repeat';
import type { PublishedDay, RateBook, RateStore } from './rate-book.js';

/**
 * Files that the feed of euro exchange rates provides: the file `history` begins in 1999, `recent` has the last 90
 * days, and `daily` has the newest day.
 */
export type RateFile = 'history' | 'recent' | 'daily';

/** Source from which the exchange rates of the euro are read. */
export interface RateFeed {
  /** Reads a file with exchange rates. Returns undefined if the file has not changed since it was last read. */
  read(file: RateFile): Promise<PublishedDay[] | undefined>;
}

interface Deps {
  readonly rates: RateStore;
  readonly book: RateBook;
  readonly feed: RateFeed;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Minimum number of days that the file `recent` with exchange rates contains. */
const RECENT_DAYS = 80;
/**
 * Time window (Frankfurt time) in which the new exchange rates of the day may be published. They are usually published
 * at about 16:00.
 */
const WINDOW = { from: '15:30', to: '18:00' } as const;

export interface RateLoader {
  /** Loads missing exchange rates: all days into an empty database, or the last weeks after a pause. */
  catchUp(): Promise<void>;
  /** Loads the newest day's exchange rates during the hours in which they are published. */
  readDaily(): Promise<void>;
}

/**
 * Keeps the euro reference rates up to date (currencies reference, section 1). If the feed of exchange rates is
 * unavailable, the last rates are used. Nothing is deleted.
 */
export function rateLoader({ rates, book, feed, clock, logger }: Deps): RateLoader {
  const load = async (file: RateFile): Promise<void> => {
    const days = await feed.read(file);
    if (days === undefined) return;
    await rates.save(days);
    await book.refresh();
    const newest = days.reduce((latest, day) => (day.day > latest.day ? day : latest));
    logger.info({ file, days: days.length, newest: newest.day }, 'exchange rates loaded');
    warnOfChangedList(newest, logger);
  };
  return {
    async catchUp() {
      await book.refresh();
      const newest = await rates.newestDay();
      const today = toDay(clock.now());
      if (newest === undefined || daysBetween(newest, today) > RECENT_DAYS) await load('history');
      else if (newest < addDays(today, -1)) await load('recent');
    },
    async readDaily() {
      if (isPublishingTime(clock.now())) await load('daily');
    },
  };
}

/** Interval between reads of the exchange rates, and the delay before a failed read is retried. */
const READ_EACH_MS = 30 * 60_000;

/** Loads missing exchange rates at once, and then reads the feed every half hour while the service runs. */
export function keepRates(loader: RateLoader, logger: Logger): { stop(): Promise<void> } {
  const complain = (error: unknown): void =>
    logger.warn({ error }, 'exchange rates could not be read; the previous ones stay in use');
  const first = loader.catchUp().catch(complain);
  const reading = repeat(
    READ_EACH_MS,
    async () => {
      await loader.catchUp();
      await loader.readDaily();
    },
    complain,
  );
  return {
    async stop() {
      await reading.stop();
      await first;
    },
  };
}

/**
 * Checks whether it is a weekday between 15:30 and 18:00 in Frankfurt, when exchange rates are published, regardless of
 * the machine's time zone.
 */
export function isPublishingTime(at: Date): boolean {
  const parts = Object.fromEntries(frankfurt.formatToParts(at).map(({ type, value }) => [type, value]));
  const time = `${parts['hour']}:${parts['minute']}`;
  const isWeekend = parts['weekday'] === 'Sat' || parts['weekday'] === 'Sun';
  return !isWeekend && time >= WINDOW.from && time <= WINDOW.to;
}

const frankfurt = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/**
 * Warns the operator if the list of currencies with published exchange rates has changed. The code contains the list of
 * base currencies, which must then be changed.
 */
function warnOfChangedList({ day, perEuro }: PublishedDay, logger: Logger): void {
  const missing = ecbReferenceCurrencies.filter((currency) => perEuro[currency] === undefined);
  const added = Object.keys(perEuro).filter((currency) => !ecbReferenceCurrencies.includes(currency));
  if (missing.length + added.length > 0)
    logger.warn({ day, missing, added }, 'the list of published currencies changed');
}

function toDay(at: Date): CalendarDate {
  return at.toISOString().slice(0, 10);
}
