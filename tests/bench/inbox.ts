// Runs `npm run bench:inbox`, which measures the cost of receiving a company's purchase invoices from KSeF, from the
// first call to the last decision.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiError } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { createTenant } from '@invoicecontrol/dev/tenant';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { newSecrets } from '@invoicecontrol/topology/start';
import type { Db } from 'mongodb';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { startKsef } from '../e2e/ksef-actions.js';
import type { Ksef } from '../e2e/ksef-actions.js';
import { apiOf } from './erp-companies.js';
import { peakDuring, residentOf } from './memory.js';
import type { Resident } from './memory.js';
import { machine, writeReport } from './one-core.js';
import { progress, say, seconds, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import { startStores } from './stores.js';
import { goodIn, table } from './table.js';
import { upload } from './upload-client.js';
import type { UploadTarget } from './upload-client.js';
import { wholeNumber } from './whole-number.js';

/** Time limit of the KSeF inbox benchmark in minutes. A busy machine decides fewer than three invoices per second. */
const MINUTES_MAX = 90;

const usage = `Receives the purchase invoices of one company from the simulator of KSeF, all services in processes of their own: the first package is
truncated, and the next one has two invoices more. The same invoices are then uploaded one after the other by a client.

  npm run bench:inbox                     10,000 invoices and two more; about fifteen minutes
  npm run bench:inbox -- --quick          500 invoices and two more
  npm run bench:inbox -- --invoices 2000  another number
  npm run bench:inbox -- --json FILE      the figures as JSON too
  npm run bench:inbox -- --keep           keeps the logs of all processes

Progress goes to standard error. Ends with code 1 if an aim was missed: each invoice stored and decided once, in the order of KSeF, memory,
and two calls for a run without news. Ends after ${MINUTES_MAX} minutes at the latest.
`;

const AIMS = {
  /** Maximum memory of the ksef service during a run of the KSeF inbox, in addition to what the service used before. */
  memoryMb: 150,
  /**
   * Maximum number of KSeF calls that a run of the KSeF inbox makes when there are no new invoices, for each role of
   * the company (such as buyer or third party).
   */
  callsWithoutNews: 2,
} as const;
const INVOICES = { full: 10_000, quick: 500 } as const;
/** Number of invoices in the second invoice package. */
const MORE = 2;
/** Number of uploads that are made without KSeF to measure the rate of uploads. */
const UPLOADS_MAX = 500;
const POLL_EACH_MS = 500;
const BYTES_PER_MB = 1024 * 1024;
const NIP = '5213456784';
const SELLER = '5265877635';
const TOKEN = `20260201-EC-0123456789-ABCDEF0123-1B|nip-${NIP}|${'0f'.repeat(32)}`;

type Run = Schemas['KsefInboxRun'];

interface Measured {
  readonly invoices: number;
  readonly receiveMs: number;
  readonly decideMs: number;
  readonly uploadMs: number;
  /** Numbers of stored documents and decided invoices, and the KSeF numbers of these invoices. */
  readonly stored: { readonly documents: number; readonly decided: number; readonly numbers: number };
  /** Number of invoices that were decided too early: before an invoice that KSeF had stored earlier. */
  readonly outOfOrder: number;
  /** Resident memory of each service before and during the benchmark, in MB. */
  readonly idleMb: Resident;
  readonly peakMb: Resident;
  readonly callsWithoutNews: number;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      invoices: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const usual = INVOICES[values.quick ? 'quick' : 'full'];
  const count = wholeNumber('--invoices', values.invoices ?? String(usual), INVOICES.full);
  endAfter(MINUTES_MAX);
  const measured = await measure(count, await logDirectory('bench-inbox', values.keep));
  await writeReport(values, { ...machine(), measured });
  report(measured);
}

async function measure(first: number, logDir: string): Promise<Measured> {
  const invoices = first + MORE;
  step('starting MongoDB, NATS, the simulator and the services');
  const ksef = await startKsef();
  onEnd(() => ksef.stop());
  const stores = await startStores();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  // This factor shortens the waiting times of the ksef service: a quarter of an hour takes 45 seconds, and a day 72
  // minutes. With an even smaller factor, the nightly repeat of the KSeF inbox would receive every invoice again during
  // the benchmark.
  const env = { ...ksef.env, KSEF_WAIT_FACTOR: '0.05' };
  const system = await startSystem({ ...stores, secrets, identities, logDir, name: 'inbox', env });
  const tenant = await createTenant(system.organization.address, identities, 'Bench inbox');
  const api = apiOf(system.gateway.address, tenant.keys.owner);

  step(`registering ${invoices} invoices in the simulator`);
  await ksef.control(`PUT contexts/${NIP}`, { tokens: [{ token: TOKEN }] });
  await ksef.control('PUT settings', { exportInvoicesMax: first, limitFactor: 0 });
  for (const [number, size] of [
    ['FV/A', first],
    ['FV/B', MORE],
  ] as const) {
    await ksef.control('POST invoices', { sellerNip: SELLER, buyerNip: NIP, number, count: size });
  }
  const body = { environment: 'TEST', context_nip: NIP, ksef_token: TOKEN } as const;
  const { id: connectionId } = (await api.post('/ksef-connections', { body })).data;
  await api.post('/ksef-connections/{connectionId}/test', { path: { connectionId } });

  const services = { ksef: system.ksef.pid, documents: system.documents.pid, analysis: system.analysis.pid };
  const idleMb = inMb(await residentOf(services));
  say(
    `idle memory: ${Object.entries(idleMb)
      .map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`)
      .join(', ')}`,
  );
  const documents = await stores.openDatabase('documents');
  const analysis = await stores.openDatabase('analysis');
  step('receiving');
  const beganMs = performance.now();
  const { peak, result } = await peakDuring(services, async () => {
    await api.patch('/ksef-connections/{connectionId}', {
      path: { connectionId },
      body: { inbox: { enabled: true } },
    });
    await received(api, connectionId, documents, invoices);
    const receiveMs = performance.now() - beganMs;
    say(`${invoices} invoices received in ${seconds(receiveMs)}`);
    await decided(analysis, invoices);
    return { receiveMs, decideMs: performance.now() - beganMs };
  });
  say(`${invoices} invoices decided after ${seconds(result.decideMs)}`);
  const stored = await storedIn(documents, analysis);
  const outOfOrder = await outOfOrderIn(analysis);
  step('a run without news');
  // The simulated KSeF completes an export before the first poll.
  await ksef.control('PUT settings', { exportPolls: 0 });
  const callsWithoutNews = await callsOfRun(ksef, api, connectionId);
  await api.patch('/ksef-connections/{connectionId}', { path: { connectionId }, body: { inbox: { enabled: false } } });

  step('the same invoices as bare uploads');
  const other = await createTenant(system.organization.address, identities, 'Bench uploads');
  const uploads = Math.min(invoices, UPLOADS_MAX);
  const uploadedMs = await uploadAll({ origin: `http://${system.gateway.address}`, key: other.keys.owner }, uploads);
  return {
    invoices,
    ...result,
    uploadMs: (uploadedMs / uploads) * invoices,
    stored,
    outOfOrder,
    idleMb,
    peakMb: inMb(peak),
    callsWithoutNews,
  };
}

