import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demonstrationPayments } from '@invoicecontrol/dev/payment-run-demonstration';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { START_MS_MAX, npmStart, readDemo, untilReady } from './npm-start.js';
import type { Demo, Started } from './npm-start.js';
import { connectApi } from './running-system.js';
import type { Api } from './running-system.js';
import type { Page, StoredInvoice } from './shapes.js';

/** An invoice that differs from every sample invoice of the demonstration. */
const unseen = {
  supplier: { name: 'Mill Lane Couriers Ltd' },
  invoice_number: 'ML-7802',
  issue_date: '2026-11-03',
  currency: 'GBP',
  gross_amount: '310.00',
};
/** Time limit in milliseconds for stopping, which is the grace period of a pod in Kubernetes. */
const STOP_MS_MAX = 30_000;

let dataDir: string;
const running = new Set<Started>();
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'invoice-control-start-'));
});
afterAll(async () => {
  for (const started of running) await stop(started);
  await rm(dataDir, { recursive: true, force: true });
});

function start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Started {
  const started = npmStart(dataDir, args, env);
  running.add(started);
  void started.ended.then(() => running.delete(started));
  return started;
}

async function stop(started: Started): Promise<void> {
  started.signal('SIGTERM');
  await started.ended;
}

async function invoicesOf(demo: Demo): Promise<readonly StoredInvoice[]> {
  const api = await connectApi(demo.baseUrl);
  const { body } = await api.request<Page<StoredInvoice>>('GET /invoices?limit=100', { key: demo.keys.viewer });
  return body.items;
}

/** Reads the deliveries that the demonstration's receiver has accepted. */
async function deliveriesAt({ simulators }: Demo): Promise<readonly { body: string; isVerified: boolean }[]> {
  const response = await fetch(simulators['webhookReceiver'] ?? '');
  return (await response.json()) as readonly { body: string; isVerified: boolean }[];
}

/** Returns the rows of the decision table: everything between its heading and the next blank line. */
function tableOf(output: string): string[] {
  const lines = output.split('\n');
  const heading = lines.findIndex((line) => /number +supplier +amount +decision +score +findings/.test(line));
  return heading < 0 ? [] : lines.slice(heading + 1, lines.indexOf('', heading));
}

/** Returns the printed lines about the ERP, without the address, which differs in each start. */
function erpLinesOf(output: string): readonly string[] {
  const lines = output.split('\n');
  const heading = lines.findIndex((line) => line.startsWith('Checked against the vendors and bills'));
  return lines.slice(heading, lines.indexOf('', heading));
}

/** Returns the lines about the bills that came through KSeF. */
function inboxLinesOf(output: string): readonly string[] {
  const lines = output.split('\n');
  const heading = lines.findIndex((line) => line.startsWith('Bills that the same organization receives from KSeF'));
  return heading < 0 ? [] : lines.slice(heading, lines.indexOf('', heading));
}

/** Returns the verdicts on the payments of the demonstration, without the address that follows them. */
function paymentLinesOf(output: string): readonly string[] {
  const lines = output.split('\n');
  const heading = lines.findIndex((line) => line.startsWith('A file with payments'));
  return heading < 0 ? [] : lines.slice(heading + 2, heading + 10);
}

async function modeOf(name: string): Promise<string> {
  return ((await stat(join(dataDir, name))).mode & 0o777).toString(8);
}

