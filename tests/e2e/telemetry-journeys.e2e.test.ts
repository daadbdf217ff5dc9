// Runs every journey that a metric is about, and compares what the product exported with the declared metrics.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '@invoicecontrol/client';
import type { Client } from '@invoicecontrol/client';
import { createTenant } from '@invoicecontrol/dev/tenant';
import { declarationOf, metrics, metricsOfNode } from '@invoicecontrol/runtime/telemetry/schema';
import type { MetricName } from '@invoicecontrol/runtime/telemetry/schema';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { openCompany } from '../bench/erp-companies.js';
import { undeclaredIn } from './declared-telemetry.js';
import { START_MS_MAX, npmStart, untilReady } from './npm-start.js';
import type { Demo, Started } from './npm-start.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver } from './otlp-receiver.js';
import { fullInvoice, plainRow } from './shapes.js';

/** Time in which the last export of a journey arrives on a busy machine. */
const EXPORTED_MS_MAX = 30_000;
const ROWS = 300;
/** Access tokens of the simulated Xero are valid for half an hour. */
const TOKEN_SECONDS = 1_800;
const JOURNEYS_MS_MAX = 120_000;

let directory: string;
let receiver: OtlpReceiver;
let started: Started;
let demo: Demo;
let owner: Client;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'invoice-control-journeys-'));
  receiver = await startOtlpReceiver();
  // The demonstration posts and uploads invoices, checks payments, imports from an ERP, and submits to and receives
  // from KSeF.
  started = npmStart(directory, [], { ...receiver.env, ERP_OAUTH_CONFIRM: 'false' });
  demo = await untilReady(started, directory);
  owner = createClient({ baseUrl: demo.baseUrl, apiKey: demo.keys.owner });
}, START_MS_MAX);
afterAll(async () => {
  started.signal('SIGTERM');
  await started.ended;
  await receiver.close();
  await rm(directory, { recursive: true, force: true });
});

async function reviewAndScan(): Promise<void> {
  const { data } = await owner.get('/findings', { query: { disposition: 'OPEN' } });
  const finding = data.items[0];
  if (finding === undefined) throw new Error('The demonstration has no open finding.');
  await owner.post('/findings/{findingId}/review', {
    path: { findingId: finding.id },
    body: { disposition: 'CONFIRMED' },
  });
  // History scans of one organization at the same time wait for one another.
  await Promise.all(
    [1, 2, 3].map((scan) =>
      owner.post('/scans', {
        body: {
          companyId: demo.companyId,
          rows: Array.from({ length: ROWS }, (_, row) => plainRow(scan * ROWS + row)),
        },
      }),
    ),
  );
}

async function lookAtDocument(): Promise<void> {
  const { data } = await owner.get('/invoices', { query: { source: 'UPLOAD' } });
  const pages = await Promise.all(
    data.items.map(({ id }) =>
      fetch(`${demo.baseUrl}/invoices/${id}/document/pages/1`, {
        headers: { authorization: `Bearer ${demo.keys.owner}` },
      }),
    ),
  );
  expect(pages.map(({ status }) => status)).toContain(200);
}

/** Imports by OAuth, and once more after the access token has expired at the provider. */
async function importByOauth(): Promise<void> {
  const company = await openCompany('xero', demo.simulators['xero'] ?? '', { vendors: 1, bills: 1 });
  const connectionId = await company.connect(owner, (path) =>
    fetch(`${new URL(demo.baseUrl).origin}${path}`, { redirect: 'manual' }),
  );
  const path = { connectionId };
  const untilImported = (runs: number): Promise<void> =>
    eventually(
      async () => {
        const { data } = await owner.get('/erp-connections/{connectionId}', { path });
        expect(data.recentRuns.map(({ status }) => status)).toEqual(Array(runs).fill('SUCCEEDED'));
      },
      { timeoutMs: EXPORTED_MS_MAX },
    );
  await untilImported(1);
  await company.advanceClock(TOKEN_SECONDS);
  await owner.post('/erp-connections/{connectionId}/sync', { path });
  await untilImported(2);
}

/** An organization on the free plan uses some of its quota, and buys a plan. */
async function buyPlan(): Promise<void> {
  const { addresses } = JSON.parse(await readFile(join(directory, 'dev.json'), 'utf8')) as {
    addresses: { organization: string };
  };
  const tenant = await createTenant(addresses.organization, join(directory, 'tls'), 'Free Plan Ltd', 'FREE');
  const api = createClient({ baseUrl: demo.baseUrl, apiKey: tenant.keys.admin });
  await api.post('/invoices', { body: fullInvoice });
  const { data: checkout } = await api.post('/billing/checkout', { body: { plan_code: 'SCALE' } });
  const bought = await fetch(`${demo.simulators['paddle'] ?? ''}/checkouts`, {
    method: 'POST',
    body: JSON.stringify(checkout),
  });
  expect(bought.status).toBe(201);
  await eventually(async () => expect((await api.get('/billing/subscription')).data.active).toBe(true));
}

test(
  'every declared metric is seen after the journeys, or says after which event it is',
  async () => {
    await reviewAndScan();
    await lookAtDocument();
    await importByOauth();
    await buyPlan();
    const usual = (Object.keys(metrics) as MetricName[]).filter((name) => declarationOf(name).onlyAfter === undefined);
    await eventually(
      () => {
        const seen = new Set(receiver.points().map(({ name }) => name));
        expect([...usual, ...Object.keys(metricsOfNode)].filter((name) => !seen.has(name))).toEqual([]);
      },
      { timeoutMs: EXPORTED_MS_MAX },
    );
  },
  JOURNEYS_MS_MAX,
);

test('every metric that the journeys export is as declared', () => {
  expect(undeclaredIn(receiver.points())).toEqual([]);
});
