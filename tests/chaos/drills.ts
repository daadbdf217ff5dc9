// Runs `npm run drills`, which makes the broker, an event consumer, the database and the telemetry collector fail one
// after another, and prints when the alert rules of production fire.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findPromtool } from '@invoicecontrol/dev/promtool';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startWebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import { entries } from '@invoicecontrol/topology/services';
import { invoiceAt } from '../bench/invoices.js';
import { residentBytesOf } from '../bench/node-process.js';
import { percentilesOf } from '../bench/percentiles.js';
import { say, step } from '../bench/progress.js';
import { endAfter, onEnd, runProgram } from '../bench/run-program.js';
import { goodIn, table } from '../bench/table.js';
import { startOtlpReceiver } from '../e2e/otlp-receiver.js';
import type { OtlpReceiver } from '../e2e/otlp-receiver.js';
import { startAlertClock, TAKE_EACH_SECONDS } from './alert-clock.js';
import type { WatchedAlert } from './alert-clock.js';
import { openBooks } from './books.js';
import { openLostConsumer } from './lost-consumer.js';
import { startSlowLoad } from './slow-load.js';
import type { SlowLoad } from './slow-load.js';
import { startChaosSystem } from './system.js';
import type { ChaosSystem } from './system.js';
import { registerWebhook } from './webhooks.js';

const MINUTES_MAX = 40;
const usage = `Makes something fail while clients post invoices, and evaluates the alert rules of production with what the services export.

  npm run drills                        all, about twenty minutes
  npm run drills -- --only broker       one of broker, consumer, database, slow, collector

Needs promtool, which is fetched once. Exit code 1 if an alert was late, a request failed that must not, or the telemetry was felt.
Ends after ${MINUTES_MAX} minutes at the latest.
`;

const names = ['broker', 'consumer', 'database', 'slow', 'collector'] as const;
type DrillName = (typeof names)[number];

const POST_EACH_MS = 500;
/**
 * Duration for which metrics are recorded before the fault begins, because alert rules compute rates from earlier
 * values.
 */
const BEFORE_SECONDS = 45;
const LATER_MS_MAX = 120_000;
/** Time limit for a service to notice that the broker has lost its event consumer, and to create the consumer again. */
const RECREATED_SECONDS_MAX = 15;
const COLLECTOR_SECONDS = 120;
/** Delay and rate of the connections to a slow database, with which a heartbeat still takes less than two seconds. */
const SLOW = { latencyMs: 300, bytesPerSecond: 8_000 } as const;
/** Statuses of the load on a slow database that would be a fault: a response that says neither yes nor later. */
const UNEXPECTED = / (?!0$|2\d\d$|404$|409$|429$|503$|504$)\d+$/;
const MEMORY_EACH_MS = 1_000;
/** Time limit for the services to complete what was interrupted while the database was slow. */
const COMPLETED_MS_MAX = 300_000;
const LEFT_SHOWN = 10;
const BYTES_PER_MB = 1024 * 1024;
const BYTES: Readonly<Record<string, number>> = { Mi: BYTES_PER_MB, Gi: 1024 * BYTES_PER_MB };
/**
 * Maximum growth of a process in MB while the collector hangs, because the exporter keeps telemetry that it cannot
 * send.
 */
const HUNG_MB_MAX = 24;
const HUNG_P95_MAX = 1.05;
/**
 * Difference in milliseconds between the p95 latencies of two equal runs that is only noise, because each run has a few
 * hundred requests.
 */
const P95_NOISE_MS = 5;

/** A measured figure of a drill with its limit. */
interface Found {
  readonly drill: DrillName;
  readonly what: string;
  readonly value: string;
  readonly aim: string;
  readonly isGood: boolean;
}

interface Drilled {
  readonly system: ChaosSystem;
  readonly telemetry: OtlpReceiver;
  readonly tenant: Tenant;
  readonly promtool: string;
  readonly directory: string;
}

