import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '@invoicecontrol/dev/free-port';
import { temporaryDataDir } from '@invoicecontrol/dev/infrastructure';
import { startChildServer } from '@invoicecontrol/dev/infrastructure-child';
import { findNatsServer } from '@invoicecontrol/dev/nats-server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { setUpBroker } from '@invoicecontrol/runtime/nats/set-up';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { publishers } from '@invoicecontrol/topology/broker-rights';
import { root } from './kubernetes-objects.js';

let url: string;
const closing: (() => Promise<unknown>)[] = [];

/** The server of compose.yaml and of the component, with its configuration, on this machine instead of in a container. */
beforeAll(async () => {
  const { binary } = await findNatsServer(() => {});
  const directory = await temporaryDataDir();
  closing.push(() => rm(directory, { recursive: true, force: true }));
  await cp(join(root, 'k8s/components/nats'), directory, { recursive: true });
  const [port, monitor] = [await freePort(), await freePort()];
  const replace = async (name: string, ...changes: readonly (readonly [string, string])[]): Promise<void> => {
    let text = await readFile(join(directory, name), 'utf8');
    for (const [from, to] of changes) {
      expect(text).toContain(from);
      text = text.replaceAll(from, to);
    }
    await writeFile(join(directory, name), text);
  };
  const store = join(directory, 'streams');
  await replace(
    'nats.conf',
    ['4222', String(port)],
    ['8222', String(monitor)],
    ['/data', JSON.stringify(store)],
    ['/identity', testIdentityDirectory('nats')],
  );
  const server = await startChildServer({
    name: 'NATS',
    command: binary,
    args: ['--config', join(directory, 'nats.conf'), '--addr', '127.0.0.1'],
    readPort: (line) => (line.includes('Server is ready') ? port : undefined),
    log: () => {},
  });
  closing.push(() => server.stop());
  url = `tls://127.0.0.1:${port}`;
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function connect(name: string): Promise<Bus> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectNats({ url, identity: testIdentityDirectory(name), name, logger });
  closing.push(() => bus.close());
  return bus;
}

test('the broker of compose.yaml and of Kubernetes knows the operator and each service by their certificates, and nobody else', async () => {
  await setUpBroker(await connect('operator'), { streams: publishers(), consumers: [] });
  const scan = await connect('scan');
  await scan.jetstream.publish('invoicecontrol.scan.v1.scan_completed', '{}');
  await expect(scan.jetstream.publish('invoicecontrol.organization.v1.organization_purged', '{}')).rejects.toThrow(
    'Permissions Violation',
  );
  // The tests have an identity of their own, which only their own broker knows.
  expect((await connect('test')).isConnected()).toBe(false);
});

test.each(['expired', 'otherAuthority', 'stranger', 'noUri'])(
  'the broker of compose.yaml and of Kubernetes refuses the certificate %s',
  async (name) => {
    expect((await connect(name)).isConnected()).toBe(false);
  },
);

test('the broker of compose.yaml and of Kubernetes refuses a client without a certificate', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectNats({ url, name: 'anonymous', logger });
  closing.push(() => bus.close());
  expect(bus.isConnected()).toBe(false);
});
