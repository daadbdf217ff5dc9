// Runs `npm run bench:webhooks`, which measures how fast webhooks are delivered, and the cost of hanging receivers and
// crashes.
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { watchProcessors } from './busy.js';
import { median } from './cell.js';
import { messageFrom, ownChild } from './children.js';
import { cpuMsOf, residentBytesOf } from './node-process.js';
import { percentilesOf } from './percentiles.js';
import { progress, say, step } from './progress.js';
import { closingAfter, endAfter, logDirectory, runProgram } from './run-program.js';
import { startStores } from './stores.js';
import { goodIn, table, times } from './table.js';
import type { CeilingOrder, CeilingResult } from './webhook-ceiling.js';
import type { Arrival } from './webhook-receiver-process.js';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { startWebhooksSystem } from './webhooks-system.js';
import type { Endpoint, WebhooksSystem } from './webhooks-system.js';
import { longestChain } from './request-kinds.js';

const parts = ['work', 'throughput', 'latency', 'isolation', 'memory', 'recovery', 'backlog'] as const;
type Part = (typeof parts)[number];

/**
 * Time limit in minutes for each part of the benchmark. The limit for the backlog of events applies to a backlog of the
 * usual size.
 */
const PART_MINUTES_MAX = 10;

const usage = `Measures deliveries of webhooks over HTTPS to a receiver that verifies every signature, with the services, the receiver
and the stores in processes of their own. Aims: docs/reference/webhooks-and-events.md, section 6.

  npm run bench:webhooks                      every part, under eight minutes
  npm run bench:webhooks -- --only isolation  one part: ${parts.join(', ')}
  npm run bench:webhooks -- --rate 600        deliveries a second of the part isolation (300 unless said)
  npm run bench:webhooks -- --events 6000     that wait for the broker in the part backlog (30000 unless said)
  npm run bench:webhooks -- --json FILE       the figures as JSON too
  npm run bench:webhooks -- --keep            keeps the logs of all processes

Ends with code 1 if an aim was missed, and after ${PART_MINUTES_MAX} minutes for each part at the latest: with more events, after as many
times as long.
`;

const AIMS = {
  commandsAlone: 5,
  stepsAlone: 4,
  deliveriesPerSecond: 300,
  /** Minimum rate of webhook deliveries near the end of a backlog, as a share of the delivery rate at its beginning. */
  paceKept: 0.8,
  latencyP50Ms: 50,
  latencyP99Ms: 500,
  healthyP99Ms: 1_000,
  healthyRatio: 2,
  memoryMib: 400,
  recoverySeconds: 40,
  drainedSeconds: 60,
} as const;

const WORK = { alone: 20, pauseMs: 250, idleMs: 4_000, latencyMs: 10, endpoints: 20, events: 50 } as const;
const THROUGHPUT = { endpoints: 20, events: 500, inFlightPublishes: 64 } as const;
/** `organizations` is more than 1, because an endpoint gets at most 50 requests per second. */
const LATENCY = { organizations: 4, eventsPerSecond: 100, warmUpSeconds: 3, seconds: 20 } as const;
const ISOLATION = { organizations: 20, endpointsEach: 10, seconds: 20, warmUpSeconds: 3 } as const;
const MEMORY = { organizations: 10, endpointsEach: 100, eventsEach: 10, seconds: 20 } as const;
/**
 * Number of webhook events that arrive in ten minutes at 50 a second. An endpoint gets at most 50 requests a second.
 */
const BACKLOG = { organizations: 20, events: 30_000, writtenAtOnce: 64, readEachMs: 500 } as const;
/** Every webhook endpoint has a separate server, as the endpoints of most customers do. */
const servers: Readonly<Record<Part, number>> = {
  work: 1,
  throughput: THROUGHPUT.endpoints,
  latency: LATENCY.organizations,
  isolation: ISOLATION.organizations * ISOLATION.endpointsEach,
  memory: MEMORY.organizations * MEMORY.endpointsEach,
  recovery: 1,
  backlog: BACKLOG.organizations,
};
const WAIT_MS_MAX = 180_000;
const POLL_EACH_MS = 100;
const MIB = 1024 ** 2;

