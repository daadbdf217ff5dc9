import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import type { EventType } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { setUpBroker } from '@invoicecontrol/runtime/nats/set-up';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { authorization, brokerRights, durablesOf, publishers } from '@invoicecontrol/topology/broker-rights';
import type { Durable } from '@invoicecontrol/topology/broker-rights';
import { startOrder } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { createAuthority, issueIdentity, prepareIdentities } from '../identities/identities.js';
import { startChildServer } from './child.js';
import type { ChildServer } from './child.js';
import { natsConfig } from './nats-config.js';
import { findNatsServer } from './nats-server.js';
import { freePort } from './port.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const catalogue: readonly EventType[] = Object.values(events);
const REFUSED = 'Permissions Violation';
/** Numbers of groups into which the rights of a service are divided. */
const GROUP_COUNTS = [7, 8];

let directory: string;
let server: ChildServer;
let operator: Bus;
let port: number;
/** Number of times that the broker has read its configuration again. */
let reloads = 0;
const buses = new Map<string, Bus>();
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'broker-rights-'));
  const identities = join(directory, 'tls');
  await prepareIdentities(identities, [...startOrder, 'operator', 'nats', 'stranger']);
  const other = await createAuthority(join(directory, 'other'));
  const { bundle } = await createAuthority(identities);
  await issueIdentity({ ...other, bundle }, { directory: join(identities, 'otherAuthority'), service: 'analysis' });
  const { binary } = await findNatsServer(() => {});
  port = await freePort();
  await writeConfig(authorization(TRUST_DOMAIN_DEFAULT, ''));
  server = await startChildServer({
    name: 'NATS',
    command: binary,
    args: ['--config', join(directory, 'nats.conf')],
    readPort: (line) => (line.includes('Server is ready') ? port : undefined),
    onOutput: (line) => {
      if (line.includes('Reloaded server configuration')) reloads += 1;
    },
    log: () => {},
  });
  closing.push(() => server.stop());
  operator = await connect('operator');
  await setUpBroker(operator, {
    streams: publishers(),
    consumers: startOrder.flatMap((service) => durablesOf(service)),
  });
  for (const service of startOrder) buses.set(service, await connect(service));
}, 120_000);
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  await rm(directory, { recursive: true, force: true });
});

async function writeConfig(rights: string): Promise<void> {
  const identity = join(directory, 'tls/nats');
  const settings = { host: '127.0.0.1', port, storeDir: join(directory, 'streams'), identity, authorization: rights };
  await writeFile(join(directory, 'nats.conf'), natsConfig(settings));
}

async function connect(name: string, identity: string | undefined = name): Promise<Bus> {
  const path = identity === '' ? undefined : join(directory, 'tls', identity);
  const bus = await connectNats({ url: `tls://127.0.0.1:${server.port}`, identity: path, name, logger });
  closing.push(() => bus.close());
  return bus;
}

function busOf(service: ServiceName): Bus {
  return buses.get(service) ?? expect.fail(service);
}

/** Resolves with the error of a subscription to a subject, or fails when the broker accepts it. */
async function errorOfSubscription({ connection }: Bus, subject: string): Promise<Error> {
  return new Promise((resolve, reject) => {
    const subscription = connection.subscribe(subject, {
      callback: (error) => {
        if (error) resolve(error);
      },
    });
    void connection
      .flush()
      .then(() => delay(200))
      .then(() => reject(new Error(`${subject} was accepted`)))
      .finally(() => subscription.unsubscribe());
  });
}

const deps = (bus: Bus): Parameters<typeof subscribe>[0] => ({
  bus,
  deadLetters: { store: async () => {}, count: async () => 0 },
  isOutage: () => false,
  logger,
});

const ids = (() => {
  let count = 0;
  return () => `event-${++count}`;
})();
const publishAs = async (service: ServiceName, { subject }: EventType, id: string): Promise<void> => {
  const payload = JSON.stringify({ eventId: id, organizationId: 'org_1' });
  await (await eventPublisher(busOf(service), service)).publish({ id, subject, payload });
};

