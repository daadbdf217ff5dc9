import { readFileSync } from 'node:fs';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '@invoicecontrol/dev/free-port';
import { temporaryDataDir } from '@invoicecontrol/dev/infrastructure';
import { startChildServer } from '@invoicecontrol/dev/infrastructure-child';
import type { ChildServer } from '@invoicecontrol/dev/infrastructure-child';
import { findNatsServer } from '@invoicecontrol/dev/nats-server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { setUpBroker } from '@invoicecontrol/runtime/nats/set-up';
import { watchReplicas } from '@invoicecontrol/runtime/nats/stream';
import { isNatsUnavailable } from '@invoicecontrol/runtime/nats/unavailable';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { root } from './kubernetes-objects.js';

const SERVERS = 3;
const CLUSTER_MS_MAX = 60_000;

/** Three servers with the configuration of the component, on this machine instead of three pods. */
const servers: ChildServer[] = [];
const closing: (() => Promise<unknown>)[] = [];
let urls: string[];
let monitors: number[];
let routes: number[];
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });

beforeAll(async () => {
  const ports = await freePorts();
  monitors = await freePorts();
  routes = await freePorts();
  urls = ports.map((port) => `tls://127.0.0.1:${port}`);
  for (const [at, port] of ports.entries()) {
    const place = { port, monitor: monitors[at] ?? 0, route: routes[at] ?? 0, routes };
    servers.push(await startServer(`nats-${at}`, { ...place, identity: testIdentityDirectory('nats') }));
  }
}, 120_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function freePorts(): Promise<number[]> {
  return Promise.all(Array.from({ length: SERVERS }, () => freePort()));
}

interface Place {
  readonly port: number;
  readonly monitor: number;
  readonly route: number;
  /** Ports for routes of the three servers of the cluster. */
  readonly routes: readonly number[];
  /** Folder with the certificate of the server. */
  readonly identity: string;
}

async function startServer(name: string, place: Place): Promise<ChildServer & { readonly lines: string[] }> {
  const { binary } = await findNatsServer(() => {});
  const directory = await temporaryDataDir();
  closing.push(() => rm(directory, { recursive: true, force: true }));
  const config = join(directory, 'nats.conf');
  await writeFile(config, hereInsteadOfPods(directory, place));
  await copyFile(join(root, 'k8s/components/nats/rights.conf'), join(directory, 'rights.conf'));
  const log: string[] = [];
  const server = await startChildServer({
    name,
    command: binary,
    args: ['--config', config, '--addr', '127.0.0.1'],
    env: { POD_NAME: name },
    readPort: (line) => {
      log.push(line);
      return line.includes('Server is ready') ? place.port : undefined;
    },
    log: () => {},
  });
  closing.push(() => server.stop());
  return Object.assign(server, { lines: log });
}

/** Returns the configuration file of the component with the ports and directories of this machine. */
function hereInsteadOfPods(directory: string, { port, monitor, route, routes: others, identity }: Place): string {
  const replacements: [RegExp | string, string][] = [
    [/^port: 4222$/m, `port: ${port}`],
    [/^http_port: 8222$/m, `http: 127.0.0.1:${monitor}`],
    [/^ {2}port: 6222$/m, `  host: 127.0.0.1\n  port: ${route}`],
    ...others.map((other, index): [string, string] => [`nats-${index}.nats:6222`, `127.0.0.1:${other}`]),
    ['/tmp/nats.pid', join(directory, 'nats.pid')],
    ['store_dir: /data', `store_dir: ${join(directory, 'data')}`],
    [/\/identity\//g, `${identity}/`],
  ];
  let text = readFileSync(join(root, 'k8s/components/nats-cluster/nats.conf'), 'utf8');
  for (const [from, to] of replacements) {
    const replaced = text.replace(from, to);
    if (replaced === text) throw new Error(`nats.conf has no ${String(from)}.`);
    text = replaced;
  }
  return text;
}

async function connect(name: string, streamReplicas: number): Promise<Bus> {
  const identity = testIdentityDirectory(name);
  const bus = await connectNats({ url: urls.join(','), identity, name, streamReplicas, logger });
  closing.push(() => bus.close());
  return bus;
}

test('a stream of one server is raised to three by the operator, and takes events while one of them is lost', async () => {
  const single = await connect('scan', 1);
  const first = await eventPublisher(single, 'scan');
  // The NATS servers first have to find each other and elect a leader.
  await eventually(() => first.position(), { timeoutMs: CLUSTER_MS_MAX });
  const { stream } = first;
  const replicas = async (): Promise<number> => (await single.manager.streams.info(stream)).config.num_replicas;
  expect(await replicas()).toBe(1);
  const watching = watchReplicas(await connect('scan', 3), stream, logger);
  closing.push(() => watching.stop());
  await eventually(() => expect(lines.join('')).toContain('run `admin broker-setup`'), { timeoutMs: CLUSTER_MS_MAX });

  const operator = await connect('operator', 3);
  const plan = { streams: [{ service: 'scan', stream }], consumers: [] };
  await eventually(() => setUpBroker(operator, plan), { timeoutMs: CLUSTER_MS_MAX });
  expect(await replicas()).toBe(3);
  await eventually(
    async () => {
      const { cluster } = await single.manager.streams.info(stream);
      expect(cluster?.replicas?.filter(({ current }) => current)).toHaveLength(2);
    },
    { timeoutMs: CLUSTER_MS_MAX },
  );

  const publisher = await eventPublisher(await connect('scan', 3), 'scan');
  const publish = (id: string): Promise<void> =>
    publisher.publish({ id, subject: 'invoicecontrol.scan.v1.scan_completed', payload: '{}' });
  await publish('before');
  await servers[0]?.kill();
  await eventually(() => publish('after'), { timeoutMs: CLUSTER_MS_MAX });
  await eventually(async () => expect((await publisher.position()).lastSeq).toBe(2), { timeoutMs: CLUSTER_MS_MAX });
});

test('a cluster with too few servers for the replicas counts as an outage, so that the service starts all the same', async () => {
  const bus = await connect('webhooks', 5);
  const publisher = await eventPublisher(bus, 'webhooks');
  await expect(publisher.position()).rejects.toSatisfy(isNatsUnavailable);
});

test('a service may do at each server of the cluster what rights.conf allows, and a client without a certificate nothing', async () => {
  const scan = await connect('scan', 1);
  const foreign = scan.jetstream.publish('invoicecontrol.organization.v1.organization_purged', '{}');
  await expect(foreign).rejects.toThrow('Permissions Violation');
  const anonymous = await connectNats({ url: urls.join(','), name: 'anonymous', logger });
  closing.push(() => anonymous.close());
  expect(anonymous.isConnected()).toBe(false);
});

test('the certificate of a service opens no route into the cluster', async () => {
  const port = await freePort();
  const intruder = await startServer('intruder', {
    port,
    monitor: await freePort(),
    route: await freePort(),
    routes,
    identity: testIdentityDirectory('scan'),
  });
  await eventually(() => expect(intruder.lines.join('\n')).toMatch(/route.*Authorization Violation/i), {
    timeoutMs: CLUSTER_MS_MAX,
  });
  const response = await fetch(`http://127.0.0.1:${monitors[1]}/routez`);
  const { routes: members } = (await response.json()) as { routes: { remote_name: string }[] };
  const names = new Set(members.map(({ remote_name: member }) => member));
  expect([...names]).not.toContain('intruder');
  expect(names.size).toBeGreaterThan(0);
});