describe('npm start', () => {
  let first: Started;
  let demo: Demo;
  let api: Api;
  beforeAll(async () => {
    // The test writes a file as a killed start may leave it, which every user can read.
    await writeFile(join(dataDir, 'demo.json'), '{"baseUrl":"stale"}', { mode: 0o644 });
    first = start();
    await eventually(() => assert.match(first.output(), /^MongoDB: .*NATS: .*\n/m), { timeoutMs: START_MS_MAX });
    // The old file is gone: the file is absent, or already the new one if this machine was slow to read it.
    const present = await readDemo(dataDir).catch(() => undefined);
    assert.notEqual(present?.baseUrl, 'stale', 'A stale demo.json is still there.');
    demo = await untilReady(first, dataDir);
    api = await connectApi(demo.baseUrl);
  }, START_MS_MAX);
  afterAll(() => stop(first));

  test('writes demo.json for programs, in its whole shape, readable only by its owner', async () => {
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown as string;
    const key = expect.stringMatching(/^ick_live_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/) as unknown as string;
    expect(demo).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/v1$/),
      organizationId: uuid,
      companyId: uuid,
      keys: { owner: key, admin: key, analyst: key, viewer: key },
      users: { owner: uuid, admin: uuid, analyst: uuid, viewer: uuid },
      otherOrganization: { organizationId: uuid, keys: { owner: key } },
      simulators: expect.any(Object),
    });
    for (const url of Object.values(demo.simulators)) expect(url).toMatch(/^\w+:\/\/127\.0\.0\.1:\d+/);
    for (const name of ['demo.json', 'dev.json', 'installation.json']) {
      expect([name, await modeOf(name)]).toEqual([name, '600']);
    }
    expect((await readdir(dataDir)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('creates two organizations as documented, and keys with the roles of their names', async () => {
    for (const [organizationId, owner] of [
      [demo.organizationId, demo.keys.owner],
      [demo.otherOrganization.organizationId, demo.otherOrganization.keys.owner],
    ] as const) {
      const { body } = await api.request('GET /organizations/current', { key: owner });
      expect(body).toMatchObject({ id: organizationId, baseCurrency: 'EUR', plan: 'ENTERPRISE' });
    }
    const { body } = await api.request<Page<{ id: string; role: string }>>('GET /api-keys', { key: demo.keys.owner });
    for (const [name, value] of Object.entries(demo.keys)) {
      expect(body.items.find(({ id }) => value.includes(`_${id}_`))?.role).toBe(name.toUpperCase());
    }
  });

  test('shows a decision for every sample invoice, where to go next, and nothing for machines', () => {
    const table = tableOf(first.output());
    expect(table.length).toBeGreaterThan(5);
    for (const decision of ['PASS', 'REVIEW', 'BLOCK']) {
      expect(table.join('\n')).toMatch(new RegExp(`  ${decision} +\\d+  `));
    }
    const root = demo.baseUrl.replace('/v1', '');
    for (const shown of [demo.baseUrl, demo.keys.owner, `${root}/docs`, `${root}/app (sign in with the API key)`]) {
      expect(first.output()).toContain(shown);
    }
    expect(first.output()).not.toMatch(/\u001b\[|^\{/m);
  });

  test('uploads three documents, and shows what was read from them and decided', async () => {
    const table = tableOf(first.output());
    expect(table.find((row) => row.startsWith('an invoice sent as XML'))).toMatch(/780\.00 GBP +PASS/);
    expect(table.find((row) => row.startsWith('the same on paper, scanned'))).toMatch(
      /SM-\d{4}-0442 +Solent Marine Services Ltd +780\.00 GBP +BLOCK .*DUPLICATE_INVOICE/,
    );
    expect(table.find((row) => row.startsWith('a PDF whose XML asks for more'))).toMatch(
      /1428\.00 EUR +REVIEW .*DOCUMENT_FIELD_CONFLICT/,
    );
    const uploaded = (await invoicesOf(demo)).filter(({ documentId }) => documentId !== null);
    const originals = uploaded.map(async ({ id }) => {
      const answer = await fetch(`${demo.baseUrl}/invoices/${id}/document`, {
        headers: { authorization: `Bearer ${demo.keys.analyst}` },
      });
      await answer.arrayBuffer();
      return answer.headers.get('content-type');
    });
    expect(new Set(await Promise.all(originals))).toEqual(new Set(['application/pdf', 'application/xml', 'image/png']));
  });

  test('checks a file of eight payments, and gives each the verdict and the reason of its story', async () => {
    const { createdAt } = (
      await api.request<{ createdAt: string }>('GET /organizations/current', { key: demo.keys.viewer })
    ).body;
    const { now } = demonstrationPayments(new Date(createdAt));
    expect(now).toHaveLength(8);
    const printed = paymentLinesOf(first.output());
    for (const [index, { about, verdict, reason = '-' }] of now.entries()) {
      expect(printed[index]).toMatch(new RegExp(`^${about} .* ${verdict} +${reason}$`));
    }
  });

  test('shows a webhook: every event of the samples arrived at the receiver, signed', async () => {
    const [, arrived, verified, url] =
      /^ +Webhooks +(\d+) arrived, (\d+) verified: curl -s (\S+)$/m.exec(first.output()) ?? [];
    expect(verified).toBe(arrived);
    expect(url).toBe(demo.simulators['webhookReceiver']);
    const deliveries = await deliveriesAt(demo);
    const types = deliveries.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(types.filter((type) => type === 'invoice.analysis.completed').length).toBeGreaterThanOrEqual(
      tableOf(first.output()).length,
    );
    expect(types).toContain('finding.created');
    expect(deliveries.filter(({ isVerified }) => !isVerified)).toEqual([]);
  });

  test('reads vendors and bills of a simulated ERP in an organization of its own, and shows the checks that they add', async () => {
    const output = first.output();
    expect(output).toMatch(/account of the master .* PASS +0 /);
    expect(output).toMatch(/an account that the master does not have .*BANK_ACCOUNT_MASTER_MISMATCH/);
    expect(output).toMatch(/a supplier that the master does not have .*SUPPLIER_NOT_IN_MASTER/);
    expect(output).toMatch(/^in the books: BOOKS_DUPLICATE_BILL/m);
    const [, url = '', key = ''] =
      /^ +ERP +Odoo, connected: curl -s (\S+) -H 'Authorization: Bearer (\S+)'$/m.exec(output) ?? [];
    const { body } = await api.request(`GET /${new URL(url).pathname}`, { key });
    const vendors = { fetched: 2, created: 2, failed: 0 };
    expect(body).toMatchObject({
      status: 'CONNECTED',
      config: { baseUrl: `${demo.simulators['odoo']}/demonstration` },
      recentRuns: expect.arrayContaining([
        expect.objectContaining({ streams: expect.objectContaining({ vendors: expect.objectContaining(vendors) }) }),
      ]),
    });
    const connections = await api.request<Page<object>>('GET /erp-connections', { key: demo.keys.owner });
    expect(connections.body.items).toEqual([]);
  });

  test('receives three bills from a simulated KSeF, and finds the other account of the one that also comes on paper', () => {
    const lines = inboxLinesOf(first.output());
    expect(lines.filter((line) => line.startsWith('received from KSeF '))).toHaveLength(3);
    expect(lines.at(-1)).toMatch(
      /^the first on paper, with another account .* BLOCK .*KSEF_CONTENT_DIFFERS \(CRITICAL\)/,
    );
  });

  test('lets a webhook call the receiver of the demonstration, and nothing else of this machine', async () => {
    const { body } = await api.request<Page<{ url: string }>>('GET /webhooks', { key: demo.keys.owner });
    const [{ url: receiver } = { url: '' }] = body.items;
    const events = ['scan.completed'];
    for (const [url, status] of [
      [receiver.replace('https:', 'http:'), 400],
      [receiver.replace(/127[.\d]+/, '127.0.0.1'), 400],
      [receiver, 201],
    ] as const) {
      const other = demo.otherOrganization.keys.owner;
      expect([url, (await api.request('POST /webhooks', { key: other, body: { url, events } })).status]).toEqual([
        url,
        status,
      ]);
    }
  });

  test('prints a line to try that works unchanged', async () => {
    const [, url = '', key = '', bytes = ''] =
      /^curl -s (\S+) -H 'Authorization: Bearer (\S+)' -H 'Content-Type: application\/json' -d '(.*)'$/m.exec(
        first.output(),
      ) ?? [];
    expect((await api.request(`POST /${new URL(url).pathname}`, { key, bytes })).status).toBe(202);
  });

  test('refuses a second start on the same data with the reason, and keeps serving', async () => {
    const second = start();
    expect((await second.ended).code).toBe(1);
    expect(second.output()).toContain('is in use by process');
    expect(second.output()).not.toMatch(/\n\s+at /);
    expect(await readDemo(dataDir)).toEqual(demo);
    expect((await api.request('GET /invoices', { key: demo.keys.viewer })).status).toBe(200);
  });

  test('refuses to start over on data that is served, and deletes nothing of it', async () => {
    const before = await invoicesOf(demo);
    const over = start(['--fresh', '--no-demo']);
    expect((await over.ended).code).toBe(1);
    expect(over.output()).toMatch(
      /^\S+ is in use by process \d+\. Stop it \(Ctrl-C where `npm start` runs\), or choose another directory: DATA_DIR=\S+ npm start\n$/,
    );
    expect(await readDemo(dataDir)).toEqual(demo);
    expect(await readdir(dataDir)).toEqual(
      expect.arrayContaining(['dev.json', 'embedded', 'installation.json', 'lock']),
    );
    expect(await readdir(join(dataDir, 'embedded', 'mongod'))).toContain('WiredTiger.wt');
    expect(await invoicesOf(demo)).toEqual(before);
  });
});

describe('npm start on data of its own', () => {
  test(
    'leaves no process running, continues with its data, and starts empty with --fresh',
    async () => {
      const ownDir = await mkdtemp(join(dataDir, 'own-'));
      const own = { DATA_DIR: ownDir };
      const first = start([], own);
      const demo = await untilReady(first, ownDir);
      const invoices = await invoicesOf(demo);
      const table = tableOf(first.output());
      expect(table).toHaveLength(invoices.length);

      const stoppingAt = performance.now();
      first.signal('SIGTERM');
      expect(await first.ended).toEqual({ code: 0 });
      expect(performance.now() - stoppingAt).toBeLessThan(STOP_MS_MAX);
      expect(await readdir(ownDir)).toEqual(expect.not.arrayContaining(['demo.json', 'dev.json']));
      await expect(fetch(demo.baseUrl)).rejects.toThrow('fetch failed');

      const second = start([], own);
      const again = await untilReady(second, ownDir);
      expect({ ...again, baseUrl: '', simulators: {} }).toEqual({ ...demo, baseUrl: '', simulators: {} });
      expect(tableOf(second.output())).toEqual(table);
      expect(erpLinesOf(second.output())).toEqual(erpLinesOf(first.output()));
      expect(paymentLinesOf(second.output())).toEqual(paymentLinesOf(first.output()));
      expect(inboxLinesOf(second.output())).toEqual(inboxLinesOf(first.output()));
      expect(await invoicesOf(again)).toEqual(invoices);
      const apiAgain = await connectApi(again.baseUrl);
      expect((await apiAgain.request('POST /invoices', { key: again.keys.owner, body: unseen })).status).toBe(202);
      await eventually(async () =>
        expect((await deliveriesAt(again)).map(({ isVerified }) => isVerified)).toContain(true),
      );
      second.signal('SIGINT');
      expect(await second.ended).toEqual({ code: 0 });

      await writeFile(join(ownDir, 'notes.txt'), 'mine');
      const third = start(['--fresh', '--no-demo'], own);
      const fresh = await untilReady(third, ownDir);
      expect(fresh.organizationId).not.toBe(demo.organizationId);
      expect(tableOf(third.output())).toEqual([]);
      expect(third.output()).not.toContain('Webhooks');
      expect(fresh.simulators).not.toHaveProperty('webhookReceiver');
      expect(await invoicesOf(fresh)).toEqual([]);
      const api = await connectApi(fresh.baseUrl);
      expect((await api.request('GET /invoices', { key: demo.keys.owner })).status).toBe(401);
      expect(await readFile(join(ownDir, 'notes.txt'), 'utf8')).toBe('mine');
      await stop(third);
    },
    6 * START_MS_MAX,
  );
});

test(
  'npm start ends a MongoDB that outlived its start before it deletes the data',
  async () => {
    const ownDir = await mkdtemp(join(dataDir, 'killed-'));
    const data = join(ownDir, 'embedded', 'mongod');
    await mkdir(data, { recursive: true });
    const mongod = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', '--', '--dbpath', data], {
      stdio: 'ignore',
    });
    const survived = once(mongod, 'exit');
    try {
      await writeFile(join(data, 'mongod.lock'), `${mongod.pid}\n`);
      await writeFile(join(data, 'old'), '');
      const started = start(['--fresh', '--no-demo'], { DATA_DIR: ownDir });
      expect(await survived).toEqual([null, 'SIGTERM']);
      await untilReady(started, ownDir);
      expect(await readdir(data)).not.toContain('old');
      await stop(started);
    } finally {
      mongod.kill('SIGKILL');
    }
  },
  START_MS_MAX,
);

describe('npm start that cannot start', () => {
  test('says that the port is in use and which to take instead, before it starts anything', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const empty = join(dataDir, 'never-made');
    const started = start([], { PORT: String(port), DATA_DIR: empty });
    expect((await started.ended).code).toBe(1);
    busy.close();
    expect(started.output()).toBe(
      `Port ${port} is in use. Stop what uses it, or choose another: PORT=${port + 1} npm start\n`,
    );
    await expect(stat(empty)).rejects.toThrow('ENOENT');
  });

  test.each([
    ['a file', () => join(dataDir, 'a-file')],
    ['below a file', () => join(dataDir, 'a-file', 'data')],
    ...(process.platform === 'linux'
      ? [
          // In a file system that takes no directories, Node.js repeats a recursive mkdir endlessly.
          ['in a file system that takes no directories', () => '/proc/invoice-control/data'] as const,
          ['a directory that takes no files', () => '/proc/sys'] as const,
        ]
      : []),
  ] as const)(
    'says that DATA_DIR cannot be written where it is %s, before it starts anything',
    async (_, directory) => {
      await writeFile(join(dataDir, 'a-file'), 'mine');
      const started = start([], { DATA_DIR: directory() });
      expect((await started.ended).code).toBe(1);
      expect(started.output()).toMatch(
        /^DATA_DIR is "[^"]+", which cannot be written: E[A-Z]+: .+\. Choose a directory that you may write to: DATA_DIR=\S+ npm start\n$/,
      );
      expect(await readFile(join(dataDir, 'a-file'), 'utf8')).toBe('mine');
    },
  );

  test.each<[string, readonly string[], NodeJS.ProcessEnv, RegExp]>([
    ['a port that is none', [], { PORT: '80a' }, /^PORT is "80a" but must be a number from 0 to 65535\.\n$/],
    ['an option that does not exist', ['--demo'], {}, /^Unknown option '--demo'.*--help\n$/],
    ['a word too many', ['now'], {}, /^Unexpected argument 'now'.*--help\n$/],
  ])('says so for %s, in one sentence', async (_, args, env, message) => {
    const started = start(args, env);
    expect((await started.ended).code).toBe(1);
    expect(started.output()).toMatch(message);
  });

  test('prints its help and ends with --help', async () => {
    const started = start(['--help']);
    expect((await started.ended).code).toBe(0);
    for (const word of ['--no-demo', '--fresh', 'PORT', 'DATA_DIR']) expect(started.output()).toContain(word);
  });
});
