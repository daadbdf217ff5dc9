import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient, verifyWebhook } from '@invoicecontrol/client';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { isThere, languagesIn, root, startReceiver } from '../contract/receiver-languages.js';
import type { Language } from '../contract/receiver-languages.js';

const EVENT = 'finding.created';
const PYTHON_MS_MAX = 30_000;
const INSTALL_MS_MAX = 300_000;
const NO_PYTHON = 3;
const NOT_DELIVERED = 'No verified delivery came within a minute.';

export interface Access {
  /** The address of the API, which ends in `/v1`. */
  readonly api: string;
  readonly key: string;
}

/**
 * Result of trying one client or receiver as an integrator would, until a webhook is received and verified, with the
 * duration of each step.
 */
export interface Walked {
  readonly name: string;
  readonly result: 'verified' | 'skipped' | 'FAILED';
  readonly startSeconds: number;
  readonly deliverySeconds: number;
  /** Sentence that says why the trial was skipped or failed. */
  readonly detail: string;
}

type Show = (walked: Walked) => void;

/**
 * Tries each sample webhook receiver that can run on this machine: starts it and sends it a webhook, as an integrator
 * would, until it has verified the webhook.
 */
export async function walkReceivers(access: Access, show: Show): Promise<Walked[]> {
  // The sample receiver is copied below the root of the repository, so that the receiver in TypeScript finds the client
  // by its name.
  await mkdir(join(root, '.cache'), { recursive: true });
  const directory = await mkdtemp(join(root, '.cache', 'walk-'));
  try {
    const walks: Walked[] = [];
    for (const language of languagesIn(directory)) {
      const walked = await timed(`receiver in ${language.name}`, () => walkReceiver(access, language, directory));
      show(walked);
      walks.push(walked);
    }
    return walks;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

type Times = Pick<Walked, 'startSeconds' | 'deliverySeconds'> | { readonly missing: string };

async function timed(name: string, walk: () => Promise<Times>): Promise<Walked> {
  const none = { name, startSeconds: 0, deliverySeconds: 0 };
  try {
    const times = await walk();
    if ('missing' in times) return { ...none, result: 'skipped', detail: `${times.missing} is not installed.` };
    return { name, result: 'verified', ...times, detail: '' };
  } catch (error) {
    return { ...none, result: 'FAILED', detail: String(error) };
  }
}

/**
 * Registers the webhook before the receiver starts, because the receiver needs the secret. The webhook has the port of
 * a forwarder, because a receiver reports its own port only when it runs.
 */
async function walkReceiver(access: Access, language: Language, directory: string): Promise<Times> {
  if (!isThere(language)) return { missing: language.probe[0] };
  const beganMs = performance.now();
  await language.prepare?.();
  const inbox = await startInbox();
  const client = createClient({ baseUrl: access.api, apiKey: access.key });
  const { data: webhook } = await client.post('/webhooks', { body: { url: inbox.url, events: [EVENT] } });
  try {
    const eventsDirectory = await mkdtemp(join(directory, 'events-'));
    const receiver = await startReceiver(language, { secret: webhook.secret, eventsDirectory });
    try {
      inbox.forwardTo(receiver.origin);
      const startSeconds = secondsSince(beganMs);
      const requestedMs = performance.now();
      const { data } = await client.post('/webhooks/{webhookId}/test', {
        path: { webhookId: webhook.id },
        body: { type: EVENT },
      });
      const { eventId } = data;
      await eventually(() => {
        const isHandled = receiver.output.some((line) => line.includes('handled') && line.includes(eventId));
        assert(isHandled, NOT_DELIVERED);
      });
      return { startSeconds, deliverySeconds: secondsSince(requestedMs) };
    } finally {
      await receiver.stop();
    }
  } finally {
    await client.delete('/webhooks/{webhookId}', { path: { webhookId: webhook.id } });
    inbox.stop();
  }
}

/**
 * Performs the steps of an integrator with each client library: it registers a webhook, requests a delivery, and
 * verifies what arrives.
 */
export async function walkClients(access: Access, show: Show): Promise<Walked[]> {
  const walks: Walked[] = [];
  for (const [name, walk] of [
    ['TypeScript client', walkTypeScript],
    ['Python client', walkPython],
  ] as const) {
    const walked = await timed(name, () => walk(access));
    show(walked);
    walks.push(walked);
  }
  return walks;
}

async function walkTypeScript({ api, key }: Access): Promise<Times> {
  const beganMs = performance.now();
  const inbox = await startInbox();
  const client = createClient({ baseUrl: api, apiKey: key });
  const { data: webhook } = await client.post('/webhooks', { body: { url: inbox.url, events: [EVENT] } });
  try {
    const startSeconds = secondsSince(beganMs);
    const requestedMs = performance.now();
    const path = { webhookId: webhook.id };
    const { data } = await client.post('/webhooks/{webhookId}/test', { path, body: { type: EVENT } });
    const { body, headers } = await inbox.next();
    const event = verifyWebhook({ body, headers, secret: webhook.secret });
    if (event.id !== data.eventId) throw new Error(`The event ${event.id} came instead of ${data.eventId}.`);
    return { startSeconds, deliverySeconds: secondsSince(requestedMs) };
  } finally {
    await client.delete('/webhooks/{webhookId}', { path: { webhookId: webhook.id } });
    inbox.stop();
  }
}

/**
 * The program of the client first registers a webhook and requests a delivery. It then verifies the delivery that this
 * process passes to it.
 */
const PYTHON = `
import base64, json, os, sys
from invoice_control import InvoiceControl, verify_webhook
api = InvoiceControl(os.environ["INVOICE_CONTROL_URL"], os.environ["INVOICE_CONTROL_API_KEY"])
task = json.load(sys.stdin)
if task["step"] == "register":
    webhook = api.create_webhook({"url": task["url"], "events": ["${EVENT}"]})
    delivery = api.test_webhook(webhook["id"], {"type": "${EVENT}"})
    print(json.dumps({"id": webhook["id"], "secret": webhook["secret"], "eventId": delivery["eventId"]}))
elif task["step"] == "verify":
    event = verify_webhook(base64.b64decode(task["body"]), task["headers"], task["secret"])
    print(json.dumps({"eventId": event["id"]}))
else:
    api.delete_webhook(task["id"])
    print("{}")
`;

/** Installs the packages of the Python client once, and prints the path of its Python. */
const INSTALL_PYTHON = `
import { hasPython, installPythonPackages } from './tools/python-packages.mjs';
if (hasPython()) console.log(installPythonPackages() + '/python');
else process.exitCode = ${NO_PYTHON};
`;

async function walkPython({ api, key }: Access): Promise<Times> {
  const installed = spawnSync(process.execPath, ['--input-type=module', '-e', INSTALL_PYTHON], {
    cwd: root,
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  });
  if (installed.status === NO_PYTHON) return { missing: 'Python 3.11 with venv' };
  if (installed.status !== 0) throw new Error(installed.stderr.trim().split('\n').at(-1));
  const python = installed.stdout.trim();
  const run = <Result>(task: object): Result => {
    const { status, stdout, stderr } = spawnSync(python, ['-c', PYTHON], {
      encoding: 'utf8',
      input: JSON.stringify(task),
      timeout: PYTHON_MS_MAX,
      env: {
        ...process.env,
        PYTHONPATH: join(root, 'clients/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        INVOICE_CONTROL_URL: api,
        INVOICE_CONTROL_API_KEY: key,
      },
    });
    if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
    return JSON.parse(stdout) as Result;
  };
  const beganMs = performance.now();
  const inbox = await startInbox();
  let id: string | undefined;
  try {
    const registered = run<{ id: string; secret: string; eventId: string }>({ step: 'register', url: inbox.url });
    ({ id } = registered);
    const startSeconds = secondsSince(beganMs);
    const requestedMs = performance.now();
    const { body, headers } = await inbox.next();
    const { secret } = registered;
    const verified = run<{ eventId: string }>({ step: 'verify', body: body.toString('base64'), headers, secret });
    if (verified.eventId !== registered.eventId) throw new Error(`Another event came: ${verified.eventId}.`);
    return { startSeconds, deliverySeconds: secondsSince(requestedMs) };
  } finally {
    if (id !== undefined) run({ step: 'delete', id });
    inbox.stop();
  }
}

interface Received {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

interface Inbox {
  readonly url: string;
  /**
   * Forwards later webhook requests to a sample receiver, byte for byte. The inbox then responds with the status of
   * that receiver.
   */
  forwardTo(origin: string): void;
  /** Resolves with the first webhook request that arrives. */
  next(): Promise<Received>;
  stop(): void;
}

/** Starts a local HTTP server that receives webhooks and passes them on to a sample receiver. */
async function startInbox(): Promise<Inbox> {
  let target: string | undefined;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { headers } = request;
      received.push({ body, headers });
      void forward(target, { body, headers }).then((status) => response.writeHead(status).end());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    forwardTo: (origin) => (target = origin),
    next() {
      return eventually(() => received[0] ?? assert.fail(NOT_DELIVERED));
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function forward(origin: string | undefined, { body, headers }: Received): Promise<number> {
  if (origin === undefined) return 204;
  const names = ['content-type', 'svc-event-id', 'svc-signature'];
  const passed = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
  const request = { method: 'POST', headers: passed, body: new Uint8Array(body) };
  return fetch(`${origin}/hooks`, request).then(
    ({ status }) => status,
    () => 502,
  );
}

function secondsSince(beganMs: number): number {
  return (performance.now() - beganMs) / 1_000;
}
