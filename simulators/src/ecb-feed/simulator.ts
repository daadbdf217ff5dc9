import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publishedDays } from './published-days.js';
import type { PublishedDay } from './published-days.js';

export interface EcbFeedOptions {
  readonly port?: number;
  /** The newest day whose exchange rates can be published. The default is today. */
  readonly today?: string;
  /** The oldest day in the file of earlier exchange rates. The real file begins on 1999-01-04. */
  readonly first?: string;
}

export interface EcbFeedSimulator {
  /** URL of the folder with the three files of exchange rates. */
  readonly url: string;
  /** Adds the exchange rates of a day to the feed, or corrects them. */
  publish(day: PublishedDay): void;
  /**
   * Sets the fault of the simulated central bank for all requests. `drop` closes the connection during the response.
   */
  setFault(fault: 'none' | 'unavailable' | 'not-xml' | 'drop'): void;
  /** Number of times that the simulator sent each exchange rate file, and number of responses with status 304. */
  readonly requests: { sent: number; unchanged: number };
  stop(): Promise<void>;
}

const RECENT_DAYS = 90;

/**
 * Starts a simulator of the euro reference rates of the European Central Bank: `eurofxref-daily.xml`, `-hist-90d.xml`
 * and `-hist.xml`, with the peculiarities of the real files: single quotes in the daily file, newest day first, no
 * weekends and holidays, absent currencies, Last-Modified and 304.
 */
export async function startEcbFeedSimulator(options: EcbFeedOptions = {}): Promise<EcbFeedSimulator> {
  const today = options.today ?? new Date().toISOString().slice(0, 10);
  const days = new Map(publishedDays(options.first ?? '2015-01-02', today).map((day) => [day.day, day]));
  const requests = { sent: 0, unchanged: 0 };
  let fault: 'none' | 'unavailable' | 'not-xml' | 'drop' = 'none';
  let modified = new Date(Math.floor(Date.now() / 1000) * 1000);

  const newestFirst = (): PublishedDay[] => [...days.values()].sort((left, right) => (left.day < right.day ? 1 : -1));
  const files: Readonly<Record<string, () => string>> = {
    '/eurofxref-daily.xml': () => envelope(newestFirst().slice(0, 1), "'"),
    '/eurofxref-hist-90d.xml': () => envelope(newestFirst().slice(0, RECENT_DAYS), '"'),
    '/eurofxref-hist.xml': () => envelope(newestFirst(), '"'),
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const file = files[request.url ?? ''];
    if (file === undefined) return void response.writeHead(404).end();
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    if (fault === 'unavailable') return void response.writeHead(503).end();
    const since = Date.parse(request.headers['if-modified-since'] ?? '');
    if (fault === 'none' && since >= modified.getTime()) {
      requests.unchanged++;
      return void response.writeHead(304).end();
    }
    const body = fault === 'not-xml' ? '<html><p>maintenance</html>' : file();
    response.writeHead(200, { 'content-type': 'text/xml', 'last-modified': modified.toUTCString() });
    if (fault === 'drop') {
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    }
    requests.sent++;
    response.end(body);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    publish(day) {
      days.set(day.day, day);
      modified = new Date(Math.max(Date.now(), modified.getTime() + 1000));
    },
    setFault(next) {
      fault = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function envelope(days: readonly PublishedDay[], quote: string): string {
  const cubes = days.map(({ day, perEuro }) => {
    const rates = Object.entries(perEuro).map(
      ([currency, rate]) => `<Cube currency=${quote}${currency}${quote} rate=${quote}${rate}${quote}/>`,
    );
    return `<Cube time=${quote}${day}${quote}>${rates.join('')}</Cube>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">',
    '<gesmes:subject>Reference rates</gesmes:subject>',
    '<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>',
    `<Cube>${cubes.join('\n')}</Cube>`,
    '</gesmes:Envelope>',
  ].join('\n');
}