function inMb(memory: Resident): Resident {
  return Object.fromEntries(Object.entries(memory).map(([name, bytes]) => [name, bytes / BYTES_PER_MB]));
}

async function received(api: Client, connectionId: string, documents: Db, count: number): Promise<void> {
  for (;;) {
    // A run of the KSeF inbox counts its invoices only when their package is complete, so the uploads are counted
    // instead. The database contains no other uploads.
    progress(`${await documents.collection('uploads').estimatedDocumentCount()} of ${count} received`);
    // The oldest run of the KSeF inbox is read, because the next run may already have begun.
    const run = (await runsOf(api, connectionId)).findLast(({ role }) => role === 'SUBJECT2');
    if (run?.status === 'SUCCEEDED' && run.received === count) return;
    if (run !== undefined && run.status !== 'RUNNING') {
      throw new Error(`The run ended ${run.status} with ${run.received} invoices: ${JSON.stringify(run)}`);
    }
    await delay(POLL_EACH_MS);
  }
}

/** Returns the runs of the KSeF inbox, or none while the database does not respond. */
async function runsOf(api: Client, connectionId: string): Promise<readonly Run[]> {
  try {
    return (await api.get('/ksef-connections/{connectionId}/inbox/runs', { path: { connectionId } })).data.items;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return [];
    throw error;
  }
}

async function decided(analysis: Db, count: number): Promise<void> {
  for (;;) {
    const done = await analysis.collection('invoices').countDocuments({ source: 'KSEF', status: 'ANALYZED' });
    progress(`${done} of ${count} decided`);
    if (done >= count) return;
    await delay(POLL_EACH_MS);
  }
}

async function storedIn(documents: Db, analysis: Db): Promise<Measured['stored']> {
  const decidedInvoices = analysis.collection('invoices').find({ source: 'KSEF', status: 'ANALYZED' });
  const numbers = await decidedInvoices.project<{ channel: { externalId: string } }>({ channel: 1 }).toArray();
  return {
    documents: await documents.collection('uploads').countDocuments({ origin: { $exists: true } }),
    decided: numbers.length,
    numbers: new Set(numbers.map(({ channel }) => channel.externalId)).size,
  };
}

