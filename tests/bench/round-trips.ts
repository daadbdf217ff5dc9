// What one request asks of the database and of other services, counted on the wire.
import { setTimeout as delay } from 'node:timers/promises';
import type { Secrets } from '@invoicecontrol/dev/system';
import { startDatabaseProxy, startRpcProxy } from './counting-proxy.js';
import type { CountingProxy, DatabaseCommand } from './counting-proxy.js';
import { invoiceAt } from './invoices.js';
import type { LoadProcess } from './load-process.js';
import { startSystem, stopAll } from './servers.js';

const REQUESTS = 40;
/** Commands that go out together must not look as if they waited for each other, however busy the machine is. */
const LATENCY_MS = 10;
/** Longer than what goes on after an answer, so that the next request does not meet it. */
const PAUSE_MS = 250;
const LOAD_SECONDS = 2;
const LOAD_CONNECTIONS = 16;

export interface RoundTrips {
  /** Commands that one request waits for, by name, on average. */
  readonly commandsBeforeAnswer: Readonly<Record<string, number>>;
  /** The longest chain of commands of which each began after the one before was answered: median and most. */
  readonly sequentialSteps: { readonly median: number; readonly most: number };
  /** All commands per request under load, those after the answer and of timers included, by service. */
  readonly commandsUnderLoad: Readonly<Record<string, number>>;
  /** Calls per request under load, by `caller>called`. */
  readonly rpcsUnderLoad: Readonly<Record<string, number>>;
}

export interface RoundTripOptions {
  /** One address without options other than those of the driver. */
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly secrets: Secrets;
  readonly key: string;
  readonly firstIndex: number;
  readonly storedCount: number;
  readonly load: LoadProcess;
  readonly logDir: string;
}

/** Runs the whole system once more behind proxies, first one request at a time, then under load. */
export async function countRoundTrips(options: RoundTripOptions): Promise<RoundTrips> {
  const { mongodbUrl, natsUrl, secrets, key, firstIndex, storedCount, load, logDir } = options;
  const commands: DatabaseCommand[] = [];
  const calls: Record<string, number> = {};
  const databases: CountingProxy[] = [];
  const others: CountingProxy[] = [];
  const database = new URL(mongodbUrl);
  database.searchParams.set('directConnection', 'true');
  const system = await startSystem({
    natsUrl,
    secrets,
    logDir,
    name: 'counted',
    async mongodbUrlFor(service) {
      const proxy = await startDatabaseProxy(database.host, service, commands);
      databases.push(proxy);
      const url = new URL(database);
      url.host = proxy.address;
      return url.href;
    },
    async addressFor(caller, called, address) {
      const way = `${caller}>${called}`;
      const count = (): void => void (calls[way] = (calls[way] ?? 0) + 1);
      const proxy = await startRpcProxy(address, count);
      others.push(proxy);
      return proxy.address;
    },
  });
  const url = `http://${system.gateway.address}/v1/invoices`;
  /** @returns when the answer was there */
  const post = async (index: number): Promise<number> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify(invoiceAt(index, storedCount)),
    });
    const body = await response.text();
    if (response.status !== 202) throw new Error(`POST ${url} was answered with ${response.status}: ${body}`);
    return performance.now();
  };
  try {
    let index = firstIndex;
    // The first request opens connections, asks for the key and for the tenant.
    await post(index++);
    await delay(PAUSE_MS);
    for (const proxy of databases) proxy.delay(LATENCY_MS);
    const waitedFor: DatabaseCommand[][] = [];
    for (let request = 0; request < REQUESTS; request++) {
      commands.length = 0;
      const answeredAtMs = await post(index++);
      waitedFor.push(commands.filter((command) => command.service === 'analysis' && command.sentAtMs < answeredAtMs));
      await delay(PAUSE_MS);
    }
    for (const proxy of databases) proxy.delay(0);
    commands.length = 0;
    for (const way of Object.keys(calls)) calls[way] = 0;
    const { posted } = await load.run({
      url,
      key,
      connections: LOAD_CONNECTIONS,
      seconds: LOAD_SECONDS,
      firstIndex: index,
      storedCount,
    });
    await delay(PAUSE_MS);
    const steps = waitedFor.map(longestChain).sort((left, right) => left - right);
    return {
      commandsBeforeAnswer: perUnit(
        countBy(waitedFor.flat(), ({ name }) => name),
        REQUESTS,
      ),
      sequentialSteps: { median: steps[Math.floor(steps.length / 2)] ?? 0, most: steps.at(-1) ?? 0 },
      commandsUnderLoad: perUnit(
        countBy(commands, ({ service }) => service),
        posted,
      ),
      rpcsUnderLoad: perUnit(calls, posted),
    };
  } finally {
    await stopAll([system.gateway, system.analysis, system.organization]);
    await Promise.all([...databases, ...others].map((proxy) => proxy.close()));
  }
}

/** The most commands of which each was sent after the one before it was answered. */
function longestChain(commands: readonly DatabaseCommand[]): number {
  let length = 0;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  for (const { sentAtMs, answeredAtMs } of commands.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs)) {
    if (sentAtMs < endedAtMs) continue;
    length += 1;
    endedAtMs = answeredAtMs;
  }
  return length;
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
}

function perUnit(counts: Readonly<Record<string, number>>, units: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / units]));
}
