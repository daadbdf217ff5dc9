import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { paymentRunText } from '@invoicecontrol/payment-files/testing/payment-run';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { UNKNOWN_ID } from './shapes.js';
import type { Page } from './shapes.js';

const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'DE02120300000000202051';
const NAME = 'Hafenlogistik Brandt GmbH';
const XML = { 'content-type': 'application/xml' };

interface Run {
  readonly id: string;
  readonly lineCount: number;
  readonly pay: { readonly count: number };
  readonly hold: { readonly count: number };
  readonly unknown: { readonly count: number };
  readonly downloads: readonly unknown[];
}

interface Line {
  readonly id: string;
  readonly verdict: string;
  readonly creditorAccount: string;
  readonly reasons: readonly {
    readonly code: string;
    readonly evidence: { readonly explanation: readonly string[] };
  }[];
}

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

async function post({ keys }: Tenant, number: string): Promise<void> {
  const body = {
    supplier: { name: NAME, tax_id: 'DE994175284', bank_account: { iban: IBAN } },
    invoice_number: number,
    issue_date: '2026-03-02',
    currency: 'EUR',
    gross_amount: '580.00',
  };
  const { status } = await running.request('POST /invoices', { key: keys.owner, body });
  expect(status).toBe(202);
}

function fileOf(numbers: readonly string[], account = IBAN): string {
  return paymentRunText(
    numbers.map((number) => ({ amount: '580.00', name: NAME, account, texts: [number] })),
    { messageId: numbers.join(' ').slice(0, 30) },
  );
}

const send = (key: string, bytes: string, headers: Readonly<Record<string, string>> = {}) =>
  running.request<Run & ErrorBody>('POST /payment-runs', { key, bytes, headers: { ...XML, ...headers } });

async function linesOf({ keys }: Tenant, { id }: Run): Promise<readonly Line[]> {
  const { body } = await running.request<Page<Line>>(`GET /payment-runs/${id}/lines`, { key: keys.viewer });
  return body.items;
}

describe('a payment run', () => {
  test('goes from the file to the bank: judged, read, released, downloaded once', async () => {
    const tenant = await running.newTenant();
    const { owner, analyst } = tenant.keys;
    await post(tenant, 'HB-2210');
    const { status, body: run } = await send(analyst, fileOf(['HB-2210', 'HB-9999']));
    expect([status, run.lineCount]).toEqual([201, 2]);
    expect((await send(analyst, fileOf(['HB-2210', 'HB-9999']))).status).toBe(200);
    const lines = await linesOf(tenant, run);
    expect(lines.at(1)).toMatchObject({ id: '1.2', verdict: 'UNKNOWN' });
    expect(JSON.stringify(lines)).not.toContain(IBAN);
    const release = await running.request(`POST /payment-runs/${run.id}/lines/1.2/release`, {
      key: owner,
      body: { note: 'A deposit.' },
    });
    expect(release.status).toBe(200);
    const file = await running.request(`GET /payment-runs/${run.id}/file`, { key: owner });
    expect(file).toMatchObject({ status: 200 });
    expect(file.text).toContain('HB-9999');
    const again = await running.request(`GET /payment-runs/${run.id}/file?repeat=1`, { key: owner });
    expect(again.text).toBe(file.text);
    const { body } = await running.request<Run>(`GET /payment-runs/${run.id}`, { key: owner });
    expect(body.downloads).toHaveLength(1);
  });

  test('to an exchanged account is held with evidence', async () => {
    const tenant = await running.newTenant();
    await post(tenant, 'HB-1');
    const { body: run } = await send(tenant.keys.owner, fileOf(['HB-1'], OTHER_IBAN));
    const [line] = await linesOf(tenant, run);
    expect(line?.verdict).toBe('HOLD');
    expect(line?.reasons.map(({ code }) => code)).toContain('ACCOUNT_DIFFERS');
    expect(line?.reasons[0]?.evidence.explanation.length).toBeGreaterThan(0);
  });

  test('of another organization looks like a missing one, and a viewer only reads', async () => {
    const [tenant, stranger] = [await running.newTenant(), await running.newTenant()];
    const { body: run } = await send(tenant.keys.owner, fileOf(['HB-1']));
    const targets = ['', '/lines', '/file'].map((end) => `GET /payment-runs/${run.id}${end}`);
    const writes = [`POST /payment-runs/${run.id}/recheck`, `POST /payment-runs/${run.id}/reports`];
    for (const target of [...targets, ...writes]) {
      const missing = target.replace(run.id, UNKNOWN_ID);
      const options = {
        key: stranger.keys.owner,
        ...(target.endsWith('reports') ? { bytes: '<a/>', headers: XML } : {}),
      };
      const [foreign, unknown] = await Promise.all(
        [target, missing].map((one) => running.request<ErrorBody>(one, { ...options, requestId: 'same-request' })),
      );
      expect([target, foreign?.status, foreign?.text]).toEqual([target, 404, unknown?.text]);
    }
    for (const target of [`GET /payment-runs/${run.id}/file`, ...writes]) {
      expect((await running.request(target, { key: tenant.keys.viewer })).status).toBe(403);
    }
    expect((await running.request(`GET /payment-runs/${run.id}`, { key: tenant.keys.viewer })).status).toBe(200);
  });
});