describe.each(startOrder)('%s at the broker', (service) => {
  const own = catalogue.filter((type) => type.service === service);
  const foreign = catalogue.filter((type) => type.service !== service);

  test.runIf(own.length > 0)('publishes its own events', async () => {
    for (const type of own) await expect(publishAs(service, type, ids())).resolves.toBeUndefined();
  });

  test('publishes no event of another service', async () => {
    for (const { subject } of foreign) {
      await expect(busOf(service).jetstream.publish(subject, '{}')).rejects.toThrow(REFUSED);
    }
  });

  test('receives each event that it handles, through its own consumer, also when the consumer is lost', async () => {
    for (const { name, type } of durablesOf(service)) {
      const received: string[] = [];
      const start = () =>
        subscribe(deps(busOf(service)), {
          service: name.slice(0, -`__${type.name}`.length),
          type,
          handle: async ({ eventId }) => void received.push(eventId),
        });
      const id = ids();
      let subscription = await start();
      await publishAs(type.service as ServiceName, type, id);
      await eventually(() => expect(received).toContain(id));
      await subscription.stop();
      await operator.manager.consumers.delete(type.stream, name);
      received.length = 0;
      subscription = await start();
      await eventually(() => expect(received).toContain(id));
      await subscription.stop();
    }
  });

  test('acknowledges what its own consumers deliver, also by the subjects of nats-server 2.16, and nothing else', async () => {
    const { connection } = busOf(service);
    const answerOf = async (subject: string, timeout: number): Promise<string> =>
      connection.request(subject, '', { timeout }).then(
        () => 'accepted',
        ({ message }: Error) => message,
      );
    const answers = async (subjects: readonly string[], timeout: number): Promise<string[]> =>
      Promise.all(subjects.map((subject) => answerOf(subject, timeout)));
    // The broker knows no such delivery, so that nothing is acknowledged.
    const subjectsOf = ({ name, type: { stream } }: Durable): string[] =>
      ['', '_.account.'].map((before) => `$JS.ACK.${before}${stream}.${name}.1.999999.999999.1.0`);
    const durables = durablesOf(service);
    for (const answer of await answers(durables.flatMap(subjectsOf), 500)) expect(answer).not.toContain(REFUSED);
    const others = startOrder.filter((other) => other !== service).flatMap((other) => durablesOf(other));
    const pretended = others.flatMap(({ name, type }) =>
      durables.map((own) => `$JS.ACK.${type.stream}.${name}.${own.type.stream}.${own.name}.1.1.1`),
    );
    const refused = await answers([...others.flatMap(subjectsOf), ...pretended], 10_000);
    for (const answer of refused) expect(answer).toContain(REFUSED);
  });

  test('hears the broadcasts that it receives, and no other subject', async () => {
    const { subscribe: allowed } = brokerRights(service, '');
    const bus = busOf(service);
    for (const type of catalogue) {
      if (!allowed.includes(type.subject)) {
        expect((await errorOfSubscription(bus, type.subject)).message).toContain(REFUSED);
        continue;
      }
      let heard = 0;
      const subscription = bus.connection.subscribe(type.subject, { callback: (error) => void (error ?? heard++) });
      await bus.connection.flush();
      await publishAs(type.service as ServiceName, type, ids());
      await eventually(() => expect(heard).toBe(1));
      subscription.unsubscribe();
    }
    for (const subject of ['>', 'invoicecontrol.>', '$JS.>', '_INBOX.>', '_INBOX_operator.>']) {
      expect((await errorOfSubscription(bus, subject)).message).toContain(REFUSED);
    }
  });

  test('changes no stream and no consumer of another service, and purges nothing', async () => {
    const { manager } = busOf(service);
    for (const { stream, service: publisher } of publishers()) {
      await expect(manager.streams.purge(stream)).rejects.toThrow(REFUSED);
      await expect(manager.streams.delete(stream)).rejects.toThrow(REFUSED);
      await expect(manager.streams.update(stream, { max_age: 0 })).rejects.toThrow(REFUSED);
      await expect(manager.consumers.add(stream, { durable_name: 'spy' })).rejects.toThrow(REFUSED);
      if (publisher === service) continue;
      await expect(manager.streams.add({ name: stream, subjects: ['spy'] })).rejects.toThrow(REFUSED);
    }
    await expect(manager.streams.add({ name: 'SPY', subjects: ['spy'] })).rejects.toThrow(REFUSED);
    const others = startOrder.filter((other) => other !== service).flatMap((other) => durablesOf(other));
    for (const { name, type } of others) {
      await expect(manager.consumers.info(type.stream, name)).rejects.toThrow(REFUSED);
      await expect(manager.consumers.delete(type.stream, name)).rejects.toThrow(REFUSED);
    }
  });
});

