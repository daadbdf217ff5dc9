// What is left of an attack: whether others are served, and whether memory is given back.
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attacks.js';
import type { AttackedSystem } from './attacked-system.js';

/** Of what was there before the attack. */
export const MEMORY_SHARE_MAX = 1.2;
const MEMORY_MS_MAX = 30_000;
const SAMPLE_EACH_MS = 20;
const WARM_UP_REQUESTS = 300;

export interface Aftermath {
  readonly answers: string;
  readonly tookMs: number;
  /** How long the slowest request of the ordinary client took, during the attack and after it. */
  readonly servedMs: number;
  readonly beforeBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
}

/** @param servedMsMax a client that waits longer for an answer gives up. @throws Error when it is not served */
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

/** Serves ordinary requests, so that all that is loaded or compiled once is there before memory is compared. */
export async function warmUp(system: AttackedSystem, servedMsMax: number): Promise<void> {
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await serve(system, servedMsMax);
  const page = await (await fetch(`${system.origin}/docs`)).text();
  for (const [, path] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    await (await fetch(`${system.origin}${path}`)).arrayBuffer();
  }
}

/** An ordinary client with connections of its own reads and writes. @returns how long the slower one took */
async function serve({ origin, bystander }: AttackedSystem, servedMsMax: number): Promise<number> {
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
  return Math.max(...times);
}