const drills: Readonly<Record<DrillName, (drilled: Drilled) => Promise<readonly Found[]>>> = {
  /**
   * Stops the broker. Alerts must fire, and invoices must still be accepted, because their events wait in the outbox.
   */
  async broker(drilled) {
    const { system } = drilled;
    const broker = system.node('broker');
    const seen = await during(drilled, {
      alerts: [
        { alert: { name: 'BrokerAway' }, secondsMax: 180 },
        { alert: { name: 'OutboxWaits' }, secondsMax: 260 },
      ],
      fail: () => broker.kill(),
      repair: () => broker.restart(),
    });
    return [
      ...firings('broker', seen),
      {
        drill: 'broker',
        what: 'posted invoices that were not accepted',
        value: `${seen.failed} of ${seen.posted}`,
        aim: '0',
        isGood: seen.failed === 0,
      },
    ];
  },

  /**
   * Deletes the event consumer of the webhooks service in the broker: once, after which the service must create it
   * again, and then again and again, until the alert fires. Every invoice must still reach the webhook, and only once.
   */
  async consumer(drilled) {
    const webhook = await startDrilledWebhook(drilled);
    const consumer = await openLostConsumer(drilled.system.natsUrl);
    let recreatedSeconds: number | undefined;
    const seen = await during(drilled, {
      alerts: [{ alert: { name: 'ConsumerStopped' }, secondsMax: 180 }],
      async fail() {
        recreatedSeconds = await consumer.loseOnce(RECREATED_SECONDS_MAX);
        consumer.loseAgainAndAgain();
      },
      repair: () => consumer.leaveAlone(),
    });
    const { arrived, doubled } = await webhook.arrivals(seen.posted - seen.failed, LATER_MS_MAX);
    const recreated = recreatedIn(drilled, consumer.name);
    const logged = await loggedLosses(drilled, consumer.name);
    return [
      {
        drill: 'consumer',
        what: 'created again by the service, s',
        value: recreatedSeconds === undefined ? 'never' : recreatedSeconds.toFixed(1),
        aim: String(RECREATED_SECONDS_MAX),
        isGood: recreatedSeconds !== undefined,
      },
      ...firings('consumer', seen),
      {
        drill: 'consumer',
        what: 'losses in the metric and in the log, at least 2',
        value: `${recreated}, ${logged}`,
        aim: '',
        isGood: recreated >= 2 && logged >= 2,
      },
      {
        drill: 'consumer',
        what: 'posted invoices that were not accepted',
        value: `${seen.failed} of ${seen.posted}`,
        aim: '0',
        isGood: seen.failed === 0,
      },
      {
        drill: 'consumer',
        what: 'accepted invoices without a webhook, with two',
        value: `${seen.posted - seen.failed - arrived}, ${doubled}`,
        aim: '0, 0',
        isGood: arrived === seen.posted - seen.failed && doubled === 0,
      },
    ];
  },

  /**
   * Stops the database. An alert of severity `page` must fire, and invoices must be accepted again after the restart.
   */
  async database(drilled) {
    const database = drilled.system.node('database');
    const seen = await during(drilled, {
      alerts: [{ alert: { name: 'ErrorBudgetBurn', labels: { slo: 'decide', severity: 'page' } }, secondsMax: 300 }],
      fail: () => database.kill(),
      repair: () => database.restart(),
    });
    const recoveredMs = await accepts(drilled);
    return [
      ...firings('database', seen),
      {
        drill: 'database',
        what: 'from its start to an accepted invoice, s',
        value: recoveredMs === undefined ? 'never' : (recoveredMs / 1_000).toFixed(1),
        aim: String(LATER_MS_MAX / 1_000),
        isGood: recoveredMs !== undefined,
      },
    ];
  },

  /**
   * Slows all connections of the services to the database down for some minutes, so that commands take seconds while
   * the database still answers heartbeats. More requests arrive than the services can complete. The services must
   * refuse what is too much, stay below their memory limits, and complete what they accepted.
   */
  async slow(drilled) {
    const { system, tenant } = drilled;
    const slowed = system.services
      .filter((name) => !name.startsWith('gateway'))
      .flatMap((name) => system.proxiesOf(`${name.replace(/-\d+$/, '')}>database`));
    const tenants = [tenant, await system.newTenant('Second'), await system.newTenant('Third')];
    const memory = watchMemory(system);
    let load: SlowLoad | undefined;
    const seen = await during(drilled, {
      alerts: [{ alert: { name: 'CallsShed' }, secondsMax: 240 }],
      fail() {
        for (const proxy of slowed) {
          proxy.delay(SLOW.latencyMs);
          proxy.throttle(SLOW.bytesPerSecond);
        }
        load = startSlowLoad(system.baseUrl, tenants);
      },
      async repair() {
        await load?.stop();
        for (const proxy of slowed) {
          proxy.delay(0);
          proxy.throttle(0);
        }
      },
    });
    const recoveredMs = await accepts(drilled);
    const left = await leftWork(system, COMPLETED_MS_MAX);
    const statuses = load?.statuses ?? {};
    const faults = Object.entries(statuses).filter(([key]) => UNEXPECTED.test(key));
    say(JSON.stringify(statuses));
    for (const line of left.slice(0, LEFT_SHOWN)) say(line);
    return [
      ...firings('slow', seen),
      ...memory.stop().map(({ name, mostBytes, limitBytes }): Found => ({
        drill: 'slow',
        what: `most memory of ${name}, MB`,
        value: (mostBytes / BYTES_PER_MB).toFixed(0),
        aim: (limitBytes / BYTES_PER_MB).toFixed(0),
        isGood: mostBytes < limitBytes,
      })),
      {
        drill: 'slow',
        what: 'responses with another status than 2xx, 404, 409, 429, 503, 504',
        value: String(faults.reduce((sum, [, count]) => sum + count, 0)),
        aim: '0',
        isGood: faults.length === 0,
      },
      {
        drill: 'slow',
        what: 'from its end to an accepted invoice, s',
        value: recoveredMs === undefined ? 'never' : (recoveredMs / 1_000).toFixed(1),
        aim: String(LATER_MS_MAX / 1_000),
        isGood: recoveredMs !== undefined,
      },
      {
        drill: 'slow',
        what: 'unfinished work afterwards',
        value: String(left.length),
        aim: '0',
        isGood: left.length === 0,
      },
    ];
  },

  /** Lets the telemetry collector accept connections without responding. Requests must not become slower or fail. */
  async collector(drilled) {
    const { telemetry, system } = drilled;
    const watched = ['gateway-1', 'analysis-1'];
    const resident = (): Promise<number[]> =>
      Promise.all(watched.map(async (name) => (await residentBytesOf(system.node(name).pid ?? 0)) / BYTES_PER_MB));
    const quiet = startPosting(drilled);
    await delay(COLLECTOR_SECONDS * 1_000);
    const before = await quiet.stop();
    const memoryBefore = await resident();
    telemetry.hang(true);
    const hung = startPosting(drilled);
    await delay(COLLECTOR_SECONDS * 1_000);
    const during = await hung.stop();
    const memoryDuring = await resident();
    telemetry.hang(false);
    const [p95Before, p95During] = [percentilesOf(before.durationsMs).p95Ms, percentilesOf(during.durationsMs).p95Ms];
    return [
      {
        drill: 'collector',
        what: 'p95 of an invoice before and while it hangs, ms',
        value: `${p95Before.toFixed(0)} -> ${p95During.toFixed(0)}`,
        aim: `x ${HUNG_P95_MAX}`,
        isGood: p95During <= p95Before * HUNG_P95_MAX + P95_NOISE_MS,
      },
      {
        drill: 'collector',
        what: 'failed posts',
        value: `${during.failed} of ${during.posted}`,
        aim: '0',
        isGood: during.failed === 0,
      },
      ...watched.map((name, index): Found => {
        const [from = 0, to = 0] = [memoryBefore[index], memoryDuring[index]];
        return {
          drill: 'collector',
          what: `memory of ${name}, MB`,
          value: `${from.toFixed(0)} -> ${to.toFixed(0)}`,
          aim: `+ ${HUNG_MB_MAX}`,
          isGood: to - from <= HUNG_MB_MAX,
        };
      }),
    ];
  },
};

