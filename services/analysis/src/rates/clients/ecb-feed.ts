import { setImmediate as turn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { trustedAgents } from '@invoicecontrol/egress/agents';
import { call } from '@invoicecontrol/egress/call';
import type { Answer } from '@invoicecontrol/egress/call';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import type { RateFeed, RateFile } from '../application/load-rates.js';
import type { PublishedDay } from '../application/rate-book.js';

/** The three rate files that the European Central Bank publishes. Each file contains all currencies for its days. */
const fileNames: Readonly<Record<RateFile, string>> = {
  daily: 'eurofxref-daily.xml',
  recent: 'eurofxref-hist-90d.xml',
  history: 'eurofxref-hist.xml',
};

const FETCH_MS_MAX = 60_000;
/** Maximum size of a file with exchange rates. The complete history has about 8 MB. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Size of the chunks in which a file with exchange rates is parsed, so that other work can run in between. */
const PIECE_BYTES = 64 * 1024;
const CONNECT_MS_MAX = 10_000;
/**
 * Number of connections to the European Central Bank. One connection is enough, because the files with exchange rates
 * are read one after another.
 */
const CONNECTIONS_PER_ORIGIN = 1;

/**
 * Reads the euro reference rates that the European Central Bank publishes.
 * @param baseUrl URL of the folder with the files, without a trailing slash
 */
export function ecbFeed(baseUrl: string): RateFeed {
  const agents = trustedAgents({
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    connectMs: CONNECT_MS_MAX,
    peer: 'ecb',
  });
  const lastModified = new Map<RateFile, string>();

  async function ask(file: RateFile): Promise<Answer> {
    const known = lastModified.get(file);
    const headers = { 'accept-encoding': 'gzip', ...(known === undefined ? {} : { 'if-modified-since': known }) };
    const url = `${baseUrl}/${fileNames[file]}`;
    try {
      return await call(
        agents,
        { method: 'GET', url, headers },
        { deadlineMs: FETCH_MS_MAX, bytesMax: FILE_BYTES_MAX },
      );
    } catch (error) {
      throw new Error(`the feed did not respond for ${fileNames[file]}`, { cause: error });
    }
  }

  return {
    async read(file) {
      const { status, headers, body } = await ask(file);
      if (status === 304) return undefined;
      if (status < 200 || status > 299)
        throw new Error(`the feed responded with status ${status} for ${fileNames[file]}`);
      if (body === undefined) throw new Error('the feed is larger than the limit');
      const days = await parseRates(body);
      const modified = headers['last-modified'];
      if (modified !== undefined) lastModified.set(file, modified);
      return days;
    },
  };
}

/**
 * Parses a feed of exchange rates: `Cube` elements with a `time` that contain `Cube` elements with `currency` and
 * `rate`. Rates remain decimal strings. A currency that was not published is absent or `N/A`.
 * @throws Error if the document is not such a feed
 */
async function parseRates(file: Buffer): Promise<PublishedDay[]> {
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
      if (!isCalendarDate(time)) throw new Error(`the feed has an invalid day "${String(time)}"`);
      perEuro = {};
      days.push({ day: time, perEuro });
    } else if (currency !== undefined && rate !== undefined && rate !== 'N/A') {
      if (perEuro === undefined || !/^[A-Z]{3}$/.test(currency) || !/^\d+(\.\d+)?$/.test(rate) || Number(rate) === 0) {
        throw new Error(`the feed has an invalid rate "${rate}" for "${currency}"`);
      }
      perEuro[currency] = rate;
    }
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let begin = 0; begin < file.length; begin += PIECE_BYTES) {
    parser.write(decoder.decode(file.subarray(begin, begin + PIECE_BYTES), { stream: true }));
    await turn();
  }
  parser.write(decoder.decode()).close();
  if (days.length === 0) throw new Error('the feed has no days');
  return days;
}
