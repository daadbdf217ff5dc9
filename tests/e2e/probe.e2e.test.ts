// Runs the synthetic probe against the running product, as its CronJob does.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver } from './otlp-receiver.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import type { Page, StoredInvoice } from './shapes.js';

const PROGRAM = fileURLToPath(new URL('../../tools/admin/dist/admin.js', import.meta.url));

let running: RunningSystem;
let receiver: OtlpReceiver;
beforeAll(async () => {
  [running, receiver] = await Promise.all([useSharedSystem(), startOtlpReceiver()]);
});
afterAll(async () => {
  await receiver.close();
  await running.stop();
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runProbe(env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, 'probe'], {
    env: { ...receiver.env, OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=probe', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (status) => resolve({ status, ...texts }));
  });
}

/** Returns what the last probe has exported. */
function exported(): Record<string, number> {
  const points = receiver.points().filter(({ name }) => name.startsWith('invoicecontrol.probe.'));
  expect(points.map(({ service, instance }) => `${service} ${instance}`)).toEqual(['probe probe', 'probe probe']);
  return Object.fromEntries(points.map(({ name, value }) => [name, value]));
}

const url = (): string => `${running.origin}/v1`;

test('the probe succeeds again and again, and exports its success and its duration', async () => {
  const { keys } = await running.newTenant('ENTERPRISE');
  for (let times = 0; times < 2; times++) {
    expect(await runProbe({ PROBE_URL: url(), PROBE_API_KEY: keys.analyst })).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^An invoice and its duplicate were decided as expected in \d+\.\d\d s\.\n$/),
      stderr: '',
    });
    const { 'invoicecontrol.probe.success': success, 'invoicecontrol.probe.duration': seconds } = exported();
    expect(success).toBe(1);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(60);
  }
  const { body } = await running.request<Page<StoredInvoice>>('GET /invoices', { key: keys.owner });
  const numbers = body.items.map(({ invoice }) => invoice.invoice_number);
  expect([numbers.length, new Set(numbers).size]).toEqual([4, 2]);
});

test('a refused key fails the probe, and the output names the request but not the key', async () => {
  const key = `${running.tenant.keys.owner.slice(0, -4)}aaaa`;
  const { status, stdout, stderr } = await runProbe({ PROBE_URL: url(), PROBE_API_KEY: key });
  expect(status).toBe(1);
  expect(stdout).toMatch(/^The probe failed after/);
  expect(stderr).toMatch(/^401 UNAUTHORIZED \(request \S+\): The API key is missing or invalid\./);
  expect(stdout + stderr).not.toContain(key);
  expect(exported()).toMatchObject({ 'invoicecontrol.probe.success': 0 });
});

test('a duplicate that is not blocked fails the probe', async () => {
  const server = createServer((_, response) => {
    response.writeHead(202, { 'content-type': 'application/json', 'x-request-id': 'wrong' });
    const versions = { riskEngine: '1', policy: '1' };
    const id = '0198a000-0000-7000-8000-00000000000c';
    response.end(JSON.stringify({ id, status: 'ANALYZING', decision: 'PASS', risk_score: 0, findings: [], versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { status, stderr } = await runProbe({ PROBE_URL: address, PROBE_API_KEY: running.tenant.keys.owner });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^The second invoice PROBE-\S+ was decided PASS and not BLOCK as a duplicate\.\n$/);
    expect(exported()).toMatchObject({ 'invoicecontrol.probe.success': 0 });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('without a key, nothing is probed', async () => {
  expect(await runProbe({ PROBE_URL: url() })).toEqual({
    status: 0,
    stdout: 'Nothing was probed, because PROBE_API_KEY is not set.\n',
    stderr: '',
  });
});
