// Runs `npm run rehearse:rollout`, which runs the programs of two releases against each other on the same data.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { serviceUrls } from '@invoicecontrol/dev/mongodb-users';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { newSecrets, startServices } from '@invoicecontrol/topology/start';
import type { Secrets } from '@invoicecontrol/topology/start';
import { invoiceAt } from '../bench/invoices.js';
import { startNodeProcess } from '../bench/node-process.js';
import { step } from '../bench/progress.js';
import { closingAfter, endAfter, logDirectory, onEnd, runProgram } from '../bench/run-program.js';
import { scanRows } from '../bench/scan-rows.js';
import { startStores } from '../bench/stores.js';
import type { Stores } from '../bench/stores.js';
import { goodIn, table } from '../bench/table.js';
import { analyzeUpload, putContent, reserve } from '../bench/upload-client.js';
import { makeDocuments } from '../bench/document-files.js';

const MINUTES_MAX = 30;
const usage = `Runs this release and another one against each other on the same databases and the same broker: all of this release, all of the
other one, and both mixed as during a rollout and its undoing. Clients do the same in each part, and read what each part before wrote.

  npm run rehearse:rollout -- --other DIR    DIR is a checkout of the other release in which \`npm run build\` has run
  npm run rehearse:rollout -- --keep         keeps the logs of all processes

Exit code 1 if a part failed. Ends after ${MINUTES_MAX} minutes at the latest.
`;

/** Root directory of this release. The compiled file is one directory deeper than its source. */
const ROOT = fileURLToPath(import.meta.url.slice(0, import.meta.url.lastIndexOf('/tests/')));
const ROWS = 20;
const EVENT_MS_MAX = 20_000;
const LOOK_EACH_MS = 200;

/**
 * Parts of the rollout rehearsal. Each part names the services that run the program of the other release. All parts use
 * the same data, one after another.
 */
const parts: readonly { readonly name: string; readonly isOther: (service: ServiceName) => boolean }[] = [
  { name: 'this release alone', isOther: () => false },
  { name: 'undone: the other release alone', isOther: () => true },
  { name: 'this release, gateway of the other', isOther: (service) => service === 'gateway' },
  { name: 'the other release, gateway of this', isOther: (service) => service !== 'gateway' },
  {
    name: 'this release, analysis and scan of the other',
    isOther: (service) => ['analysis', 'scan'].includes(service),
  },
  {
    name: 'the other release, analysis and scan of this',
    isOther: (service) => !['analysis', 'scan'].includes(service),
  },
  { name: 'this release again', isOther: () => false },
];

interface Rehearsed {
  readonly stores: Stores;
  readonly secrets: Secrets;
  readonly identities: string;
  readonly other: string;
  readonly logDir: string;
  /** Ids of the invoices that the parts of the rehearsal have posted so far. */
  readonly invoiceIds: string[];
  tenant: Tenant | undefined;
  part: number;
}

/** Actions of clients, which run in each part of the rehearsal, by name. An action throws an error if it fails. */
const journeys: Readonly<Record<string, (api: Api, rehearsed: Rehearsed) => Promise<void>>> = {
  async 'read earlier'(api, { invoiceIds }) {
    for (const id of invoiceIds) {
      await api('GET', `/invoices/${id}`, 200);
      await api('GET', `/invoices/${id}/analysis/latest`, 200);
    }
  },
  async post(api, { invoiceIds, part }) {
    const body = invoiceAt(1_000 + part, 1_000);
    const { id } = await api<{ id: string }>('POST', '/invoices', 202, body);
    invoiceIds.push(id);
    const twice = await api<{ id: string; decision: string }>('POST', '/invoices', 202, body);
    if (twice.decision !== 'BLOCK') throw new Error(`a duplicate was decided ${twice.decision}`);
    invoiceIds.push(twice.id);
  },
  /**
   * Reviews a finding and waits until the audit trail of the organization service contains the review, about which the
   * analysis service publishes an event.
   */
  async 'review, event'(api) {
    const { items } = await api<{ items: { id: string }[] }>('GET', '/findings?disposition=OPEN', 200);
    const finding = items[0];
    if (finding === undefined) throw new Error('there is no open finding');
    await api('POST', `/findings/${finding.id}/review`, 200, { disposition: 'CONFIRMED' });
    const deadline = performance.now() + EVENT_MS_MAX;
    for (;;) {
      const audit = await api<object>('GET', '/audit-events?limit=100', 200);
      if (JSON.stringify(audit).includes(finding.id)) return;
      if (performance.now() > deadline) throw new Error('the review is not in the audit trail');
      await delay(LOOK_EACH_MS);
    }
  },
  async scan(api, { tenant, part }) {
    const body = { companyId: tenant?.companyId, rows: scanRows(part, ROWS, 0) };
    await api('POST', '/scans', 201, body);
  },
  async upload(api, { tenant, part }) {
    const target = { origin: api.origin, key: tenant?.keys.owner ?? '' };
    const [file] = await makeDocuments('xml', part, 1);
    if (file === undefined) throw new Error('there is no document');
    const reservation = await reserve(target, file.mediaType, file.bytes.length);
    const stored = await putContent(target, reservation, file);
    if (stored !== 204) throw new Error(`the upload got ${stored}`);
    const decided = await analyzeUpload(target, reservation);
    if (decided !== 200) throw new Error(`the decision on the upload got ${decided}`);
  },
};