let invoices = 0;

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const wanted = values.only === undefined ? names : names.filter((name) => name === values.only);
  if (wanted.length === 0) throw new Error(`--only is "${values.only}"; it must be one of ${names.join(', ')}.`);
  endAfter(MINUTES_MAX);
  const promtool = (await findPromtool(say)).binary;
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-drills-'));
  onEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const telemetry = await startOtlpReceiver();
  onEnd(() => telemetry.close());
  step('starting the product');
  const env = { ...telemetry.env, OTEL_METRIC_EXPORT_INTERVAL: '5000', OTEL_METRIC_EXPORT_TIMEOUT: '3000' };
  const system = await startChaosSystem({ directory, replicas: 1, env });
  onEnd(() => system.stop());
  const drilled = { system, telemetry, tenant: await system.newTenant('Drilled'), promtool, directory };
  const found: Found[] = [];
  for (const name of wanted) {
    step(name);
    found.push(...(await drills[name](drilled)));
  }
  report(found, system.ended);
}

interface Fault {
  /** Alerts that must fire, each with its time limit in seconds from the fault. */
  readonly alerts: readonly { readonly alert: WatchedAlert; readonly secondsMax: number }[];
  readonly fail: () => void | Promise<void>;
  readonly repair: () => void | Promise<void>;
}

