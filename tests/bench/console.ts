// Runs `npm run bench:console`, which measures the web application in Chromium against its budgets: when the list of
// findings is painted on several networks, how long scripts block, and how quickly a key moves the selection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createTenant } from '@invoicecontrol/dev/tenant';
import { findChromium } from '@invoicecontrol/dev/chromium';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { newSecrets } from '@invoicecontrol/topology/start';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launch } from '../e2e/browser.js';
import { median } from './cell.js';
import { apiOf } from './erp-companies.js';
import { machine, writeReport } from './one-core.js';
import { percentilesOf } from './percentiles.js';
import { step } from './progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from './run-program.js';
import { startSystem } from './servers.js';
import { startStores } from './stores.js';
import { goodIn, table } from './table.js';

/** Time limit of the benchmark of the web application in minutes. */
const MINUTES_MAX = 15;

const usage = `Opens the list of findings of the web application in Chromium with an empty cache, and moves through it with the keyboard.

  npm run bench:console               about three minutes
  npm run bench:console -- --json FILE   the figures as JSON too

Ends with code 1 if a budget was missed. Ends after ${MINUTES_MAX} minutes at the latest.
`;

/** Number of past invoices of the organization. Each of them repeats another one, so that each has a finding. */
const INVOICES = 400;
const ROUNDS = 5;
const MOVES = 40;
const BYTES_PER_MB = 1024 * 1024;
/** Time without a change after which the page counts as painted. */
const SETTLED_MS = 1_000;

/** Simulated networks and processor speeds. `paintMsMax` is the time in which the list of findings must be painted. */
const loads = [
  { name: 'this machine', slowdown: 1, paintMsMax: 800 },
  { name: '9 Mbit/s, 60 ms, processor 4 x slower', bits: 9e6, latencyMs: 60, slowdown: 4, paintMsMax: 1_800 },
  { name: '1.6 Mbit/s, 150 ms, processor 4 x slower', bits: 1.6e6, latencyMs: 150, slowdown: 4, paintMsMax: 2_500 },
] as const;
const BLOCKED_MS_MAX = 500;
const KEY_MS_MAX = { 1: 50, 4: 100 } as const;
const HEAP_MB_MAX = 40;
const BUILD_MS_MAX = 15_000;

/** Runs in the page before its scripts, and records the time of the largest paint and the duration of long tasks. */
const OBSERVE = `
  window.measured = { paintMs: 0, blockedMs: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.measured.paintMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.measured.blockedMs += duration - 50;
  }).observe({ type: 'longtask', buffered: true });
`;

/** Presses a key on the page, and returns the milliseconds until the next frame has been painted. */
const MOVE = `(async () => {
  const began = performance.now();
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - began;
})()`;

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB' | '';
  readonly max: number;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) return void process.stdout.write(usage);
  endAfter(MINUTES_MAX);
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('Install Chromium, or name it in CHROMIUM.');
  const { origin, key } = await startProduct();
  const browser = await launch(executablePath);
  onEnd(() => browser.close());
  const rows = [...(await measureLoads(browser, origin, key)), ...(await measureKeys(browser, origin, key))];
  rows.push({ name: 'build', value: await buildMs(), unit: 'ms', max: BUILD_MS_MAX });
  await writeReport(values, { ...machine(), rows });
  const good = goodIn(process.stdout.isTTY);
  const shown = rows.map(({ name, value, unit, max }) => [
    name,
    good(`${value.toFixed(0)} ${unit}`.trim(), value <= max),
    `${max} ${unit}`.trim(),
  ]);
  process.stdout.write(`${table([['web application', 'measured', 'budget'], ...shown], 0)}\n`);
  if (rows.some(({ value, max }) => value > max)) process.exitCode = 1;
}

