// Runs the compiled entry for browsers in a context that has Web Crypto and the other globals of the web, and nothing of
// Node.js, as browsers, workers and Deno do.
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SECRET = 'whsec_4f9aQ2mZr7TtVx1Lk8HnYb3Cd5Ej6Gp0SuWiXoAyBzD';
const T = 1_770_000_000;
const ID = 'evt_3k2j';
const BODY = JSON.stringify({ id: ID, type: 'finding.created', data: { finding_id: 'Grüße' } });

/** Links the modules of the entry in a context with the named globals, and runs the program there. */
const HOST = `
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
const [entry, program] = process.argv.slice(-2);
const web = { crypto, TextEncoder, TextDecoder, URL, URLSearchParams, Headers, Request, Response, Blob, AbortSignal };
const context = vm.createContext({ ...web, Uint8Array, ArrayBuffer });
const modules = new Map();
const load = (url) => {
  if (!modules.has(url.href)) {
    modules.set(url.href, new vm.SourceTextModule(readFileSync(url, 'utf8'), { context, identifier: url.href }));
  }
  return modules.get(url.href);
};
const link = (specifier, { identifier }) => {
  if (specifier !== 'client' && !specifier.startsWith('./')) throw new Error('imports ' + specifier);
  return load(specifier === 'client' ? new URL(entry) : new URL(specifier, identifier));
};
const main = new vm.SourceTextModule(program, { context, identifier: 'file:///program.js' });
await main.link(link);
await main.evaluate();
console.log(JSON.stringify(main.namespace.found));
`;

async function runInWebContext(program: string): Promise<unknown> {
  const entry = new URL('../dist/browser.js', import.meta.url).href;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', HOST, '--', entry, program],
    { cwd: fileURLToPath(new URL('.', import.meta.url)), env: {} },
  );
  return JSON.parse(stdout);
}

test('verifyWebhook accepts a delivery and refuses a changed one where only Web Crypto exists', async () => {
  const signature = createHmac('sha256', SECRET).update(`${ID}.${T}.${BODY}`).digest('hex');
  const request = {
    body: BODY,
    headers: { 'svc-event-id': ID, 'svc-signature': `t=${T},v1=${signature}` },
    secret: ['whsec_new', SECRET],
  };
  const found = await runInWebContext(`
import { verifyWebhook } from 'client';
const request = { ...${JSON.stringify(request)}, now: () => new Date(${T * 1_000}) };
const reason = (changed) => verifyWebhook(changed).then(() => 'accepted', (error) => error.reason ?? String(error));
export const found = {
  globals: [typeof process, typeof Buffer, typeof require],
  event: await verifyWebhook(request),
  bytes: await verifyWebhook({ ...request, body: new TextEncoder().encode(request.body) }),
  changed: await reason({ ...request, body: request.body + ' ' }),
  old: await reason({ ...request, now: () => new Date(${(T + 301) * 1_000}) }),
};`);
  const event = JSON.parse(BODY) as unknown;
  expect(found).toEqual({
    globals: ['undefined', 'undefined', 'undefined'],
    event,
    bytes: event,
    changed: 'SIGNATURE_MISMATCH',
    old: 'TOO_OLD',
  });
});
