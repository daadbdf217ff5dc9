// Runs the command line of the API as its users do, against the running product.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { fullInvoice, plainInvoice } from './shapes.js';
import { ubl } from './uploading.js';

const program = fileURLToPath(new URL('../../packages/cli/bin/invoice-control.mjs', import.meta.url));

/** A tax id and a long number, without which a repeated invoice is not certain enough for BLOCK. */
const CERTAIN = { supplier: { name: 'Harbour Print Ltd', tax_id: 'GB999140712' }, invoice_number: 'HP-2026-1042' };

let running: RunningSystem;
let receiver: WebhookReceiver;
let directory: string;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
    WEBHOOK_RETRY_WAITS_MS: '100,100,100,100',
    WEBHOOK_RETRY_FLOOR_MS: '50',
  });
  directory = await mkdtemp(join(tmpdir(), 'cli-'));
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
  await rm(directory, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the command line with a key in a directory that has no demonstration. */
function start(args: readonly string[], key: string): { child: ReturnType<typeof spawn>; ended: Promise<Ended> } {
  const { INIT_CWD: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { ...env, NODE_OPTIONS: '', INVOICE_CONTROL_URL: `${running.origin}/v1`, INVOICE_CONTROL_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...text })) };
}

const cli = (args: readonly string[], key: string): Promise<Ended> => start(args, key).ended;

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(directory, name), content);
  return name;
}

describe('post', () => {
  test('prints the decision on an invoice in JSON, and ends with the exit code of the decision', async () => {
    const { keys } = await running.newTenant();
    const first = await file('first.json', JSON.stringify(plainInvoice(1)));
    const passed = await cli(['post', first, '--json'], keys.owner);
    expect({ code: passed.code, err: passed.err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(passed.out)).toMatchObject({ decision: 'PASS', id: expect.any(String) });

    const review = await cli(['post', first], keys.owner);
    expect(review).toMatchObject({ code: 3, err: '', out: expect.stringMatching(/^REVIEW {2}/) });

    const known = await file('known.json', JSON.stringify({ ...plainInvoice(9), ...CERTAIN }));
    expect(await cli(['post', known], keys.owner)).toMatchObject({ code: 0 });
    const blocked = await cli(['post', known], keys.owner);
    expect(blocked).toMatchObject({ code: 4, err: '' });
    expect(blocked.out).toMatch(/^BLOCK {2}risk \d+ {2}[0-9a-f-]{36}\n {2}CRITICAL DUPLICATE_INVOICE: /);
  });

  test('creates no second invoice when it is repeated with the same idempotency key', async () => {
    const { keys } = await running.newTenant();
    const name = await file('keyed.json', JSON.stringify(plainInvoice(2)));
    const args = ['post', name, '--idempotency-key', 'own-2', '--json'];
    const ids = [await cli(args, keys.owner), await cli(args, keys.owner)].map(
      ({ out }) => (JSON.parse(out) as { id: string }).id,
    );
    expect(ids[0]).toBe(ids[1]);
  });

  test('uploads a document and waits for its decision', async () => {
    const { keys } = await running.newTenant();
    const { code, out } = await cli(['post', await file('invoice.xml', ubl('CLI-1')), '--json'], keys.owner);
    const { decision } = JSON.parse(out) as { decision: string };
    expect({ code, decision }).toEqual({ code: { PASS: 0, REVIEW: 3, BLOCK: 4 }[decision], decision });
  });

  test('names each invalid field, and never the key', async () => {
    const { keys } = await running.newTenant();
    const name = await file('wrong.json', JSON.stringify({ ...fullInvoice, currency: 'EURO' }));
    const refused = await cli(['post', name], keys.owner);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/\(INVALID_REQUEST, req_\w+\)\n {2}currency: /);
    expect((await cli(['post', name], `${keys.owner}x`)).err).not.toContain(keys.owner);
  });
});

