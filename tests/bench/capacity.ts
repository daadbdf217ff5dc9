// Runs `npm run bench:capacity`, which simulates a thousand organizations of different sizes on several replicas and a
// replica set of three members.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { startReplicaSet } from '../failover/replica-set.js';
import { mean, settledCpuOf } from './cell.js';
import type { Watched } from './cell.js';
import { invoiceAt, randomOf } from './invoices.js';
import { startNodeProcess } from './node-process.js';
import { machine, writeReport } from './one-core.js';
import { percentilesOf } from './percentiles.js';
import { progress, say, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startStores } from './stores.js';
import { goodIn, table } from './table.js';
import { wholeNumber } from './whole-number.js';

const MINUTES_MAX = 60;
const usage = `Simulates organizations of different sizes: three gateway and three analysis processes, one of each other service, a replica set of
three members. The second organization sends half as many invoices as the first, the third a third, and so on (Zipf).

  npm run bench:capacity                          1,000 organizations, 10 invoices a second for three minutes
  npm run bench:capacity -- --organizations 100 --rate 5 --seconds 60
  npm run bench:capacity -- --json FILE           the figures as JSON too
  npm run bench:capacity -- --keep                keeps the logs of all processes

Progress goes to standard error. Ends with code 1 if an invoice was not accepted. Ends after ${MINUTES_MAX} minutes at the latest.
`;

const REPLICAS = 3;
const REPLICATED: readonly ServiceName[] = ['gateway', 'analysis'];
const CREATED_AT_ONCE = 8;
const CALL = { context: { requestId: 'bench', actor: { type: 'OPERATOR', id: 'bench' } }, timeoutMs: 60_000 } as const;
const RATE_LIMIT = '100000000';
const BYTES_PER_KB = 1024;
/**
 * Groups of organizations by their number of invoices, the largest organization first. The benchmark reports the
 * latencies of each group.
 */
const GROUPS = [
  { name: 'the largest', until: 1 },
  { name: '2 to 10', until: 10 },
  { name: '11 to 100', until: 100 },
  { name: 'all smaller ones', until: Number.POSITIVE_INFINITY },
] as const;

interface Size {
  readonly organizations: number;
  readonly rate: number;
  readonly seconds: number;
}

interface Posted {
  /** Rank of the organization by its number of invoices, from 1 on. */
  readonly rank: number;
  readonly status: number;
  readonly tookMs: number;
}

interface Counters {
  readonly commands: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly storedBytes: number;
}

interface Simulated {
  readonly posted: readonly Posted[];
  /** CPU time that each process used while the invoices were posted, in milliseconds. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Counters of the primary of the replica set, from the first invoice to the last. */
  readonly primary: Counters;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      organizations: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '180' },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const size = {
    organizations: wholeNumber('--organizations', values.organizations, 100_000),
    rate: wholeNumber('--rate', values.rate, 1_000),
    seconds: wholeNumber('--seconds', values.seconds, 3_600),
  };
  endAfter(MINUTES_MAX);
  const simulated = await simulate(size, await logDirectory('bench-capacity', values.keep));
  await writeReport(values, { ...machine(), size, ...simulated });
  report(size, simulated);
}

async function simulate(size: Size, logDir: string): Promise<Simulated> {
  step('starting the replica set and the services');
  const set = await startReplicaSet(say);
  onEnd(() => set.stop());
  process.env['MONGODB_URL'] = set.url;
  const stores = await startStores();
  const { databasePrefix, mongodbUrl, natsUrl } = stores;
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const pids: Record<string, number> = {};
  const gateways: string[] = [];
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    GRPC_PORT: '0',
    PORT: '0',
    RATE_LIMIT_DEFAULT_PER_MINUTE: RATE_LIMIT,
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: RATE_LIMIT,
    RATE_LIMIT_WRITES_PER_MINUTE: RATE_LIMIT,
  };
  const system = await startServices(
    { natsUrl, mongodbUrlFor: serviceUrls(mongodbUrl, databasePrefix), databasePrefix, secrets, identities },
    async (service, own) => {
      const addresses: string[] = [];
      const replicas = REPLICATED.includes(service) ? REPLICAS : 1;
      for (let replica = 1; replica <= replicas; replica += 1) {
        const name = `${service}-${replica}`;
        const started = await startNodeProcess(name, programOf(service), { ...env, ...own }, logDir);
        onEnd(() => started.stop());
        pids[name] = started.pid;
        addresses.push(started.address);
      }
      if (service === 'gateway') gateways.push(...addresses);
      // gRPC distributes the calls over all addresses in the target `ipv4:...`, as it does over the pods of a headless
      // service.
      return { address: addresses.length === 1 ? (addresses[0] ?? '') : `ipv4:${addresses.join(',')}` };
    },
  );
  const db = await stores.openDatabase('analysis');
  const keys = await createOrganizations(system.organization.address, size.organizations);
  step(`${size.rate} invoices a second for ${size.seconds} s`);
  const watched: Watched = pids;
  const [cpuBefore, before] = [await settledCpuOf(watched), await countersOf(db)];
  const posted = await postAll(size, keys, gateways);
  const [cpuAfter, after] = [await settledCpuOf(watched), await countersOf(db)];
  const since = (figure: keyof Counters): number => after[figure] - before[figure];
  return {
    posted,
    cpuMs: Object.fromEntries(Object.entries(cpuAfter).map(([name, ms]) => [name, ms - (cpuBefore[name] ?? 0)])),
    primary: {
      commands: since('commands'),
      bytesOut: since('bytesOut'),
      bytesIn: since('bytesIn'),
      storedBytes: since('storedBytes'),
    },
  };
}