interface Posted {
  readonly posted: number;
  readonly failed: number;
  readonly durationsMs: readonly number[];
}

interface Seen extends Posted {
  /** Seconds from the fault to each alert, in the order of `alerts`. Undefined for an alert that did not fire. */
  readonly fired: readonly (number | undefined)[];
  readonly alerts: Fault['alerts'];
}

/**
 * Causes a fault while clients post invoices. Ends the fault when all alerts have fired or their time limit is over.
 */
async function during(drilled: Drilled, { alerts, fail, repair }: Fault): Promise<Seen> {
  const clock = startAlertClock(drilled.promtool, drilled.directory);
  const posting = startPosting(drilled);
  let taken = 0;
  const beganMs = performance.now();
  const take = async (): Promise<void> => {
    await delay(Math.max(0, beganMs + taken * TAKE_EACH_SECONDS * 1_000 - performance.now()));
    clock.take(drilled.telemetry.points());
    taken += 1;
  };
  while (taken * TAKE_EACH_SECONDS <= BEFORE_SECONDS) await take();
  await fail();
  const failedAtSeconds = (performance.now() - beganMs) / 1_000;
  const fired: (number | undefined)[] = alerts.map(() => undefined);
  const secondsMax = Math.max(...alerts.map((one) => one.secondsMax));
  while (fired.includes(undefined) && taken * TAKE_EACH_SECONDS < failedAtSeconds + secondsMax + TAKE_EACH_SECONDS) {
    await take();
    for (const [index, { alert }] of alerts.entries()) {
      if (fired[index] !== undefined) continue;
      const atSeconds = await clock.firedAfter(alert);
      if (atSeconds === undefined) continue;
      fired[index] = atSeconds - failedAtSeconds;
      say(`${alert.name} fires after ${fired[index].toFixed(0)} s`);
    }
  }
  await repair();
  return { ...(await posting.stop()), fired, alerts };
}

function firings(drill: DrillName, { alerts, fired }: Seen): Found[] {
  return alerts.map(({ alert, secondsMax }, index) => {
    const seconds = fired[index];
    return {
      drill,
      what: `${alert.name} fires, s`,
      value: seconds === undefined ? 'never' : seconds.toFixed(0),
      aim: String(secondsMax),
      isGood: seconds !== undefined && seconds > 0 && seconds <= secondsMax,
    };
  });
}

