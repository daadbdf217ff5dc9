// Runs `npm run bench:mutual-tls`, which compares requests with and without mutual TLS between the services.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import { UNLIMITED_RATES } from '../e2e/crash/service-process.js';
import { median } from './cell.js';
import { invoiceAt } from './invoices.js';
import { cpuMsOf, startNodeProcess } from './node-process.js';
import type { NodeProcess } from './node-process.js';
import { percentilesOf } from './percentiles.js';
import { progress, step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startStores } from './stores.js';
import type { Stores } from './stores.js';
import { goodIn, table, times } from './table.js';
import { wholeNumber } from './whole-number.js';

const MINUTES_MAX = 20;
const CPU_RATIO_MAX = 1.05;
const P95_RATIO_MAX = 1.1;
const POSTS = 200;
const ROUNDS = 12;
const ROUNDS_MAX = 100;
const WARM_UP_ROUNDS = 2;
/** Names of the services that POST /v1/invoices needs. The benchmark does not start the other services. */
const NEEDED: ReadonlySet<ServiceName> = new Set(['billing', 'organization', 'documents', 'analysis', 'gateway']);
const NOWHERE = { address: '127.0.0.1:1' };

const usage = `Compares POST /v1/invoices through services that call each other by mutual TLS with the same services over plain TCP.

Two systems run side by side on one database and one broker, each service in a process of its own. The product has no plain mode: the
services of one system are started with a module of the benchmark that replaces TLS. Blocks of ${POSTS} requests, one at a time, go to both
systems in turn. The ratio of each round counts, and the median of the rounds is shown, so that other work on the machine touches both.

  npm run bench:mutual-tls                 about three minutes on a quiet machine
  npm run bench:mutual-tls -- --rounds 4   fewer rounds (${ROUNDS} unless said)

Ends with code 1 if the CPU time of a request is more than ${CPU_RATIO_MAX} times, or its p95 more than ${P95_RATIO_MAX} times that without TLS.
`;

interface Side {
  readonly name: string;
  readonly processes: readonly NodeProcess[];
  readonly origin: string;
  readonly key: string;
}

interface Block {
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: String(ROUNDS) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const rounds = wholeNumber('--rounds', values.rounds, ROUNDS_MAX);
  endAfter(MINUTES_MAX);
  step('starting MongoDB, NATS and two systems');
  const stores = await startStores();
  const logDir = await logDirectory('bench-mutual-tls');
  const [plain, secure] = [await startSide('plain', stores, logDir), await startSide('mutual TLS', stores, logDir)];
  const measured: { plain: Block; secure: Block }[] = [];
  for (let round = 1 - WARM_UP_ROUNDS; round <= rounds; round++) {
    progress(round < 1 ? 'warming up' : `round ${round} of ${rounds}`);
    // The order of the two systems changes with each round, so that neither of them is always measured first.
    const order = round % 2 === 0 ? [plain, secure] : [secure, plain];
    const blocks = new Map<Side, Block>();
    for (const side of order) blocks.set(side, await measureBlock(side, round + WARM_UP_ROUNDS));
    const [plainBlock, secureBlock] = [blocks.get(plain), blocks.get(secure)];
    if (round >= 1 && plainBlock !== undefined && secureBlock !== undefined)
      measured.push({ plain: plainBlock, secure: secureBlock });
  }
  if (!report(measured)) process.exitCode = 1;
}

/** Starts the services that POST /v1/invoices needs, with or without mutual TLS, and creates an organization. */
async function startSide(name: 'plain' | 'mutual TLS', stores: Stores, logDir: string): Promise<Side> {
  const identities = await identitiesForTests();
  const preload = fileURLToPath(new URL('plain-transport.js', import.meta.url));
  const transport = name === 'plain' ? { NODE_OPTIONS: `--import=${preload}` } : {};
  const databasePrefix = `${stores.databasePrefix}${name === 'plain' ? 'p' : 's'}_`;
  const processes: NodeProcess[] = [];
  const services = await startServices(
    {
      natsUrl: stores.natsUrl,
      mongodbUrlFor: serviceUrls(stores.mongodbUrl, databasePrefix),
      databasePrefix,
      secrets: newSecrets(),
      identities,
    },
    async (service, own) => {
      if (!NEEDED.has(service)) return NOWHERE;
      const env = {
        ...process.env,
        ...UNLIMITED_RATES,
        GRPC_PORT: '0',
        PORT: '0',
        EXTRACTION_CHILDREN: '1',
        ...transport,
        ...own,
        NODE_ENV: own['NODE_ENV'] ?? 'production',
      };
      const program = fileURLToPath(new URL(`../../../services/${service}/dist/main.js`, import.meta.url));
      const started = await startNodeProcess(`${name}-${service}`, program, env, logDir);
      onEnd(() => started.stop());
      processes.push(started);
      return started;
    },
  );
  const admin = fileURLToPath(new URL('../../../tools/admin/dist/admin.js', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [admin, 'create-organization', '--name', 'Bench', '--owner-email', 'owner@bench.example', '--json'],
    {
      env: {
        ...process.env,
        ...transport,
        TLS_DIR: join(identities, 'operator'),
        ORGANIZATION_ADDRESS: services.organization.address,
      },
    },
  );
  const { ownerKey: key } = JSON.parse(stdout) as { ownerKey: string };
  return { name, processes, origin: `http://${services.gateway.address}`, key };
}

/** Posts invoices to one of the two systems, one at a time, and measures their duration and CPU time. */
async function measureBlock({ origin, key, processes }: Side, block: number): Promise<Block> {
  const cpu = async (): Promise<number> =>
    (await Promise.all(processes.map(({ pid }) => cpuMsOf(pid)))).reduce((sum, one) => sum + one, 0);
  const durationsMs: number[] = [];
  const beforeMs = await cpu();
  for (let post = 0; post < POSTS; post++) {
    const index = block * POSTS + post;
    const startedMs = performance.now();
    const response = await fetch(`${origin}/v1/invoices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': `i${index}` },
      body: JSON.stringify(invoiceAt(index, index)),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /v1/invoices was answered with ${response.status}: ${text}`);
    durationsMs.push(performance.now() - startedMs);
  }
  const { p50Ms, p95Ms } = percentilesOf(durationsMs);
  return { cpuMs: ((await cpu()) - beforeMs) / POSTS, p50Ms, p95Ms };
}

/** Prints the figures of both systems. @returns whether all targets for their ratios are reached */
function report(rounds: readonly { plain: Block; secure: Block }[]): boolean {
  const good = goodIn(process.stdout.isTTY);
  const figures: readonly (readonly [string, keyof Block, number])[] = [
    ['CPU time of a POST', 'cpuMs', CPU_RATIO_MAX],
    ['p50', 'p50Ms', Number.POSITIVE_INFINITY],
    ['p95', 'p95Ms', P95_RATIO_MAX],
  ];
  const rows = [['POST /v1/invoices', 'plain', 'mutual TLS', 'ratio', 'aim']];
  let isReached = true;
  for (const [name, figure, ratioMax] of figures) {
    const of = (side: 'plain' | 'secure'): string =>
      `${median(rounds.map((round) => round[side][figure])).toFixed(2)} ms`;
    const ratio = median(rounds.map(({ plain, secure }) => secure[figure] / plain[figure]));
    isReached &&= ratio <= ratioMax;
    rows.push([
      name,
      of('plain'),
      of('secure'),
      good(times(ratio), ratio <= ratioMax),
      ratioMax === Number.POSITIVE_INFINITY ? '' : times(ratioMax),
    ]);
  }
  process.stdout.write(`${table(rows, 0)}\n`);
  return isReached;
}