/** Figure of the benchmark, which is one row of the report. */
interface Figure {
  readonly name: string;
  readonly measured: string;
  /** Target for the figure of the webhook benchmark. Empty if the figure has no target. */
  readonly aim: string;
  readonly isReached: boolean;
}

await runProgram(main);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rate: { type: 'string', default: '300' },
      events: { type: 'string', default: String(BACKLOG.events) },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const chosen = parts.filter((part) => values.only === undefined || values.only.split(',').includes(part));
  if (chosen.length === 0) throw new Error(`--only is "${values.only}"; it must be one of ${parts.join(', ')}.`);
  const ratePerSecond = Number(values.rate);
  if (!Number.isInteger(ratePerSecond) || ratePerSecond < 10 || ratePerSecond > 10_000) {
    throw new Error(`--rate is "${values.rate}" but must be a whole number from 10 to 10000.`);
  }
  const backlog = Number(values.events);
  if (!Number.isInteger(backlog) || backlog < 100 || backlog > 100_000) {
    throw new Error(`--events is "${values.events}" but must be a whole number from 100 to 100000.`);
  }
  const measure: Record<Part, (system: WebhooksSystem) => Promise<Figure[]>> = {
    work: measureWork,
    throughput: measureThroughput,
    latency: measureLatency,
    isolation: (system) => measureIsolation(system, ratePerSecond),
    memory: measureMemory,
    recovery: measureRecovery,
    backlog: (system) => measureBacklog(system, backlog),
  };
  endAfter(PART_MINUTES_MAX * chosen.length * Math.max(1, backlog / BACKLOG.events));
  const directory = await logDirectory('bench-webhooks', values.keep);
  const figures: Figure[] = [];
  for (const part of chosen) {
    step(part);
    // Each part of the benchmark uses new databases, so that no part depends on data of another part.
    const measured = await closingAfter(async () => {
      const stores = await startStores();
      const isCounted = part === 'work';
      return measure[part](await startWebhooksSystem({ stores, directory, servers: servers[part], isCounted }));
    });
    figures.push(...measured);
  }
  const good = goodIn(process.stdout.isTTY === true);
  const rows = figures.map(({ name, measured, aim, isReached }) => {
    return [name, good(measured, isReached), aim, aim === '' ? '' : isReached ? 'met' : 'missed'];
  });
  process.stdout.write(`\nWebhooks\n${table([['figure', 'measured', 'aim', ''], ...rows], 0)}\n`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  if (figures.some(({ isReached }) => !isReached)) process.exitCode = 1;
}