async function post({ system, tenant }: Drilled): Promise<number | undefined> {
  invoices += 1;
  const response = await fetch(`${system.baseUrl}/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify(invoiceAt(invoices, invoices)),
  }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.status;
}

/** Posts invoices at fixed times, whether earlier ones were answered or not. */
function startPosting(drilled: Drilled): { stop(): Promise<Posted> } {
  const durationsMs: number[] = [];
  let failed = 0;
  const posting: Promise<void>[] = [];
  const timer = setInterval(() => {
    const beganMs = performance.now();
    posting.push(
      post(drilled).then((status) => {
        if (status === 202) durationsMs.push(performance.now() - beganMs);
        else failed += 1;
      }),
    );
  }, POST_EACH_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(posting);
      return { posted: posting.length, failed, durationsMs };
    },
  };
}

/**
 * Posts invoices until one is accepted, and returns the time that this took. Undefined if no invoice is accepted in
 * time.
 */
async function accepts(drilled: Drilled): Promise<number | undefined> {
  const beganMs = performance.now();
  while (performance.now() - beganMs < LATER_MS_MAX) {
    if ((await post(drilled)) === 202) return performance.now() - beganMs;
    await delay(POST_EACH_MS);
  }
  return undefined;
}

/** Webhook that receives the analyses of all invoices that the drill posts. */
interface DrilledWebhook {
  /**
   * Waits until the given number of events has arrived, and counts the events that arrived, and those that arrived more
   * than once.
   */
  arrivals(expected: number, msMax: number): Promise<{ readonly arrived: number; readonly doubled: number }>;
}

async function startDrilledWebhook({ system, tenant }: Drilled): Promise<DrilledWebhook> {
  const receiver = await startWebhookReceiver();
  onEnd(() => receiver.stop());
  const events = ['invoice.analysis.completed'];
  await registerWebhook(receiver, { baseUrl: system.baseUrl, tenant, path: '/drilled', events });
  const arrived = (): ReadonlySet<string | null> => new Set(receiver.deliveries.map(({ eventId }) => eventId));
  return {
    async arrivals(expected, msMax) {
      const beganMs = performance.now();
      while (arrived().size < expected && performance.now() - beganMs < msMax) await delay(POST_EACH_MS);
      return { arrived: arrived().size, doubled: receiver.deliveries.length - arrived().size };
    },
  };
}

interface MostMemory {
  readonly name: string;
  readonly mostBytes: number;
  /** Memory limit of the service in Kubernetes. */
  readonly limitBytes: number;
}

/** Returns the memory limit that a service process such as `analysis-1` has in Kubernetes. */
function memoryLimitOf(name: string): number {
  const service = entries.find(([one]) => name === `${one}-1`)?.[1];
  const [, amount = '', unit = ''] = /^(\d+)(Mi|Gi)$/.exec(service?.limits.memory ?? '') ?? [];
  const bytes = Number(amount) * (BYTES[unit] ?? Number.NaN);
  if (!(bytes > 0)) throw new Error(`The service map has no memory limit of ${name}.`);
  return bytes;
}

/** Reads the resident memory of all services again and again. */
function watchMemory(system: ChaosSystem): { stop(): readonly MostMemory[] } {
  const most = new Map(system.services.map((name) => [name, 0]));
  const timer = setInterval(() => {
    for (const name of system.services) {
      residentBytesOf(system.node(name).pid ?? 0)
        .then((bytes) => most.set(name, Math.max(most.get(name) ?? 0, bytes)))
        .catch((error: unknown) => say(`the memory of ${name} could not be read: ${String(error)}`));
    }
  }, MEMORY_EACH_MS);
  return {
    stop() {
      clearInterval(timer);
      return [...most].map(([name, mostBytes]) => ({ name, mostBytes, limitBytes: memoryLimitOf(name) }));
    },
  };
}

/** Waits until the services have completed all accepted work, and returns what is left when the time is over. */
async function leftWork(system: ChaosSystem, msMax: number): Promise<readonly string[]> {
  const books = await openBooks(system);
  try {
    const beganMs = performance.now();
    for (;;) {
      const left = await books.unfinished();
      if (left.length === 0 || performance.now() - beganMs > msMax) return left;
      await delay(POST_EACH_MS);
    }
  } finally {
    await books.close();
  }
}

/** Returns how often services counted that they created the event consumer again. */
function recreatedIn({ telemetry }: Drilled, consumer: string): number {
  return telemetry
    .points()
    .filter(
      ({ name, attributes }) => name === 'invoicecontrol.consumer.recreated' && attributes['consumer'] === consumer,
    )
    .reduce((sum, { value }) => sum + value, 0);
}

/** Returns how often the log of the webhooks service names the lost event consumer. */
async function loggedLosses({ directory }: Drilled, consumer: string): Promise<number> {
  const lines = (await readFile(join(directory, 'logs', 'webhooks-1.log'), 'utf8')).split('\n');
  return lines.filter((line) => line.includes('the broker lost a consumer') && line.includes(consumer)).length;
}

function report(found: readonly Found[], ended: readonly string[]): void {
  const good = goodIn(process.stdout.isTTY);
  if (found.some(({ isGood }) => !isGood) || ended.length > 0) process.exitCode = 1;
  const rows = found.map(({ drill, what, value, aim, isGood }) => [drill, what, good(value, isGood), aim]);
  process.stdout.write(`\n${table([['drill', 'what', 'seen', 'at most'], ...rows], 1)}\n`);
  for (const line of ended) process.stdout.write(`ended though nobody killed it: ${line}\n`);
}