describe('the command', () => {
  const command = fileURLToPath(new URL('../../tools/dev/dist/check-payments.js', import.meta.url));
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'payments-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const check = (key: string, file: string, ...options: readonly string[]) => {
    const args = [command, file, '--api', `${running.origin}/v1`, ...options];
    const env = { ...process.env, INIT_CWD: directory, INVOICE_CONTROL_KEY: key };
    return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
  };

  test('prints what is not paid, and writes the file that may go to the bank', async () => {
    const tenant = await running.newTenant();
    await post(tenant, 'HB-1');
    await writeFile(join(directory, 'run.xml'), fileOf(['HB-1', 'HB-9']));
    const ended = await check(tenant.keys.owner, 'run.xml', '--out', 'clean.xml');
    expect(ended.stdout).toMatch(/UNKNOWN 1[.]2 .*HB|UNKNOWN 1[.]2/);
    expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining('2 lines: ') as unknown });
    expect(await readFile(join(directory, 'clean.xml'), 'utf8')).toContain('HB-1');
  });

  test('sends the same JSON file as the same run, and says what is wrong with another one', async () => {
    const { keys } = await running.newTenant();
    const payments = [{ id: 'a', amount: '1.00', currency: 'EUR' }];
    await writeFile(join(directory, 'run.json'), JSON.stringify({ payments }));
    const [first, second] = [await check(keys.owner, 'run.json'), await check(keys.owner, 'run.json')];
    expect(first).toMatchObject({ code: 3, stdout: expect.stringContaining('1 lines: ') as unknown });
    expect(second).toEqual(first);
    await writeFile(join(directory, 'refused.json'), JSON.stringify({ payments: [{ ...payments[0], amount: '0' }] }));
    const refused = await check(keys.owner, 'refused.json');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('payments[0].amount: ') as unknown });
    await writeFile(join(directory, 'broken.json'), '{ "payments": ');
    const broken = await check(keys.owner, 'broken.json');
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('is not valid JSON') as unknown });
  });

  test('sends the key of the demonstration to the demonstration, and to no other address', async () => {
    const { keys } = await running.newTenant();
    await mkdir(join(directory, '.data'));
    await writeFile(join(directory, '.data/demo.json'), JSON.stringify({ baseUrl: `${running.origin}/v1`, keys }));
    await writeFile(join(directory, 'run.xml'), fileOf(['HB-9']));
    const { INVOICE_CONTROL_KEY: _, ...env } = process.env;
    const options = { cwd: directory, env: { ...env, INIT_CWD: directory } };
    const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, [command, ...args], options);
    await expect(run('run.xml')).rejects.toMatchObject({
      code: 3,
      stdout: expect.stringContaining('1 lines: ') as unknown,
    });
    await expect(run('run.xml', '--api', `${running.origin}/v1`)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('There is no API key.') as unknown,
    });
  });

  test('says how to start a service if none responds', async () => {
    await writeFile(join(directory, 'run.xml'), fileOf(['HB-1']));
    const ended = await check('ick_live_key', 'run.xml', '--api', 'http://127.0.0.1:1/v1');
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') as unknown });
  });
});

describe('bad input', () => {
  const refused = ({ status, body }: Answer<Run & ErrorBody>) => [status, body.error.code];

  test.each<[string, (text: string) => string]>([
    ['an entity', (text) => text.replace('<Document', '<!DOCTYPE a [<!ENTITY b "c">]><Document')],
    ['another encoding', (text) => text.replace('UTF-8', 'UTF-7')],
    ['a wrong count', (text) => text.replace(/<NbOfTxs>[^<]*/, '<NbOfTxs>9')],
    [
      'a signed file',
      (text) => text.replace('</Document>', '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></Document>'),
    ],
    ['an unknown version', (text) => text.replaceAll('pain.001.001.09', 'pain.001.001.12')],
    ['no XML', () => 'not XML'],
    ['nothing', () => ''],
  ])('such as %s is 400 and stores nothing', async (_, change) => {
    const { keys } = await running.newTenant();
    expect(refused(await send(keys.owner, change(fileOf(['HB-1']))))).toEqual([400, 'INVALID_REQUEST']);
    const { body } = await running.request<Page<Run>>('GET /payment-runs', { key: keys.owner });
    expect(body.items).toEqual([]);
  });

  test('such as a file above 10 MiB is 413, and another type 415', async () => {
    const { keys } = await running.newTenant();
    const large = fileOf(['HB-1']) + ' '.repeat(10 * 1024 * 1024);
    expect(refused(await send(keys.owner, large))).toEqual([413, 'INVALID_REQUEST']);
    expect((await send(keys.owner, fileOf(['HB-1']), { 'content-type': 'text/csv' })).status).toBe(415);
  });

  test.each<[unknown, string]>([
    [{ payments: [] }, 'payments'],
    [
      {
        payments: [
          { id: 'a', amount: '1', currency: 'EUR' },
          { id: 'a', amount: '1', currency: 'EUR' },
        ],
      },
      'payments[1].id',
    ],
    [{ payments: [{ id: 'a', amount: '1.005', currency: 'EUR' }] }, 'payments[0].amount'],
    [{ payments: [{ id: 'a', amount: '0', currency: 'EUR' }] }, 'payments[0].amount'],
    [
      { payments: [{ id: 'a', amount: '1', currency: 'EUR', creditor_account: 'DE00' }] },
      'payments[0].creditor_account',
    ],
    [{ payments: [{ id: 'a', amount: '1', currency: 'EUR', iban: IBAN }] }, 'payments[0].iban'],
  ])('in JSON such as %j names its place', async (body, path) => {
    const { keys } = await running.newTenant();
    const { status, body: answer } = await running.request<ErrorBody>('POST /payment-runs', { key: keys.owner, body });
    expect([status, answer.error.details?.[0]?.path]).toEqual([400, path]);
  });
});
