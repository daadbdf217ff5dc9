import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
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
import { keepReplicas } from '@invoicecontrol/runtime/nats/stream';
import { isNatsUnavailable } from '@invoicecontrol/runtime/nats/unavailable';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { root } from './kubernetes-objects.js';

const SERVERS = 3;
const CLUSTER_MS_MAX = 60_000;

/** Three servers with the configuration of the component, on this machine instead of three pods. */
const servers: ChildServer[] = [];
const closing: (() => Promise<unknown>)[] = [];
let urls: string[];
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });

beforeAll(async () => {
  const { binary } = await findNatsServer(() => {});
  const [ports, monitors, routes] = [await freePorts(), await freePorts(), await freePorts()];
  urls = ports.map((port) => `nats://127.0.0.1:${port}`);
  for (const [at, port] of ports.entries()) {
    const directory = await temporaryDataDir();
    closing.push(() => rm(directory, { recursive: true, force: true }));
    const config = join(directory, 'nats.conf');
    await writeFile(config, hereInsteadOfPods(at, { directory, port, monitor: monitors[at] ?? 0, routes }));
    const server = await startChildServer({
      name: `nats-${at}`,
      command: binary,
      args: ['--config', config, '--addr', '127.0.0.1'],
      env: { POD_NAME: `nats-${at}` },
      readPort: (line) => (line.includes('Server is ready') ? port : undefined),
      log: () => {},
    });
    servers.push(server);
    closing.push(() => server.stop());
  }
}, 120_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function freePorts(): Promise<number[]> {
  return Promise.all(Array.from({ length: SERVERS }, () => freePort()));
}

interface Place {
  readonly directory: string;
  readonly port: number;
  readonly monitor: number;
  readonly routes: readonly number[];
}

/** The configuration file of the component with the ports and directories of this machine. */
function hereInsteadOfPods(at: number, { directory, port, monitor, routes }: Place): string {
  const replacements: [RegExp | string, string][] = [
    [/^port: 4222$/m, `port: ${port}`],
    [/^http_port: 8222$/m, `http: 127.0.0.1:${monitor}`],
    [/^ {2}port: 6222$/m, `  host: 127.0.0.1\n  port: ${routes[at]}`],
    ...routes.map((route, index): [string, string] => [`nats-${index}.nats:6222`, `127.0.0.1:${route}`]),
    ['/tmp/nats.pid', join(directory, 'nats.pid')],
    ['store_dir: /data', `store_dir: ${join(directory, 'data')}`],
  ];
  let text = readFileSync(join(root, 'k8s/components/nats-cluster/nats.conf'), 'utf8');
  for (const [from, to] of replacements) {
    const replaced = text.replace(from, to);
    if (replaced === text) throw new Error(`nats.conf has no ${String(from)}.`);
    text = replaced;
  }
  return text;
}

async function connect(streamReplicas: number): Promise<Bus> {
  const bus = await connectNats({ url: urls.join(','), name: 'test', streamReplicas, logger });
  closing.push(() => bus.close());
  return bus;
}

test('a stream of one server is raised to three, and takes events while one of them is lost', async () => {
  const single = await connect(1);
  const first = await eventPublisher(single, 'cluster-trial');
  // The NATS servers first have to find each other and elect a leader.
  await eventually(() => first.position(), { timeoutMs: CLUSTER_MS_MAX });
  const { stream } = first;
  const replicas = async (): Promise<number> => (await single.manager.streams.info(stream)).config.num_replicas;
  expect(await replicas()).toBe(1);

  const bus = await connect(3);
  const keeping = keepReplicas(bus, stream, logger);
  closing.push(() => keeping.stop());
  await eventually(async () => expect(await replicas()).toBe(3), { timeoutMs: CLUSTER_MS_MAX });
  await eventually(
    async () => {
      const { cluster } = await bus.manager.streams.info(stream);
      expect(cluster?.replicas?.filter(({ current }) => current)).toHaveLength(2);
    },
    { timeoutMs: CLUSTER_MS_MAX },
  );

  const publisher = await eventPublisher(bus, 'cluster-trial');
  const publish = (id: string): Promise<void> =>
    publisher.publish({ id, subject: 'invoicecontrol.cluster-trial.v1.changed', payload: '{}' });
  await publish('before');
  await servers[0]?.kill();
  await eventually(() => publish('after'), { timeoutMs: CLUSTER_MS_MAX });
  await eventually(async () => expect((await publisher.position()).lastSeq).toBe(2), { timeoutMs: CLUSTER_MS_MAX });
});

test('a cluster with too few servers for the replicas counts as an outage, so that the service starts all the same', async () => {
  const bus = await connect(5);
  const publisher = await eventPublisher(bus, 'crowded');
  await expect(publisher.position()).rejects.toSatisfy(isNatsUnavailable);
});
