// Counts the database commands and the calls between services that one invoice causes, and the records that the invoice
// is compared with.
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Secrets } from '@invoicecontrol/topology/start';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { mean, median } from './cell.js';
import { startCountedSystem } from './counted-system.js';
import type { CountingProxy, DatabaseCommand } from './counting-proxy.js';
import { invoiceAt } from './invoices.js';
import type { LoadProcess } from './load-process.js';
import { longestChain, measureKinds } from './request-kinds.js';
import type { Call, Counted, KindOfRequest } from './request-kinds.js';

const REQUESTS = 40;
/**
 * A database command counts as waiting for the previous response if it is sent at least this number of milliseconds
 * after that response. Commands that are sent together follow each other faster, even on a busy machine.
 */
const LATENCY_MS = 10;
/**
 * Pause in milliseconds between two requests. It is longer than the work that the benchmarked system does after a
 * response, so that this work does not slow down the next request.
 */
const PAUSE_MS = 250;
const LOAD_SECONDS = 2;
const LOAD_CONNECTIONS = 16;
/** Number of prepared invoices, more than the benchmark posts when it measures the kinds of requests. */
const KINDS_INVOICES = 100;

/** The work for one invoice in an organization with a given number of invoices and a given plan. */
export interface Work {
  readonly stored: number;
  readonly plan: string;
  /**
   * Number of records that were found by their keys and compared with the invoice, on average over the measured
   * invoices.
   */
  readonly candidates: { readonly mean: number; readonly most: number; readonly invoices: number };
  /** Number of commands to the database that one request waits for. */
  readonly commands: { readonly mean: number; readonly median: number };
  /**
   * Length of the longest chain of database commands in which each command began after the response to the previous
   * one.
   */
  readonly steps: { readonly mean: number; readonly median: number; readonly most: number };
  /** Average number of database commands that one request waits for, by the name of the command. */
  readonly commandsByName: Readonly<Record<string, number>>;
  /**
   * Average number of bytes of the writing database commands that one request waits for, by the name of the command.
   */
  readonly bytesByName: Readonly<Record<string, number>>;
  /**
   * Database commands per request under load, by service, including commands after the response and those of timers.
   */
  readonly commandsUnderLoad: Readonly<Record<string, number>>;
  /** gRPC calls between services per request under load, by `caller>called`. */
  readonly rpcsUnderLoad: Readonly<Record<string, number>>;
  /** Work of the kinds of API requests, measured one request at a time. */
  readonly kinds: readonly KindOfRequest[];
}

/** An organization whose only data is a history that `seedHistory` has created. */
export interface Customer {
  readonly organizationId: string;
  readonly key: string;
  readonly stored: number;
  readonly plan: string;
}

export interface WorkOptions {
  /** Address of MongoDB, without query options except those of the driver. */
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly databasePrefix: string;
  readonly secrets: Secrets;
  readonly identities: string;
  /** Connection to the database of the analysis service. */
  readonly db: MongoConnection['db'];
  readonly customers: readonly Customer[];
  readonly load: LoadProcess;
  readonly logDir: string;
}

/**
 * Measures how many database commands and calls between services the API requests of each customer cause: first with
 * one request at a time, and then under load. Proxies count the commands and the calls.
 */
export async function measureWork(options: WorkOptions): Promise<Work[]> {
  const { customers, ...installation } = options;
  const { system, commands, calls, databases, stop } = await startCountedSystem({ ...installation, name: 'counted' });
  const url = `http://${system.gateway.address}/v1`;
  try {
    const rows: Work[] = [];
    for (const customer of customers) {
      rows.push(await workOf(customer, { ...options, url, commands, calls, databases }));
    }
    return rows;
  } finally {
    await stop();
  }
}

interface Counting extends Pick<WorkOptions, 'db' | 'load'> {
  readonly url: string;
  /** Database commands of the current API request, which the proxies record. */
  readonly commands: DatabaseCommand[];
  readonly calls: Record<string, number>;
  readonly databases: readonly CountingProxy[];
}

