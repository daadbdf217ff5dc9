// These tests are slow, because elections and outages take real time. `npm run test:failover` runs them.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startInvoiceLoad } from '../e2e/crash/invoice-load.js';
import { sampleInvoice, sampleSource } from '../e2e/crash/sample-invoices.js';
import { startTrial } from '../e2e/crash/trial.js';
import type { Trial } from '../e2e/crash/trial.js';
import { startReplicaSet } from './replica-set.js';
import type { ReplicaSet } from './replica-set.js';

const BEFORE_MS = 3_000;
const NO_MAJORITY_MS = 25_000;
const PROBE_EACH_MS = 250;
/** The gateway answers soon after the database has been silent for more than two seconds, even on a busy machine. */
const ANSWERED_MS_MAX = 10_000;
const WELL_AGAIN_MS_MAX = 60_000;
const TEST_MS_MAX = 600_000;

let set: ReplicaSet;
let trial: Trial;
const unexpected: string[] = [];
beforeAll(async () => {
  set = await startReplicaSet((line) => unexpected.push(line));
  trial = await startTrial({ mongodbUrl: set.url });
}, TEST_MS_MAX);
afterAll(async () => {
  await trial?.stop();
  await set?.stop();
});

interface Probe {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

/** Posts one invoice after another during the outage, in addition to the load. */
function startProbing({ keys }: Tenant): { readonly probes: readonly Probe[]; stop(): Promise<void> } {
  const probes: Probe[] = [];
  const nextSample = sampleSource();
  let isOver = false;
  const probing = (async () => {
    for (let count = 0; !isOver; count += 1) {
      const beganMs = performance.now();
      const response = await fetch(`${trial.system.baseUrl}/invoices`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys.owner}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(sampleInvoice({ ...nextSample(), sentAs: `probe-${count}` })),
      });
      await response.arrayBuffer();
      probes.push({
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        tookMs: performance.now() - beganMs,
      });
      await delay(PROBE_EACH_MS);
    }
  })();
  return {
    probes,
    async stop() {
      isOver = true;
      await probing;
    },
  };
}

const faults: readonly (readonly [title: string, isOutage: boolean, fault: () => Promise<void>])[] = [
  [
    'whose primary is killed, and comes back later',
    true,
    async () => {
      const primary = await set.primary();
      await primary.kill();
      await set.primary();
      await primary.restart();
    },
  ],
  ['whose primary steps down', false, () => set.stepDown()],
  [
    'without a majority for 25 seconds',
    true,
    async () => {
      const secondaries = await set.secondaries();
      for (const member of secondaries) member.pause();
      await delay(NO_MAJORITY_MS);
      for (const member of secondaries) member.resume();
    },
  ],
];

test.each(faults)(
  'a replica set %s loses nothing, doubles nothing, and recovers without a restart',
  async (title, isOutage, fault) => {
    const [tenant, probed] = await Promise.all([
      trial.system.newTenant(`Load, ${title}`),
      trial.system.newTenant(`Probe, ${title}`),
    ]);
    await trial.ledger.reach(tenant);
    const load = startInvoiceLoad(trial.ledger, [tenant], sampleSource());
    const probing = startProbing(probed);
    try {
      await delay(BEFORE_MS);
      await fault();
      const deadline = performance.now() + WELL_AGAIN_MS_MAX;
      while (probing.probes.at(-1)?.status !== 202 && performance.now() < deadline) await delay(PROBE_EACH_MS);
    } finally {
      load.stop();
      await probing.stop();
    }
    await load.finished();
    const { probes } = probing;
    expect(probes.at(-1)?.status).toBe(202);
    expect(probes.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
    const refused = probes.filter(({ status }) => status === 503);
    if (isOutage) expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter(({ retryAfter }) => retryAfter === null)).toEqual([]);
    expect(Math.max(...probes.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWERED_MS_MAX);
    await trial.expectPromisesKept();
    expect(unexpected).toEqual([]);
  },
  TEST_MS_MAX,
);