/** Counts the database commands that the webhooks service needs for one delivery, as a proxy sees them. */
async function measureWork(system: WebhooksSystem): Promise<Figure[]> {
  const { counted } = system;
  const tenant = await system.newTenant();
  await system.register(tenant, 1);
  const deliver = async (id: string): Promise<number> => {
    await system.publish(tenant.organizationId, id);
    const [arrival] = await untilArrived(system, 1);
    await delay(WORK.pauseMs);
    return (arrival?.arrivedAtMs ?? Number.NaN) - performance.timeOrigin;
  };
  await deliver('evt_first');
  counted.commands.length = 0;
  await delay(WORK.idleMs);
  const idlePerMs = counted.commands.length / WORK.idleMs;
  const ofDeliveries = (beganAtMs: number): number =>
    counted.commands.length - idlePerMs * (performance.now() - beganAtMs);

  counted.commands.length = 0;
  counted.calls = 0;
  let beganAtMs = performance.now();
  for (let number = 0; number < WORK.alone; number++) await deliver(`evt_alone${number}`);
  const alone = ofDeliveries(beganAtMs) / WORK.alone;
  const calls = counted.calls / WORK.alone;

  counted.delay(WORK.latencyMs);
  const steps: number[] = [];
  for (let number = 0; number < WORK.alone; number++) {
    counted.commands.length = 0;
    const arrivedAtMs = await deliver(`evt_steps${number}`);
    steps.push(longestChain(counted.commands.filter(({ answeredAtMs }) => answeredAtMs < arrivedAtMs)));
  }
  counted.delay(0);

  const crowd = await system.newTenant();
  await system.register(crowd, WORK.endpoints);
  const wanted = WORK.endpoints * WORK.events;
  await delay(WORK.pauseMs);
  counted.commands.length = 0;
  beganAtMs = performance.now();
  const ids = Array.from({ length: WORK.events }, (_, number) => `evt_crowd${number}`);
  await inParallel(WORK.events, ids, (id) => system.publish(crowd.organizationId, id));
  await untilArrived(system, wanted);
  await delay(WORK.pauseMs);
  const inCrowd = ofDeliveries(beganAtMs) / wanted;
  return [
    figure('commands to the database, a delivery alone', alone.toFixed(0), {
      aim: `<= ${AIMS.commandsAlone}`,
      isReached: Math.round(alone) <= AIMS.commandsAlone,
    }),
    figure('  of them one after the other before its request', String(median(steps)), {
      aim: `<= ${AIMS.stepsAlone}`,
      isReached: median(steps) <= AIMS.stepsAlone,
    }),
    figure(`  each of ${wanted} at once`, inCrowd.toFixed(1)),
    figure('calls to other services, a delivery alone', calls.toFixed(1)),
  ];
}

/**
 * Measures the webhook deliveries of many events that occur at once. For comparison, a bare program sends the same
 * requests before and after.
 */
async function measureThroughput(system: WebhooksSystem): Promise<Figure[]> {
  const tenant = await system.newTenant();
  const endpoints = await system.register(tenant, THROUGHPUT.endpoints);
  const wanted = THROUGHPUT.endpoints * THROUGHPUT.events;
  const ceilingBefore = await ceiling(system, endpoints);
  await system.receiver.take();
  const ids = Array.from({ length: THROUGHPUT.events }, (_, number) => `evt_throughput${number}`);
  const beganAtMs = Date.now();
  const cpuBeforeMs = await cpuMsOf(system.webhooks.pid);
  await inParallel(THROUGHPUT.inFlightPublishes, ids, (id) => system.publish(tenant.organizationId, id));
  const arrivals = await untilArrived(system, wanted);
  const cpuMs = (await cpuMsOf(system.webhooks.pid)) - cpuBeforeMs;
  const atMs = arrivals.map(({ arrivedAtMs }) => arrivedAtMs).toSorted((left, right) => left - right);
  const perSecond = (wanted * 1_000) / ((atMs.at(-1) ?? Number.NaN) - beganAtMs);
  const third = Math.floor(atMs.length / 3);
  const paceKept = ((atMs[third] ?? 0) - beganAtMs) / ((atMs.at(-1) ?? 0) - (atMs.at(-third - 1) ?? 0));
  const ceilingAfter = await ceiling(system, endpoints);
  const bare = (ceilingBefore + ceilingAfter) / 2;
  const verified = new Set(arrivals.filter(({ isVerified }) => isVerified).map(({ path, eventId }) => path + eventId));
  return [
    figure(`deliveries a second, ${wanted} in all`, perSecond.toFixed(0), {
      aim: `>= ${AIMS.deliveriesPerSecond}`,
      isReached: perSecond >= AIMS.deliveriesPerSecond,
    }),
    figure('the same sends without a database, a second', bare.toFixed(0)),
    figure('  share of them', times(perSecond / bare)),
    figure('  the last third against the first, whose backlog is the longest', times(paceKept), {
      aim: `>= ${times(AIMS.paceKept)}`,
      isReached: paceKept >= AIMS.paceKept,
    }),
    figure('  processor time of the sender, a delivery', `${(cpuMs / wanted).toFixed(2)} ms`),
    ...completeness(arrivals, verified.size, wanted),
  ];
}