async function workOf(
  { organizationId, key, stored, plan }: Customer,
  { db, load, url, commands, calls, databases }: Counting,
): Promise<Work> {
  const beganAt = new Date();
  let index = stored;
  // The first request of the benchmark is not measured, because it also opens connections and loads the API key and the
  // tenant.
  const counted = async (request: Call): Promise<Counted> => {
    commands.length = 0;
    const response = await call(url, key, request);
    await delay(PAUSE_MS);
    return { ...response, commands: commands.filter(({ service }) => service === 'analysis') };
  };
  const posted = (): Promise<Counted> =>
    counted({ method: 'POST', path: '/invoices', body: invoiceAt(index++, stored) });
  await posted();
  for (const proxy of databases) proxy.delay(LATENCY_MS);
  const waitedFor: DatabaseCommand[][] = [];
  for (let request = 0; request < REQUESTS; request++) {
    const { commands: sent, answeredAtMs } = await posted();
    waitedFor.push(sent.filter(({ sentAtMs }) => sentAtMs < answeredAtMs));
  }
  const candidates = await candidatesOf(db, organizationId, beganAt);
  const kinds = await measureKinds(counted, { stored, firstIndex: index });
  index += KINDS_INVOICES;
  for (const proxy of databases) proxy.delay(0);
  commands.length = 0;
  for (const way of Object.keys(calls)) calls[way] = 0;
  const order = {
    url: `${url}/invoices`,
    key,
    connections: LOAD_CONNECTIONS,
    seconds: LOAD_SECONDS,
    firstIndex: index,
  };
  const { posted: postedUnderLoad } = await load.run({ ...order, storedCount: stored });
  await delay(PAUSE_MS);
  const perRequest = waitedFor.map(({ length }) => length);
  const steps = waitedFor.map(longestChain);
  return {
    stored,
    plan,
    candidates: { mean: mean(candidates), most: Math.max(...candidates), invoices: candidates.length },
    commands: { mean: mean(perRequest), median: median(perRequest) },
    steps: { mean: mean(steps), median: median(steps), most: Math.max(...steps) },
    commandsByName: perUnit(
      countBy(waitedFor.flat(), ({ name }) => name),
      REQUESTS,
    ),
    bytesByName: perUnit(
      sumBy(
        waitedFor.flat().filter(({ isWrite }) => isWrite),
        ({ name }) => name,
        ({ bytes }) => bytes,
      ),
      REQUESTS,
    ),
    commandsUnderLoad: perUnit(
      countBy(commands, ({ service }) => service),
      postedUnderLoad,
    ),
    rpcsUnderLoad: perUnit(calls, postedUnderLoad),
    kinds,
  };
}

/** Sends an API request and records when its response was complete. */
async function call(
  url: string,
  key: string,
  { method, path, body, idempotencyKey }: Call,
): Promise<Omit<Counted, 'commands'>> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answeredAtMs = performance.now();
  if (!response.ok) throw new Error(`The response to ${method} ${path} was ${response.status}: ${text}`);
  return { answeredAtMs, body: JSON.parse(text) };
}

/** Counts the records that each invoice was compared with, from the facts of its analysis. */
async function candidatesOf(db: WorkOptions['db'], organizationId: string, since: Date): Promise<number[]> {
  const analyses = db
    .collection<{ facts: { buffer: Uint8Array } }>('invoices')
    .find({ organizationId, createdAt: { $gte: since } });
  const counts: number[] = [];
  for await (const { facts } of analyses) {
    const { candidates } = JSON.parse(gunzipSync(facts.buffer).toString('utf8')) as { candidates: unknown[] };
    counts.push(candidates.length);
  }
  return counts;
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
  return sumBy(items, nameOf, () => 1);
}

function sumBy<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  amountOf: (item: T) => number,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const item of items) sums[nameOf(item)] = (sums[nameOf(item)] ?? 0) + amountOf(item);
  return sums;
}

function perUnit(counts: Readonly<Record<string, number>>, units: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / units]));
}