/** Starts the product with an organization that has a finding for each past invoice. */
async function startProduct(): Promise<{ readonly origin: string; readonly key: string }> {
  step('starting MongoDB, NATS and the services');
  const stores = await startStores();
  const identities = await identitiesForTests();
  const logDir = await logDirectory('bench-console');
  const system = await startSystem({ ...stores, secrets: newSecrets(), identities, logDir, name: 'console', env: {} });
  const tenant = await createTenant(system.organization.address, identities, 'Bench console');
  step(`scanning ${INVOICES} past invoices`);
  const rows = Array.from({ length: INVOICES }, (_, index) => {
    const pair = Math.floor(index / 2);
    return {
      supplierName: `Lieferant ${pair} GmbH`,
      invoiceNumber: `${index % 2 === 0 ? 'RE-' : 're '}${pair + 10_000}`,
      issueDate: '2026-03-02',
      currency: 'EUR',
      grossAmount: `${100 + pair}.00`,
      sourceRowNumber: index + 2,
    };
  });
  await apiOf(system.gateway.address, tenant.keys.owner).post('/scans', { body: { rows } });
  return { origin: new URL(`http://${system.gateway.address}`).origin, key: tenant.keys.analyst };
}

/** Opens the web application in a browser context of its own, signed in, without a cache. */
async function openPage(browser: Browser, origin: string, key: string): Promise<{ page: Page; cdp: CDPSession }> {
  const context = await browser.newContext({ baseURL: origin });
  await context.addInitScript(OBSERVE);
  const page = await context.newPage();
  await page.goto('/app');
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  return { page, cdp };
}

async function openList(page: Page): Promise<void> {
  await page.goto('/app/findings?disposition=any');
  await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().waitFor();
  await page.waitForTimeout(SETTLED_MS);
}

async function measureLoads(browser: Browser, origin: string, key: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, slowdown, paintMsMax, ...network } of loads) {
    step(`opening the list: ${name}`);
    const { page, cdp } = await openPage(browser, origin, key);
    if ('bits' in network) {
      const bytes = network.bits / 8;
      const conditions = {
        offline: false,
        latency: network.latencyMs,
        downloadThroughput: bytes,
        uploadThroughput: bytes,
      };
      await cdp.send('Network.emulateNetworkConditions', conditions);
    }
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const measured: { readonly paintMs: number; readonly blockedMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await openList(page);
      measured.push(await page.evaluate('window.measured'));
    }
    const paintMs = median(measured.map((one) => one.paintMs));
    rows.push({ name: `list of findings painted, ${name}`, value: paintMs, unit: 'ms', max: paintMsMax });
    if (slowdown > 1) {
      const blockedMs = median(measured.map((one) => one.blockedMs));
      rows.push({ name: `blocked by scripts, ${name}`, value: blockedMs, unit: 'ms', max: BLOCKED_MS_MAX });
    }
    await page.context().close();
  }
  return rows;
}

async function measureKeys(browser: Browser, origin: string, key: string): Promise<Row[]> {
  const { page, cdp } = await openPage(browser, origin, key);
  const rows: Row[] = [];
  for (const slowdown of [1, 4] as const) {
    step(`moving through the list, processor ${slowdown} x slower`);
    await openList(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const durationsMs: number[] = [];
    for (let move = 0; move < MOVES; move++) durationsMs.push(await page.evaluate<number>(MOVE));
    const name = `key to frame, 95 of 100, processor ${slowdown} x slower`;
    rows.push({ name, value: percentilesOf(durationsMs).p95Ms, unit: 'ms', max: KEY_MS_MAX[slowdown] });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  }
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  rows.push({ name: 'memory of scripts', value: usedSize / BYTES_PER_MB, unit: 'MB', max: HEAP_MB_MAX });

  step('deciding a finding');
  let writes = 0;
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes += 1;
  });
  await page.getByRole('button', { name: 'False positive (f)' }).waitFor();
  await page.keyboard.press('f');
  await page.getByText('The finding is now: False positive.').waitFor();
  rows.push({ name: 'writes for a decision', value: writes, unit: '', max: 1 });
  return rows;
}

/** Builds the web application, and returns the milliseconds that this took. */
async function buildMs(): Promise<number> {
  step('building the web application');
  const began = performance.now();
  const build = spawn('npm', ['run', '--silent', 'build', '--workspace', 'console'], { stdio: 'ignore' });
  const [code] = (await once(build, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The web application does not build.');
  return performance.now() - began;
}
