import { ecbReferenceCurrencies } from '@invoicecontrol/values/currency';
import { addDays, daysBetween } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { repeat } from '@invoicecontrol/runtime/repeat';
import type { PublishedDay, RateBook, RateStore } from './rate-book.js';

/** `history` from 1999, `recent` the last 90 days, `daily` the newest. */
export type RateFile = 'history' | 'recent' | 'daily';

/** The source of rates. */
export interface RateFeed {
  /** Undefined when nothing changed since the last reading. */
  read(file: RateFile): Promise<PublishedDay[] | undefined>;
}

interface Deps {
  readonly rates: RateStore;
  readonly book: RateBook;
  readonly feed: RateFeed;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `recent` reaches back this far. */
const RECENT_DAYS = 80;
/** Rates appear about 16:00 in Frankfurt; outside this window nothing new is to be expected. */
const WINDOW = { from: '15:30', to: '18:00' } as const;

export interface RateLoader {
  /** Fills what is missing: everything on an empty database, the last weeks after a pause. */
  catchUp(): Promise<void>;
  /** Reads the newest day, within the hours in which it appears. */
  readDaily(): Promise<void>;
}

/**
 * Keeps the euro reference rates up to date (currencies reference, section 1). When the feed is down the last rates
 * stay; nothing is ever deleted.
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

/** Nothing to read for this long; a fault is tried again after it. */
const READ_EACH_MS = 30 * 60_000;

/** Catches up at once, then reads each half hour for as long as the service runs. */
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

/** Weekdays from 15:30 to 18:00 in Frankfurt, whatever the clock of the machine is set to. */
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

/** The list of allowed base currencies is code; a change of the published currencies must reach a person. */
function warnOfChangedList({ day, perEuro }: PublishedDay, logger: Logger): void {
  const missing = ecbReferenceCurrencies.filter((currency) => perEuro[currency] === undefined);
  const added = Object.keys(perEuro).filter((currency) => !ecbReferenceCurrencies.includes(currency));
  if (missing.length + added.length > 0)
    logger.warn({ day, missing, added }, 'the list of published currencies changed');
}

function toDay(at: Date): CalendarDate {
  return at.toISOString().slice(0, 10);
}
