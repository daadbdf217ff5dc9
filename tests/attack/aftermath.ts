// Checks the system after an attack: other clients must be served, and memory must be released.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { putContent, reserve } from '../bench/upload-client.js';
import type { Attack } from './attacks.js';
import type { AttackedSystem } from './attacked-system.js';
import { head, open, statusOf } from './wire.js';

/** Maximum memory of a process after an attack, relative to the memory before the attack. */
export const MEMORY_SHARE_MAX = 1.2;
const MEMORY_MS_MAX = 30_000;
const SAMPLE_EACH_MS = 20;
const WARM_UP_REQUESTS = 300;

export interface Aftermath {
  readonly answers: string;
  readonly tookMs: number;
  /** Maximum duration of the slowest request of an ordinary client, during and after the attack. */
  readonly servedMs: number;
  readonly beforeBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
}

/**
 * Runs an attack, and measures its effect on the memory of the gateway and on an ordinary client.
 * @param servedMsMax maximum time that an ordinary client waits for a response
 * @throws Error if a client gets no response in time
 */
export async function play(system: AttackedSystem, attack: Attack, servedMsMax: number): Promise<Aftermath> {
  const beforeBytes = await system.collectedBytes();
  let peakBytes = beforeBytes;
  let sampling = Promise.resolve();
  const sampler = setInterval(() => {
    sampling = sampling.then(async () => {
      peakBytes = Math.max(peakBytes, await system.residentBytes());
    });
  }, SAMPLE_EACH_MS);
  const served: number[] = [];
  const beganMs = performance.now();
  let answers: string;
  let tookMs: number;
  try {
    answers = await attack.run(system, async () => void served.push(await serve(system, servedMsMax)));
    tookMs = performance.now() - beganMs;
    served.push(await serve(system, servedMsMax));
  } finally {
    clearInterval(sampler);
  }
  await sampling;
  const deadlineMs = performance.now() + MEMORY_MS_MAX;
  let afterBytes = await system.collectedBytes();
  while (afterBytes > beforeBytes * MEMORY_SHARE_MAX && performance.now() < deadlineMs) {
    await delay(SAMPLE_EACH_MS);
    afterBytes = await system.collectedBytes();
  }
  return { answers, tookMs, servedMs: Math.max(...served), beforeBytes, peakBytes, afterBytes };
}

/** Sends ordinary requests, so that all code is loaded and compiled before memory is measured. */
export async function warmUp(system: AttackedSystem, servedMsMax: number): Promise<void> {
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await serve(system, servedMsMax);
  const page = await (await fetch(`${system.origin}/docs`)).text();
  for (const [, path] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    await (await fetch(`${system.origin}${path}`)).arrayBuffer();
  }
}

/**
 * Makes the requests of an ordinary client (read, write and upload), each over a separate connection. Then makes two
 * requests without an API key, each from a separate address: one accepts an invitation, and one is a payment
 * notification. Both have an invalid proof.
 * @returns the duration of the slowest request
 */
async function serve(system: AttackedSystem, servedMsMax: number): Promise<number> {
  const { origin, bystander } = system;
  const headers = {
    authorization: `Bearer ${bystander.keys.owner}`,
    'content-type': 'application/json',
    connection: 'close',
  };
  const times = [];
  for (const [method, path, body, expected] of [
    ['GET', '/v1/organizations/current', undefined, 200],
    ['POST', '/v1/scans', '{"rows":[]}', 400],
    ['PATCH', '/v1/organizations/current', '{}', 400],
  ] as const) {
    const beganMs = performance.now();
    const signal = AbortSignal.timeout(servedMsMax);
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    times.push(performance.now() - beganMs);
  }
  times.push(await serveUpload(system, servedMsMax));
  times.push(await serveStranger(system, '/v1/members/accept', '{"token":"junk","name":"x"}', servedMsMax));
  times.push(await serveStranger(system, '/v1/billing/paddle/notifications', '{}', servedMsMax));
  return Math.max(...times);
}

async function serveUpload({ origin, bystander }: AttackedSystem, servedMsMax: number): Promise<number> {
  const file = { mediaType: 'application/xml', bytes: Buffer.from('<Invoice/>') };
  const reservation = await reserve({ origin, key: bystander.keys.owner }, file.mediaType, file.bytes.length);
  const beganMs = performance.now();
  const status = await Promise.race([
    putContent({ origin, key: '' }, reservation, file),
    delay(servedMsMax, 0, { ref: false }),
  ]);
  if (status !== 204) throw new Error(`An ordinary upload was answered ${status === 0 ? 'too late' : status}.`);
  return performance.now() - beganMs;
}

/**
 * Sends a request without an API key to a route where the gateway checks a token or a signature instead. The gateway
 * must respond that the token or the signature is invalid.
 */
async function serveStranger(
  { port }: AttackedSystem,
  path: string,
  body: string,
  servedMsMax: number,
): Promise<number> {
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const socket = await open(port, address);
  const beganMs = performance.now();
  try {
    const status = Promise.race([statusOf(socket), delay(servedMsMax, 0, { ref: false })]);
    socket.write(`${head('POST', path, 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`);
    if (![400, 401, 404].includes(await status)) throw new Error(`POST ${path} of a stranger: ${await status}`);
  } finally {
    socket.destroy();
  }
  return performance.now() - beganMs;
}