test('each right of each service is needed: without it, the broker refuses what it allows', async () => {
  const rights = new Map(
    startOrder.map((service) => {
      const { publish, subscribe: heard } = brokerRights(service, '');
      return [
        service,
        [
          ...publish.map((subject) => ({ subject, isHeard: false })),
          ...heard.map((subject) => ({ subject, isHeard: true })),
        ],
      ];
    }),
  );
  const needless: string[] = [];
  let tried = 0;
  // Several rights are taken away at once, because each reload takes time. Two rights of which one covers the other are
  // not both taken away in both ways of grouping them.
  const groups = GROUP_COUNTS.flatMap((count) => Array.from({ length: count }, (_, group) => ({ count, group })));
  for (const { count, group } of groups) {
    await reload(withoutRights((position) => position % count === group));
    for (const service of startOrder) {
      for (const right of (rights.get(service) ?? []).filter((_, position) => position % count === group)) {
        const subject = right.subject.replaceAll('*', 'account').replace('>', '1.1.1.1.0');
        const isRefused = right.isHeard
          ? await errorOfSubscription(busOf(service), subject).then(
              () => true,
              () => false,
            )
          : await isRefusedToPublish(busOf(service), subject);
        if (!isRefused) needless.push(`${service} ${right.subject}`);
        tried += 1;
      }
    }
  }
  expect(tried).toBe(GROUP_COUNTS.length * [...rights.values()].flat().length);
  expect(tried).toBeGreaterThan(500);
  expect(needless).toEqual([]);
  await reload(authorization(TRUST_DOMAIN_DEFAULT, ''));
  // The broker has ended the subscriptions to responses, which clients open only once.
  for (const service of startOrder) buses.set(service, await connect(service));
});

/** Returns the rights of all services without those at some positions in the list of each service. */
function withoutRights(isTaken: (position: number) => boolean): string {
  let at = -1;
  const lines = authorization(TRUST_DOMAIN_DEFAULT, '')
    .split('\n')
    .filter((line) => {
      if (line.includes('user: "')) at = line.includes('/operator"') ? Number.NaN : -1;
      if (!line.startsWith('          "')) return true;
      at += 1;
      return !isTaken(at);
    });
  // nats-server would read an empty list as permission for everything.
  return lines.join('\n').replaceAll(/\{ allow: \[\s*\] \}/g, '{ deny: [">"] }');
}

async function isRefusedToPublish({ connection }: Bus, subject: string): Promise<boolean> {
  return connection.request(subject, '', { timeout: 1_000 }).then(
    () => false,
    ({ message }: Error) => message.includes(REFUSED),
  );
}

/** Gives the broker other rights, and waits until it has read them. */
async function reload(rights: string): Promise<void> {
  await writeConfig(rights);
  const before = reloads;
  process.kill(server.pid ?? expect.fail('no process'), 'SIGHUP');
  await eventually(() => expect(reloads).toBe(before + 1));
}

test('a stream that exists does not become a copy of another one', async () => {
  const [mine, victim] = publishers();
  if (mine === undefined || victim === undefined) throw new Error('There are fewer than two publishers.');
  const copy = { name: mine.stream, sources: [{ name: victim.stream }] };
  await expect(busOf(mine.service as ServiceName).manager.streams.add(copy)).rejects.toThrow('already in use');
});

test('nobody is let in without a certificate, with one of another authority, or with a name that is no service', async () => {
  for (const identity of ['', 'otherAuthority', 'stranger']) {
    const bus = await connect('analysis', identity);
    expect(bus.isConnected()).toBe(false);
  }
}, 60_000);

test('a refusal for whose result nobody waits, as that of an acknowledgement, is logged once a minute', async () => {
  const lines: string[] = [];
  const bus = await connectNats({
    url: `tls://127.0.0.1:${server.port}`,
    identity: join(directory, 'tls/scan'),
    name: 'scan',
    logger: createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } }),
  });
  closing.push(() => bus.close());
  for (const sequence of [1, 2]) {
    bus.connection.publish(`$JS.ACK.INVOICECONTROL_ORGANIZATION.billing__organization_purged.1.${sequence}.1.1.0`);
    await bus.connection.flush();
  }
  const refusals = (): string[] => lines.filter((line) => line.includes('the broker refused something'));
  await eventually(() => expect(refusals()).not.toEqual([]));
  await bus.connection.flush();
  expect(refusals()).toEqual([expect.stringContaining('billing__organization_purged')]);
});

test('a service whose rights were taken away and given back goes on without a restart', async () => {
  const [type] = catalogue.filter(({ service }) => service === 'scan');
  if (type === undefined) throw new Error('scan publishes nothing.');
  const scan = busOf('scan');
  await reload(authorization(TRUST_DOMAIN_DEFAULT, '').replace('/service/scan"', '/service/nobody"'));
  await eventually(() => expect(scan.isConnected()).toBe(false));
  // Longer than the client needs for the two refused attempts after which it gives up by default.
  await delay(2_000);
  await reload(authorization(TRUST_DOMAIN_DEFAULT, ''));
  await eventually(() => publishAs('scan', type, ids()));
  expect(scan.connection.isClosed()).toBe(false);
});