/**
 * The numbers of the KSeF invoices in the benchmark end in `A/1`, `A/2` and so on, in the order in which KSeF stored
 * them, and then in `B/1`.
 */
async function outOfOrderIn(analysis: Db): Promise<number> {
  const inOrder = await analysis
    .collection('invoices')
    .find({ source: 'KSEF', status: 'ANALYZED' })
    .project<{ invoice: { invoice_number: string } }>({ 'invoice.invoice_number': 1 })
    .sort({ 'analysis.createdAt': 1, createdAt: 1 })
    .toArray();
  const places = inOrder.map(({ invoice }) => {
    const [, letter, place] = /([AB])\/(\d+)$/.exec(invoice.invoice_number) ?? [];
    return Number(place) + (letter === 'B' ? INVOICES.full : 0);
  });
  return places.filter((place, index) => index > 0 && place < (places[index - 1] ?? 0)).length;
}

/**
 * Starts runs of the KSeF inbox without new invoices, and returns the average number of KSeF export calls in one run.
 */
async function callsOfRun(ksef: Ksef, api: Client, connectionId: string): Promise<number> {
  interface Logged {
    readonly items: readonly { readonly n: number; readonly operation: string | null }[];
  }
  const before = (await ksef.control<Logged>('GET requests')).items.at(-1)?.n ?? 0;
  const known = new Set((await runsOf(api, connectionId)).map(({ id }) => id));
  await api.post('/ksef-connections/{connectionId}/inbox/runs', { path: { connectionId } });
  for (;;) {
    const runs = (await runsOf(api, connectionId)).filter(({ id }) => !known.has(id));
    if (runs.length > 0 && runs.every(({ status }) => status === 'SUCCEEDED')) {
      const { items } = await ksef.control<Logged>(`GET requests?after=${before}`);
      const calls = items.filter(({ operation }) => operation?.startsWith('R') === true).length;
      return calls / runs.length;
    }
    await delay(POLL_EACH_MS);
  }
}

async function uploadAll(target: UploadTarget, count: number): Promise<number> {
  const files = Array.from({ length: count }, (_, index) => ({
    mediaType: 'application/xml',
    bytes: Buffer.from(fa3Document({ number: `FV/C/${index + 1}`, seller: SELLER, buyer: NIP })),
  }));
  const beganMs = performance.now();
  for (const [index, file] of files.entries()) {
    progress(`${index} of ${count} uploaded`);
    const { status } = await upload(target, file);
    if (status !== 200) throw new Error(`An upload of the benchmark was answered ${status}.`);
  }
  return performance.now() - beganMs;
}

function report(measured: Measured): void {
  const { invoices, receiveMs, decideMs, uploadMs, stored, outOfOrder, idleMb, peakMb, callsWithoutNews } = measured;
  const good = goodIn(process.stdout.isTTY);
  const judge = (value: number, isGood: boolean): string => {
    if (!isGood) process.exitCode = 1;
    return good(value.toFixed(0), isGood);
  };
  const perSecond = (ms: number): string => ((invoices / ms) * 1_000).toFixed(1);
  const rows = [
    ['documents stored', judge(stored.documents, stored.documents === invoices)],
    ['invoices decided', judge(stored.decided, stored.decided === invoices)],
    ['different KSeF numbers', judge(stored.numbers, stored.numbers === invoices)],
    ['invoices decided out of order', judge(outOfOrder, outOfOrder === 0)],
    ['received a second', perSecond(receiveMs)],
    ['decided a second', perSecond(decideMs)],
    ['decided a second, as bare uploads one after the other', perSecond(uploadMs)],
    ['time : that of bare uploads', (decideMs / uploadMs).toFixed(2)],
    ...Object.entries(peakMb).flatMap(([name, peak]) => {
      const idle = idleMb[name] ?? 0;
      const above = peak - idle;
      return [
        [`memory of ${name} idle, MB`, idle.toFixed(0)],
        [`memory of ${name} at the peak, MB`, peak.toFixed(0)],
        [`memory of ${name} above idle, MB`, name === 'ksef' ? judge(above, above <= AIMS.memoryMb) : above.toFixed(0)],
      ];
    }),
    ['calls of a run without news', judge(callsWithoutNews, callsWithoutNews <= AIMS.callsWithoutNews)],
  ];
  process.stdout.write(`\n${invoices} invoices in two packages\n\n${table(rows, 0)}\n`);
}
