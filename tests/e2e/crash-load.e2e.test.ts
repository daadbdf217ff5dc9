import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { startInvoiceLoad } from './crash/invoice-load.js';
import type { KillableSystem } from './crash/killable-system.js';
import type { Killable } from './crash/service-process.js';
import { sampleSource } from './crash/sample-invoices.js';
import { scanAtOnce } from './crash/scan-load.js';
import { startTrial } from './crash/trial.js';
import type { Trial } from './crash/trial.js';

/** Number of responses between two rounds. Without them, the second round would find no work to interrupt. */
const ANSWERS_BETWEEN = 10;
/** Time limit for each response, which is long because a slow machine responds slowly. */
const ANSWER_MS_MAX = 60_000;
/** Number of responses without a broker, which cause many more events than the 64 that are published at once. */
const ANSWERS_WITHOUT_BROKER = 150;
/** Time in milliseconds within which a kill happens at a random moment. */
const KILL_WITHIN_MS = 700;
/** Time in milliseconds for which the connections of a round stay broken. */
const FAULT_MS = 400;
const ROUND_MS_MAX = 90_000;
const AFTERWARDS_MS_MAX = 300_000;

/** Actions of the rounds of the crash test. The list is repeated. */
const rounds: readonly ((system: KillableSystem) => Promise<void>)[] = [
  ({ analysis }) => bounce(analysis),
  ({ scan }) => bounce(scan),
  ({ analysis, database }) => bounce(database, analysis),
  ({ broker }) => bounce(broker),
  ({ analysis, scan }) => bounce(analysis, scan),
  ({ database }) => bounce(database),
  ({ analysis, gateway }) => bounce(analysis, gateway),
  ({ scan, gateway }) => bounce(scan, gateway),
  // Connections to the database break, and the result of every command in progress is unknown.
  async ({ proxyOf }) => {
    proxyOf('analysis').reset();
    proxyOf('scan').reset();
  },
  ({ analysis, organization }) => bounce(organization, analysis),
  ({ proxyOf, analysis }) => bounceWaiting(proxyOf('analysis'), analysis),
  ({ proxyOf, scan }) => bounceWaiting(proxyOf('scan'), scan),
  async ({ proxyOf }) => {
    const proxies = [proxyOf('analysis'), proxyOf('scan')];
    for (const proxy of proxies) proxy.cut();
    await delay(FAULT_MS);
    for (const proxy of proxies) proxy.heal();
  },
  ({ broker, analysis }) => bounce(broker, analysis),
  ({ scan, database }) => bounce(database, scan),
  ({ database, broker, organization, analysis, scan, gateway }) =>
    bounce(database, broker, organization, analysis, scan, gateway),
];

/** For a long test run, set `CRASH_ROUNDS=500`. By default, each kind of round happens once. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? rounds.length);

/** Ends all these processes at once as a crash would, and restarts them in this order. */
async function bounce(...victims: readonly Killable[]): Promise<void> {
  await Promise.all(victims.map((victim) => victim.kill()));
  for (const victim of victims) await victim.restart();
}

/** Makes the process wait for database responses that never arrive, and kills it while it waits. */
async function bounceWaiting(proxy: MongoProxy, victim: Killable): Promise<void> {
  proxy.stall();
  await delay(FAULT_MS);
  await victim.kill();
  proxy.reset();
  proxy.heal();
  await victim.restart();
}

let trial: Trial;
beforeAll(async () => {
  trial = await startTrial();
});
afterAll(() => trial.stop());

describe('invoices that are sent while the broker is unavailable', () => {
  test(
    'are decided and finished all the same, and announced when it is back',
    async () => {
      const { system, ledger, databases } = trial;
      const tenant = await system.newTenant('Unheard');
      await ledger.reach(tenant);
      await system.broker.kill();
      const load = startInvoiceLoad(ledger, [tenant], sampleSource());
      try {
        await expectAnswers(ANSWERS_WITHOUT_BROKER);
        load.stop();
        await load.finished();
        await eventually(async () =>
          expect(await databases.analysis.collection('invoices').countDocuments({ pending: true })).toBe(0),
        );
      } finally {
        load.stop();
        await system.broker.restart();
      }
      await trial.expectPromisesKept();
    },
    AFTERWARDS_MS_MAX,
  );
});

describe('invoices and scans that are sent while processes are killed', () => {
  test(
    'keep every response, have one effect per event, and leave no unfinished work',
    async () => {
      const { system, ledger } = trial;
      const tenants = await Promise.all([system.newTenant('One'), system.newTenant('Two', 'SCALE')]);
      for (const tenant of tenants) await ledger.reach(tenant);
      const nextSample = sampleSource();
      const load = startInvoiceLoad(ledger, tenants, nextSample);
      const scanned: Promise<void>[] = [];
      try {
        for (let round = 0; round < ROUNDS; round++) {
          await expectAnswers(ANSWERS_BETWEEN);
          // After a kill, the history scans of an organization wait for half a minute, so each round uses a new
          // organization.
          const scanning = await eventually(() => system.newTenant(`Scanning ${round}`), { timeoutMs: ANSWER_MS_MAX });
          tenants.push(scanning);
          const atOnce = scanAtOnce(ledger, scanning, nextSample);
          atOnce.catch(() => {});
          scanned.push(atOnce);
          await delay(Math.random() * KILL_WITHIN_MS);
          await rounds[round % rounds.length]?.(system);
        }
      } finally {
        load.stop();
      }
      await load.finished();
      await Promise.all(scanned);
      await trial.expectPromisesKept();
    },
    ROUNDS * ROUND_MS_MAX + AFTERWARDS_MS_MAX,
  );
});

/** Waits until the clients have got this number of further responses. */
async function expectAnswers(count: number): Promise<void> {
  const { acknowledged } = trial.ledger;
  const before = acknowledged.length;
  for (let more = 1; more <= count; more++) {
    await eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(before + more), {
      timeoutMs: ANSWER_MS_MAX,
    });
  }
}
