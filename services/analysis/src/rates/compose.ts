import type { TenantParts } from '@invoicecontrol/retention/tenant-service';
import type { Foundation } from '../foundation.js';
import { keepRates, rateLoader } from './application/load-rates.js';
import { rateBook } from './application/rate-book.js';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import { ecbFeed } from './clients/ecb-feed.js';
import { reportRates } from '../telemetry.js';
import { rateStore } from './storage/rates.js';
import type { RateDocument } from './storage/rates.js';

/** Interval in milliseconds at which a replica reads the exchange rates that other replicas have stored. */
const REFRESH_EACH_MS = 30_000;

/** Provides the reference exchange rates of the euro, and the jobs that load them. */
export interface Rates extends Required<Pick<TenantParts, 'jobs'>> {
  readonly publishedRates: PublishedRates;
}

/**
 * Composes the use cases for the euro exchange rates.
 * @param feedUrl if undefined, rates are not updated
 */
export async function composeRates(
  { db, clock, logger, onStop }: Foundation,
  feedUrl: string | undefined,
): Promise<Rates> {
  const rates = rateStore(db.collection<RateDocument>('rates'));
  const book = rateBook(rates);
  onStop(
    'metrics of rates',
    reportRates(
      () => rates.newestDay(),
      () => clock.now(),
    ),
  );
  await book.refresh();
  if (feedUrl === undefined) logger.warn({}, 'ECB_FEED_URL is not set: exchange rates are not updated');
  else {
    const loading = keepRates(rateLoader({ rates, book, feed: ecbFeed(feedUrl), clock, logger }), logger);
    onStop('rates', () => loading.stop());
  }
  return {
    publishedRates: book.published,
    jobs: [{ name: 'refresh of exchange rates', pauseMs: REFRESH_EACH_MS, run: () => book.refresh() }],
  };
}
