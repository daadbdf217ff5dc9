// Generates the load in a separate process, so that its CPU time is not counted for the servers. It receives its
// instructions from its parent, posts invoices for the given time and returns the results.
import autocannon from 'autocannon';
import { invoiceAt } from './invoices.js';
import { percentilesOf } from './percentiles.js';
import type { Load, LoadOrder } from './load-process.js';
import { steadyLoad } from './steady-load.js';

/** Number of requests after which the gateway closes a connection (HTTP and security reference, section 2). */
const REQUESTS_PER_CONNECTION = 1_000;
const SAMPLE_EACH_MS = 50;

process.on('message', (order: LoadOrder) => {
  const { ratePerSecond } = order;
  (ratePerSecond === undefined ? run(order) : steadyLoad(order, ratePerSecond)).then(
    (load) => process.send?.(load),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function run({ url, key, connections, seconds, firstIndex, storedCount }: LoadOrder): Promise<Load> {
  const { origin, pathname: path } = new URL(url);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  let posted = 0;
  const durationsMs: number[] = [];
  const refused: Record<string, number> = {};
  let firstAt = 0;
  let lastAt = 0;
  const running = autocannon({
    url: origin,
    connections,
    duration: seconds,
    sampleInt: SAMPLE_EACH_MS,
    reconnectRate: REQUESTS_PER_CONNECTION,
    requests: [
      {
        setupRequest: () => {
          const body = JSON.stringify(invoiceAt(firstIndex + posted, storedCount));
          posted += 1;
          return { method: 'POST', path, headers, body };
        },
      },
    ],
  });
  running.on('response', (_client, status, _bytes, durationMs) => {
    lastAt = performance.now();
    if (firstAt === 0) firstAt = lastAt;
    if (status === 202) durationsMs.push(durationMs);
    else refused[status] = (refused[status] ?? 0) + 1;
  });
  const { errors } = await running;
  if (errors > 0) refused['no answer'] = errors;
  return {
    posted,
    answered: durationsMs.length,
    refused,
    // The rate of requests is measured from the first response on. All connections begin at once, so the first response
    // to each of them is late, which is not representative.
    requestsPerSecond: (durationsMs.length - 1) / ((lastAt - firstAt) / 1_000),
    ...percentilesOf(durationsMs),
  };
}