type Api = (<T>(method: string, path: string, expected: number, body?: object) => Promise<T>) & {
  readonly origin: string;
};

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      other: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const other = resolve(values.other ?? '');
  if (values.other === undefined || !existsSync(programOf(other, 'gateway'))) {
    throw new Error('Name a checkout of the other release, in which `npm run build` has run, with --other DIR.');
  }
  endAfter(MINUTES_MAX);
  const stores = await startStores();
  const rehearsed: Rehearsed = {
    stores,
    // The other release may need a secret that this release does not have.
    secrets: { ...(await secretsOf(other)), ...newSecrets() },
    identities: await identitiesForTests(),
    other,
    logDir: await logDirectory('rollout', values.keep),
    invoiceIds: [],
    tenant: undefined,
    part: 0,
  };
  const rows: string[][] = [];
  for (const { name, isOther } of parts) {
    step(name);
    rehearsed.part += 1;
    rows.push([name, ...(await closingAfter(() => rehearsePart(rehearsed, isOther)))]);
  }
  report(rows);
}

async function rehearsePart(rehearsed: Rehearsed, isOther: (service: ServiceName) => boolean): Promise<string[]> {
  const { stores, secrets, identities, other, logDir, part } = rehearsed;
  const env = { ...process.env, ...secrets, NODE_ENV: 'test', GRPC_PORT: '0', PORT: '0' };
  const { databasePrefix } = stores;
  const system = await startServices(
    { ...stores, mongodbUrlFor: serviceUrls(stores.mongodbUrl, databasePrefix), secrets, identities },
    async (service, own) => {
      const program = programOf(isOther(service) ? other : ROOT, service);
      const started = await startNodeProcess(`${part}-${service}`, program, { ...env, ...own }, logDir);
      onEnd(() => started.stop());
      return started;
    },
  );
  rehearsed.tenant ??= await createTenant(system.organization.address, identities, 'Rehearsal');
  const api = apiOf(`http://${system.gateway.address}`, rehearsed.tenant.keys.owner);
  const outcomes: string[] = [];
  for (const journey of Object.values(journeys)) {
    outcomes.push(
      await journey(api, rehearsed).then(
        () => 'ok',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    );
  }
  return outcomes;
}

function apiOf(origin: string, key: string): Api {
  const call = async <T>(method: string, path: string, expected: number, body?: object): Promise<T> => {
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return Object.assign(call, { origin });
}

function programOf(root: string, service: ServiceName): string {
  return join(root, 'services', service, 'dist', 'main.js');
}

async function secretsOf(root: string): Promise<Readonly<Record<string, string>>> {
  const url = pathToFileURL(join(root, 'tools', 'topology', 'dist', 'start.js')).href;
  const { newSecrets: create } = (await import(url)) as { newSecrets: () => Readonly<Record<string, string>> };
  return create();
}

function report(rows: readonly string[][]): void {
  const good = goodIn(process.stdout.isTTY);
  const isGood = rows.every((row) => row.slice(1).every((outcome) => outcome === 'ok'));
  if (!isGood) process.exitCode = 1;
  const failures = rows.flatMap(([name = '', ...outcomes]) =>
    outcomes.filter((outcome) => outcome !== 'ok').map((outcome) => `${name}: ${outcome}`),
  );
  const marked = rows.map(([name = '', ...outcomes]) => [
    name,
    ...outcomes.map((outcome) => good(outcome === 'ok' ? 'ok' : 'failed', outcome === 'ok')),
  ]);
  process.stdout.write(`\n${table([['services', ...Object.keys(journeys)], ...marked], 0)}\n\n`);
  for (const failure of failures) process.stdout.write(`${failure}\n`);
}