/** Creates the organizations and returns the API keys of their owners. */
async function createOrganizations(address: string, count: number): Promise<readonly string[]> {
  step(`creating ${count} organizations`);
  const channel = openTestChannel('organization', address);
  onEnd(() => channel.close());
  const operator = client(OperatorServiceDefinition, channel);
  const keys: string[] = [];
  while (keys.length < count) {
    const batch = Array.from({ length: Math.min(CREATED_AT_ONCE, count - keys.length) }, (_, index) => {
      const number = keys.length + index + 1;
      const organization = {
        name: `Customer ${number}`,
        ownerEmail: `owner@customer-${number}.example`,
        plan: 'ENTERPRISE',
        baseCurrency: 'EUR',
      };
      return operator.createOrganization(organization, CALL);
    });
    keys.push(...(await Promise.all(batch)).map(({ ownerKey }) => ownerKey));
    progress(`${keys.length} of ${count}`);
  }
  return keys;
}

/**
 * Posts invoices at fixed times, to each gateway in turn. Zipf's law decides which organization posts the next invoice.
 */
async function postAll(
  { rate, seconds }: Size,
  keys: readonly string[],
  gateways: readonly string[],
): Promise<readonly Posted[]> {
  const chosen = zipf(keys.length);
  const next = keys.map(() => 0);
  const post = async (number: number): Promise<Posted> => {
    const rank = chosen(randomOf(number)());
    const index = (next[rank - 1] ?? 0) + 1;
    next[rank - 1] = index;
    const beganMs = performance.now();
    const response = await fetch(`http://${gateways[number % gateways.length]}/v1/invoices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[rank - 1]}`, 'content-type': 'application/json' },
      body: JSON.stringify(invoiceAt(index, index)),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    return { rank, status: response?.status ?? 0, tookMs: performance.now() - beganMs };
  };
  const posting: Promise<Posted>[] = [];
  const beganMs = performance.now();
  for (let number = 0; number < rate * seconds; number += 1) {
    await delay(Math.max(0, beganMs + (number * 1_000) / rate - performance.now()));
    posting.push(post(number));
    progress(`${number} of ${rate * seconds}`);
  }
  return Promise.all(posting);
}

/**
 * Returns a function that converts a random number from 0 to 1 to a rank, so that rank k occurs 1/k times as often as
 * rank 1.
 */
function zipf(count: number): (random: number) => number {
  const bounds: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= count; rank += 1) bounds.push((sum += 1 / rank));
  return (random) => bounds.findIndex((bound) => random * sum < bound) + 1;
}

/**
 * Reads the command counters of the primary, and the disk space that the data and the indexes of the analysis service
 * use.
 */
async function countersOf(db: MongoConnection['db']): Promise<Counters> {
  const { opcounters, network } = await db.admin().serverStatus();
  const { storageSize, indexSize } = await db.stats();
  const commands = Object.values(opcounters as Readonly<Record<string, unknown>>).filter(
    (one): one is number => typeof one === 'number',
  );
  return {
    commands: commands.reduce((sum, one) => sum + one, 0),
    bytesOut: Number((network as { bytesOut: number }).bytesOut),
    bytesIn: Number((network as { bytesIn: number }).bytesIn),
    storedBytes: Number(storageSize) + Number(indexSize),
  };
}

function programOf(service: ServiceName): string {
  return fileURLToPath(new URL(`../../../services/${service}/dist/main.js`, import.meta.url));
}

function report({ organizations, rate, seconds }: Size, { posted, cpuMs, primary }: Simulated): void {
  const good = goodIn(process.stdout.isTTY);
  const accepted = posted.filter(({ status }) => status === 202);
  const refused = posted.length - accepted.length;
  if (refused > 0) process.exitCode = 1;
  let after = 0;
  const groups = GROUPS.map(({ name, until }) => {
    const from = after;
    after = until;
    const own = accepted.filter(({ rank }) => rank > from && rank <= until);
    const { p50Ms, p95Ms, p99Ms } = percentilesOf(own.map(({ tookMs }) => tookMs));
    const shown = [p50Ms, p95Ms, p99Ms].map((ms) => (own.length === 0 ? '-' : ms.toFixed(0)));
    return [name, String(own.length), ...shown];
  });
  const each = (ms: number): string => (ms / accepted.length).toFixed(2);
  const replicasOf = (service: string): number[] =>
    Object.entries(cpuMs).flatMap(([name, ms]) => (name.startsWith(`${service}-`) ? [ms] : []));
  const services = [...new Set(Object.keys(cpuMs).map((name) => name.slice(0, name.lastIndexOf('-'))))];
  const cpu = services.map((service) => {
    const replicas = replicasOf(service);
    const total = replicas.reduce((sum, ms) => sum + ms, 0);
    const spread = replicas.length === 1 ? '-' : replicas.map((ms) => (ms / mean(replicas)).toFixed(2)).join(' ');
    return [service, String(replicas.length), each(total), spread];
  });
  process.stdout.write(
    `\n${organizations} organizations, ${rate} invoices a second for ${seconds} s, ` +
      `${good(`${accepted.length} accepted, ${refused} not`, refused === 0)}\n\n` +
      `${table([['organizations', 'invoices', 'p50 ms', 'p95 ms', 'p99 ms'], ...groups], 0)}\n\n` +
      `${table([['service', 'processes', 'CPU ms an invoice', 'each beside their mean'], ...cpu], 0)}\n\n` +
      `The primary for an invoice, with the replication and what the services do at rest: ` +
      `${each(primary.commands)} operations, ${each(primary.bytesIn / BYTES_PER_KB)} kB received, ` +
      `${each(primary.bytesOut / BYTES_PER_KB)} kB sent. ` +
      `Disk of the analysis database on each member: ${each(primary.storedBytes / BYTES_PER_KB)} kB an invoice.\n`,
  );
}
