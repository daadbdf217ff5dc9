import { SaxesParser } from 'saxes';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import type { RateFeed, RateFile } from '../application/load-rates.js';
import type { PublishedDay } from '../application/rate-book.js';

/** The three files of the European Central Bank; each holds all currencies of its days. */
const fileNames: Readonly<Record<RateFile, string>> = {
  daily: 'eurofxref-daily.xml',
  recent: 'eurofxref-hist-90d.xml',
  history: 'eurofxref-hist.xml',
};

const FETCH_MS_MAX = 60_000;
/** The whole history has about 8 MB. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads euro reference rates as the European Central Bank publishes them.
 * @param baseUrl the folder of the files, without a slash at its end
 */
export function ecbFeed(baseUrl: string): RateFeed {
  const lastModified = new Map<RateFile, string>();
  return {
    async read(file) {
      const known = lastModified.get(file);
      const response = await fetch(`${baseUrl}/${fileNames[file]}`, {
        headers: known === undefined ? {} : { 'if-modified-since': known },
        signal: AbortSignal.timeout(FETCH_MS_MAX),
      });
      if (response.status === 304) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        throw new Error(`the feed answered ${response.status} for ${fileNames[file]}`);
      }
      const days = await parseRates(response.body);
      const modified = response.headers.get('last-modified');
      if (modified !== null) lastModified.set(file, modified);
      return days;
    },
  };
}

/**
 * Reads a feed while it arrives: `Cube` elements with a `time`, in them `Cube` elements with `currency` and `rate`.
 * Rates stay the decimal strings they are. A currency that was not published is absent or `N/A`.
 * @throws Error when the document is not such a feed
 */
async function parseRates(chunks: AsyncIterable<Uint8Array>): Promise<PublishedDay[]> {
  const days: PublishedDay[] = [];
  let perEuro: Record<string, string> | undefined;
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', (error) => {
    throw new Error('the feed is not well-formed XML', { cause: error });
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (name !== 'Cube') return;
    const { time, currency, rate } = attributes;
    if (time !== undefined) {
      if (!isCalendarDate(time)) throw new Error(`the feed has a day "${String(time)}"`);
      perEuro = {};
      days.push({ day: time, perEuro });
    } else if (currency !== undefined && rate !== undefined && rate !== 'N/A') {
      if (perEuro === undefined || !/^[A-Z]{3}$/.test(currency) || !/^\d+(\.\d+)?$/.test(rate) || Number(rate) === 0) {
        throw new Error(`the feed has a rate "${rate}" for "${currency}"`);
      }
      perEuro[currency] = rate;
    }
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > FILE_BYTES_MAX) throw new Error('the feed is larger than it can be');
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.write(decoder.decode()).close();
  if (days.length === 0) throw new Error('the feed holds no day');
  return days;
}