describe('tail', () => {
  test('prints a decision that is made while it runs, once, and none of another organization', async () => {
    const [{ keys }, other] = [await running.newTenant(), await running.newTenant()];
    const before = await running.request<{ id: string }>('POST /invoices', { key: keys.owner, body: plainInvoice(3) });
    const { child, ended } = start(['tail', '--last', '1', '--count', '2', '--seconds', '1', '--json'], keys.owner);
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await eventually(() => expect(seen).toContain(before.body.id));
    await running.request('POST /invoices', { key: other.keys.owner, body: plainInvoice(4) });
    const after = await running.request<{ id: string }>('POST /invoices', { key: keys.owner, body: plainInvoice(5) });
    const { code, out } = await ended;
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; decision: string });
    expect({ code, ids: lines.map(({ id }) => id) }).toEqual({ code: 0, ids: [before.body.id, after.body.id] });
  });

  test('ends with 0 when it is interrupted', async () => {
    const { keys } = await running.newTenant();
    const { body } = await running.request<{ id: string }>('POST /invoices', {
      key: keys.owner,
      body: plainInvoice(6),
    });
    const { child, ended } = start(['tail', '--last', '1'], keys.owner);
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await eventually(() => expect(seen).toContain(body.id));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('replay', () => {
  test('sends again what a webhook did not receive, and only lists it with --dry-run', async () => {
    const { keys } = await running.newTenant();
    const path = '/cli';
    receiver.answer(path, (_, response) => response.writeHead(500).end());
    const { body: webhook } = await running.request<{ id: string }>('POST /webhooks', {
      key: keys.owner,
      body: { url: `${receiver.origin}${path}`, events: ['invoice.analysis.completed'] },
    });
    await running.request('POST /invoices', { key: keys.owner, body: plainInvoice(7) });
    const listed = ['replay', '--webhook', webhook.id];
    await eventually(async () => {
      const { out } = await cli([...listed, '--dry-run'], keys.owner);
      expect(out).toMatch(/invoice\.analysis\.completed {2}evt_\w+ {2}FAILED\n$/);
    });
    const attempts = receiver.to(path).length;
    receiver.answer(path, (_, response) => response.end());
    const replayed = await cli(listed, keys.owner);
    expect(replayed).toMatchObject({ code: 0, err: '' });
    expect(replayed.out).toMatch(/1 of 1 deliveries are sent again\.\n$/);
    await eventually(() => expect(receiver.to(path)).toHaveLength(attempts + 1));
  });

  test('refuses a delivery of another organization like one that does not exist', async () => {
    const { keys } = await running.newTenant();
    const { code, err } = await cli(['replay', '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14'], keys.owner);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14: No such /),
    });
  });
});

test('a wrong command line is 2 and says what to change', async () => {
  for (const [args, sentence] of [
    [[], 'The command is missing: choose post, tail or replay.'],
    [['send'], 'The command line client has no command send: choose post, tail or replay.'],
    [['post', 'missing.json'], 'The file missing.json cannot be read. Check its name.'],
    [['post', await file('a.txt', '')], 'a.txt must end in .json, .pdf, .xml, .png, .jpg, .jpeg.'],
    [['tail', '--last', '101'], 'The option --last is "101", but it must be a whole number from 0 to 100.'],
    [['replay'], 'replay needs either the ids of deliveries, or --webhook with the id of a webhook.'],
    [['tail', '--unknown'], 'Unknown option'],
  ] as const) {
    const { code, out, err } = await cli(args, 'ick_live_x');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
  }
  expect((await cli([], '')).err).toContain('The command is missing');
  expect(await cli(['--help'], '')).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes: 0 done') });
});

test('the last decisions that are printed first are at most a hundred', async () => {
  const { keys } = await running.newTenant();
  await running.request('POST /invoices', { key: keys.owner, body: plainInvoice(8) });
  expect(await cli(['tail', '--last', '100', '--count', '1'], keys.owner)).toMatchObject({ code: 0 });
});