async function ceiling({ caFile }: WebhooksSystem, endpoints: readonly Endpoint[]): Promise<number> {
  const child = ownChild(fork(fileURLToPath(new URL('webhook-ceiling.js', import.meta.url))));
  const body = JSON.stringify({
    id: 'evt_01a0f3c27b1e7c409d5f3e8a6b',
    type: 'invoice.analysis.completed',
    data: {
      invoice_id: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14',
      decision: 'PASS',
      risk_score: 7,
      export_ready: true,
      canonical_export_path: '/v1/invoices/01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14/export?format=json',
    },
  });
  const order: CeilingOrder = { endpoints, events: THROUGHPUT.events / 2, caFile, body };
  child.send(order);
  const { delivered, tookMs } = await messageFrom<CeilingResult>(child);
  return (delivered * 1_000) / tookMs;
}

/** Measures the time from the write of a change to the first webhook request that announces it, at a steady rate. */
async function measureLatency(system: WebhooksSystem): Promise<Figure[]> {
  const { organizations, eventsPerSecond, warmUpSeconds, seconds } = LATENCY;
  const tenants: Tenant[] = [];
  for (let number = 0; number < organizations; number++) {
    const tenant = await system.newTenant();
    await system.register(tenant, 1);
    tenants.push(tenant);
  }
  const changes = await system.openChanges();
  const writing: Promise<void>[] = [];
  let measuredFromMs = 0;
  let busyOf = watchProcessors();
  const beganAtMs = performance.now();
  for (let number = 0; number < (warmUpSeconds + seconds) * eventsPerSecond; number++) {
    if (number === warmUpSeconds * eventsPerSecond) {
      busyOf = watchProcessors();
      measuredFromMs = Date.now();
    }
    await delay(Math.max(0, beganAtMs + (number * 1_000) / eventsPerSecond - performance.now()));
    writing.push(changes.write(tenants[number % organizations]?.organizationId ?? ''));
  }
  await Promise.all(writing);
  const busy = busyOf();
  await delay(3_000);
  const firstAtMs = new Map<string, number>();
  for (const { eventId, arrivedAtMs } of await system.receiver.take()) {
    if (!firstAtMs.has(eventId)) firstAtMs.set(eventId, arrivedAtMs);
  }
  const writtenAtMs = new Map([...(await changes.writtenAtMs())].filter(([, atMs]) => atMs >= measuredFromMs));
  const stored = await system.db
    .collection<{ _id: string; createdAt: Date }>('events')
    .find({ _id: { $in: [...writtenAtMs.keys()] } }, { projection: { createdAt: 1 } })
    .toArray();
  const storedAtMs = new Map(stored.map(({ _id, createdAt }) => [_id, createdAt.getTime()]));
  /** A webhook delivery that never arrived counts as later than all others. */
  const since = (fromMs: ReadonlyMap<string, number>, toMs: ReadonlyMap<string, number>) =>
    percentilesOf([...fromMs].map(([id, ms]) => (toMs.get(id) ?? Number.POSITIVE_INFINITY) - ms));
  const { p50Ms, p99Ms } = since(writtenAtMs, firstAtMs);
  return [
    figure(`write to first attempt at ${eventsPerSecond} events/s, p50`, milliseconds(p50Ms), {
      aim: `<= ${AIMS.latencyP50Ms} ms`,
      isReached: p50Ms <= AIMS.latencyP50Ms,
    }),
    figure('  p99', milliseconds(p99Ms), {
      aim: `<= ${AIMS.latencyP99Ms} ms`,
      isReached: p99Ms <= AIMS.latencyP99Ms,
    }),
    figure('  of it, until the sender stores the event, p50', milliseconds(since(writtenAtMs, storedAtMs).p50Ms)),
    figure('  of it, from then to the request, p50', milliseconds(since(storedAtMs, firstAtMs).p50Ms)),
    figure('  processors busy', share(busy)),
  ];
}

