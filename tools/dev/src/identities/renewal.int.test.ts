import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { embeddedNats } from '../infrastructure/embedded.js';
import { brokerAccess } from '../infrastructure/nats-config.js';
import { prepareIdentities } from './identities.js';
import { keepIdentities } from './renewal.js';

const NAMES = ['scan', 'nats'];
/** Interval of the checks in milliseconds. */
const EACH_MS = 20;

let directory: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'renewal-test-'));
  await prepareIdentities(directory, NAMES);
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await rm(directory, { recursive: true, force: true });
});

async function serialOf(name: string): Promise<string> {
  return new X509Certificate(await readFile(join(directory, name, 'tls.crt'))).serialNumber;
}

/** Returns the serial number of the certificate that a broker shows, which speaks TLS after its greeting. */
async function shownSerial(url: string): Promise<string> {
  const plain = connectPlain(Number(new URL(url).port), '127.0.0.1');
  try {
    await new Promise((resolve, reject) => {
      plain.once('data', resolve).once('error', reject);
    });
    const socket = connect({ socket: plain, rejectUnauthorized: false });
    await new Promise((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
    });
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  } finally {
    plain.destroy();
  }
}

test('a certificate that has to be made again is made while the system runs, and a failure does not end that', async () => {
  const errors: unknown[] = [];
  const before = await serialOf('scan');
  const renewal = keepIdentities(directory, NAMES, {
    onChecked: async () => {
      throw new Error('the broker is away');
    },
    onError: (error) => errors.push(error),
    eachMs: EACH_MS,
  });
  closing.push(() => renewal.stop());
  await eventually(() => expect(errors.length).toBeGreaterThan(1));
  await rm(join(directory, 'scan/tls.key'));
  await eventually(async () => expect(await serialOf('scan')).not.toBe(before));
});

test('the broker shows its renewed certificate without a restart, and its clients stay connected', async () => {
  const path = join(directory, 'streams');
  const access = brokerAccess(directory, '');
  const broker = await embeddedNats({ path, isTemporary: false }, access, () => {});
  closing.push(() => broker.stop());
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectNats({ url: broker.url, identity: join(directory, 'scan'), name: 'scan', logger });
  closing.push(() => bus.close());
  let disconnections = 0;
  void (async () => {
    for await (const { type } of bus.connection.status()) if (type === 'disconnect') disconnections += 1;
  })();
  expect(await shownSerial(broker.url)).toBe(await serialOf('nats'));
  await rm(join(directory, 'nats/tls.key'));
  const before = await serialOf('nats');
  const renewal = keepIdentities(directory, NAMES, {
    onChecked: () => broker.readIdentity(),
    onError: (error) => expect.fail(String(error)),
    eachMs: EACH_MS,
  });
  closing.push(() => renewal.stop());
  await eventually(async () => expect(await serialOf('nats')).not.toBe(before));
  await eventually(async () => expect(await shownSerial(broker.url)).toBe(await serialOf('nats')));
  await bus.ping();
  expect(disconnections).toBe(0);
});