/** Measures the same steady load twice. In the second measurement, half of the webhook endpoints never respond. */
async function measureIsolation(system: WebhooksSystem, ratePerSecond: number): Promise<Figure[]> {
  const { organizations, endpointsEach, seconds, warmUpSeconds } = ISOLATION;
  const endpoints: Endpoint[] = [];
  for (let number = 0; number < organizations; number++) {
    endpoints.push(...(await system.register(await system.newTenant(), endpointsEach)));
    progress(`${endpoints.length} endpoints registered`);
  }
  const hanging = endpoints.filter((_, index) => index % 2 === 1);
  const healthy = new Set(endpoints.filter((_, index) => index % 2 === 0).map(({ path }) => path));
  const organizationIds = [...new Set(endpoints.map(({ organizationId }) => organizationId))];
  const eventsPerSecond = ratePerSecond / endpointsEach;
  const run = async (name: string) => {
    await system.receiver.take();
    const publishedAtMs = new Map<string, number>();
    const publishing: Promise<unknown>[] = [];
    const beganAtMs = performance.now();
    const busyOf = watchProcessors();
    const count = Math.round((seconds + warmUpSeconds) * eventsPerSecond);
    for (let number = 0; number < count; number++) {
      await delay(Math.max(0, beganAtMs + (number * 1_000) / eventsPerSecond - performance.now()));
      const id = `evt_${name}${number}`;
      const organizationId = organizationIds[number % organizationIds.length] ?? '';
      // Webhook events during the warm-up are left out, because their times include the handshakes of the connections.
      if (number >= warmUpSeconds * eventsPerSecond) publishedAtMs.set(id, Date.now());
      publishing.push(system.publish(organizationId, id));
    }
    await Promise.all(publishing);
    const busy = busyOf();
    await delay(3_000);
    const firstAtMs = new Map<string, { eventId: string; atMs: number }>();
    for (const { path, eventId, arrivedAtMs } of await system.receiver.take()) {
      const key = `${path} ${eventId}`;
      if (!healthy.has(path) || !publishedAtMs.has(eventId) || firstAtMs.has(key)) continue;
      firstAtMs.set(key, { eventId, atMs: arrivedAtMs });
    }
    const durationsMs = [...firstAtMs.values()].map(
      ({ eventId, atMs }) => atMs - (publishedAtMs.get(eventId) ?? Number.NaN),
    );
    const { p50Ms, p99Ms } = percentilesOf(durationsMs);
    const missing = (publishedAtMs.size * endpointsEach) / 2 - durationsMs.length;
    say(
      `${name}: healthy p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, ${missing} not arrived, processors busy ${share(busy)}`,
    );
    return { p99Ms, missing, busy };
  };
  const quiet = await run('quiet');
  for (const { path } of hanging) system.receiver.setFault(path, { kind: 'SILENCE' });
  const faulty = await run('hanging');
  const ratio = faulty.p99Ms / quiet.p99Ms;
  const missing = quiet.missing + faulty.missing;
  return [
    figure(
      `healthy p99, ${ratePerSecond} deliveries/s to ${endpoints.length} endpoints`,
      `${quiet.p99Ms.toFixed(0)} ms`,
    ),
    figure(`healthy p99, ${hanging.length} of them hanging`, `${faulty.p99Ms.toFixed(0)} ms`, {
      aim: `<= ${AIMS.healthyP99Ms} ms`,
      isReached: faulty.p99Ms <= AIMS.healthyP99Ms,
    }),
    figure('  ratio', times(ratio), { aim: `<= ${times(AIMS.healthyRatio)}`, isReached: ratio <= AIMS.healthyRatio }),
    figure('  healthy deliveries that had not arrived 3 s after the load', String(missing), {
      aim: '0',
      isReached: missing === 0,
    }),
    figure('  processors busy, quiet and hanging', `${share(quiet.busy)}, ${share(faulty.busy)}`),
  ];
}

async function measureMemory(system: WebhooksSystem): Promise<Figure[]> {
  const { organizations, endpointsEach, eventsEach, seconds } = MEMORY;
  const organizationIds: string[] = [];
  for (let number = 0; number < organizations; number++) {
    const tenant = await system.newTenant();
    const endpoints = await system.register(tenant, endpointsEach);
    for (const { path } of endpoints) system.receiver.setFault(path, { kind: 'SILENCE' });
    organizationIds.push(tenant.organizationId);
    progress(`${(number + 1) * endpointsEach} endpoints registered`);
  }
  const ids = organizationIds.flatMap((organizationId) =>
    Array.from({ length: eventsEach }, (_, number) => ({ organizationId, number })),
  );
  await inParallel(THROUGHPUT.inFlightPublishes, ids, ({ organizationId, number }) =>
    system.publish(organizationId, `evt_${organizationId.replaceAll('-', '')}${number}`),
  );
  let peakBytes = 0;
  let mostHanging = 0;
  for (let tick = 0; tick < seconds; tick++) {
    await delay(1_000);
    peakBytes = Math.max(peakBytes, await residentBytesOf(system.webhooks.pid));
    mostHanging = Math.max(mostHanging, (await system.receiver.count()).open);
  }
  const open = await system.db.collection('deliveries').countDocuments({ state: 'PENDING' });
  return [
    figure(
      `memory of the sender, ${open} open deliveries, ${mostHanging} hanging sockets`,
      `${(peakBytes / MIB).toFixed(0)} MiB`,
      {
        aim: `<= ${AIMS.memoryMib} MiB`,
        isReached: peakBytes <= AIMS.memoryMib * MIB,
      },
    ),
  ];
}

/**
 * Kills the webhooks service during an attempt, and measures the time until the next request for the same delivery
 * arrives.
 */
async function measureRecovery(system: WebhooksSystem): Promise<Figure[]> {
  const tenant = await system.newTenant();
  const [endpoint] = await system.register(tenant, 1);
  if (endpoint === undefined) throw new Error('No endpoint was registered.');
  system.receiver.setFault(endpoint.path, { kind: 'SILENCE', times: 1 });
  await system.publish(tenant.organizationId, 'evt_recovery');
  await untilArrived(system, 1);
  const killedAtMs = await system.killAndRestart();
  const [again] = await untilArrived(system, 1);
  await delay(2_000);
  const delivery = await system.db
    .collection<{ state: string; attempts: { interruptions: number }[]; failures: number }>('deliveries')
    .findOne({ eventId: 'evt_recovery' });
  const tookSeconds = ((again?.arrivedAtMs ?? Number.NaN) - killedAtMs) / 1_000;
  const isUncounted = delivery?.state === 'DELIVERED' && delivery.failures === 0;
  return [
    figure('kill within an attempt to its repeat', `${tookSeconds.toFixed(1)} s`, {
      aim: `<= ${AIMS.recoverySeconds} s`,
      isReached: tookSeconds <= AIMS.recoverySeconds,
    }),
    figure('  delivered then, the interruption not counted', isUncounted ? 'yes' : 'no', {
      aim: 'yes',
      isReached: isUncounted,
    }),
  ];
}

/**
 * Measures an outage of the broker, during which events are written. After the outage, the events are published, stored
 * for their webhook endpoints and sent.
 */
async function measureBacklog(system: WebhooksSystem, events: number): Promise<Figure[]> {
  const organizationIds: string[] = [];
  for (let number = 0; number < BACKLOG.organizations; number++) {
    const tenant = await system.newTenant();
    await system.register(tenant, 1);
    organizationIds.push(tenant.organizationId);
  }
  const { hostname, port } = new URL(system.natsUrl);
  const broker = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  try {
    const changes = await system.openChanges(`tls://127.0.0.1:${broker.port}`);
    broker.cut();
    let written = 0;
    const numbers = Array.from({ length: events }, (_, number) => number);
    await inParallel(BACKLOG.writtenAtOnce, numbers, async (number) => {
      await changes.write(organizationIds[number % organizationIds.length] ?? '');
      progress(`${(written += 1)} events written`);
    });
    const cpuBeforeMs = await cpuMsOf(system.webhooks.pid);
    const busyOf = watchProcessors();
    broker.heal();
    const returnedAtMs = performance.now();
    const sinceReturn = (): number => (performance.now() - returnedAtMs) / 1_000;
    let publishedAfter = Number.POSITIVE_INFINITY;
    let fannedOut = { after: Number.POSITIVE_INFINITY, sent: 0 };
    const givenUpAtMs = performance.now() + WAIT_MS_MAX;
    for (let sent = 0; sent < events && performance.now() < givenUpAtMs;) {
      await delay(BACKLOG.readEachMs);
      const [unpublished, stored, { count }] = await Promise.all([
        publishedAfter === Number.POSITIVE_INFINITY ? changes.unpublished() : 0,
        system.db.collection('deliveries').estimatedDocumentCount(),
        system.receiver.count(),
      ]);
      sent = count;
      if (unpublished === 0) publishedAfter = Math.min(publishedAfter, sinceReturn());
      if (stored < events) fannedOut = { after: Number.POSITIVE_INFINITY, sent };
      else if (!Number.isFinite(fannedOut.after)) fannedOut = { after: sinceReturn(), sent: fannedOut.sent };
      progress(`${sinceReturn().toFixed(0)} s: ${unpublished} to publish, ${stored} stored, ${sent} sent`);
    }
    const drainedAfter = sinceReturn();
    const busy = busyOf();
    const cpuMs = (await cpuMsOf(system.webhooks.pid)) - cpuBeforeMs;
    const arrivals = await system.receiver.take();
    const verified = new Set(
      arrivals.filter(({ isVerified }) => isVerified).map(({ path, eventId }) => path + eventId),
    );
    const perSecond = (count: number, seconds: number): string => `${(count / seconds).toFixed(0)}/s`;
    return [
      figure(`${events} events that waited for the broker: all published after`, `${publishedAfter.toFixed(1)} s`),
      figure('  a second', perSecond(events, publishedAfter)),
      figure('  all stored for their endpoints after', `${fannedOut.after.toFixed(1)} s`),
      figure('  a second', perSecond(events, fannedOut.after)),
      figure('  sent at the same time, a second', perSecond(fannedOut.sent, fannedOut.after)),
      figure('  all sent after', `${drainedAfter.toFixed(1)} s`, {
        aim: `<= ${AIMS.drainedSeconds} s`,
        isReached: drainedAfter <= AIMS.drainedSeconds,
      }),
      figure('  sent afterwards, a second', perSecond(events - fannedOut.sent, drainedAfter - fannedOut.after)),
      figure('  processors busy', share(busy)),
      figure('  processor time of the sender, an event', `${(cpuMs / events).toFixed(2)} ms`),
      ...completeness(arrivals, verified.size, events),
    ];
  } finally {
    await broker.close();
  }
}

function completeness(arrivals: readonly Arrival[], verified: number, wanted: number): Figure[] {
  return [
    figure('  lost or not verified', String(wanted - verified), { aim: '0', isReached: verified === wanted }),
    figure('  sent twice', String(arrivals.length - verified), { aim: '0', isReached: arrivals.length === verified }),
  ];
}

/**
 * Waits until the given number of webhook requests has arrived, or for the longest waiting time.
 * @returns the requests that have arrived, which may be fewer
 */
async function untilArrived(system: WebhooksSystem, wanted: number): Promise<Arrival[]> {
  const givenUpAtMs = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const { count } = await system.receiver.count();
    progress(`${count} of ${wanted} arrived`);
    if (count >= wanted || performance.now() > givenUpAtMs) return system.receiver.take();
    await delay(POLL_EACH_MS);
  }
}

/**
 * Formats a duration for the report of the webhook benchmark.
 * @param ms infinite if the measured event did not happen within the run
 */
function milliseconds(ms: number): string {
  return Number.isFinite(ms) ? `${ms.toFixed(0)} ms` : 'longer than the run';
}

function share(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}

function figure(name: string, measured: string, aim = { aim: '', isReached: true }): Figure {
  return { name, measured, ...aim };
}

async function inParallel<T>(atOnce: number, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
