import { randomUUID } from 'node:crypto';
import { events } from '@invoicecontrol/contracts/events';
import { ScanServiceDefinition } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { organizationIn } from '@invoicecontrol/runtime/refused-calls';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { boundedRefusals } from '@invoicecontrol/runtime/refused-calls';
import { refusedCallPublisher } from './refused-calls.js';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
const context = { requestId: 'refused', actor: { type: 'USER', id: 'somebody' } } as const;
const { subject } = events.scanAuditRecorded;

async function serveScans(bus: Bus): Promise<(organizationId: string) => Promise<unknown>> {
  const refuse = async (): Promise<never> => Promise.reject(new Error('nobody may call this'));
  const record = refusedCallPublisher('scan', { bus, clock: systemClock });
  if (record === undefined) throw new Error('scan publishes no audit events');
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('scan'),
    logger,
    onRefused: boundedRefusals(record, logger),
    bindings: [
      bind(
        ScanServiceDefinition,
        Object.fromEntries(Object.keys(ScanServiceDefinition.methods).map((name) => [name, refuse])) as never,
      ),
    ],
  });
  closing.push(() => server.stop(1_000));
  const channel = openChannel(server.address, { service: 'scan', identity: testIdentity('webhooks') });
  closing.push(() => channel.close());
  const scans = client(ScanServiceDefinition, channel);
  return (organizationId) => scans.getScan({ organizationId, scanId: randomUUID() }, { context });
}

async function connect(): Promise<Bus> {
  const bus = await connectTestNats({ url: testInfrastructure().natsUrl, name: 'test', logger });
  closing.push(() => bus.close());
  return bus;
}

test('a refused call that names an organization becomes an audit event of the service, once a minute', async () => {
  const bus = await connect();
  const organizationId = randomUUID();
  const heard: Record<string, unknown>[] = [];
  const subscription = bus.connection.subscribe(subject, {
    callback: (_, message) => void heard.push(message.json<Record<string, unknown>>()),
  });
  closing.push(() => subscription.unsubscribe());
  const call = await serveScans(bus);
  for (let calls = 0; calls < 3; calls++)
    await expect(call(organizationId)).rejects.toMatchObject({ kind: 'forbidden' });
  const own = () => heard.filter((event) => event['organizationId'] === organizationId);
  await eventually(() => expect(own()).toHaveLength(1));
  expect(own()).toEqual([
    expect.objectContaining({
      action: 'rpc.refused',
      actorType: 'SYSTEM',
      actorId: 'webhooks',
      target: 'rpc:invoicecontrol.scan.v1.ScanService/GetScan not_listed',
      outcome: 'REFUSED',
      requestId: 'refused',
    }),
  ]);
});

test('a call for an unknown organization hides no call for another one in the same minute', async () => {
  const bus = await connect();
  const [unknown, attacked] = [randomUUID(), randomUUID()];
  const heard: unknown[] = [];
  const subscription = bus.connection.subscribe(subject, {
    callback: (_, message) => void heard.push(message.json<Record<string, unknown>>()['organizationId']),
  });
  closing.push(() => subscription.unsubscribe());
  const call = await serveScans(bus);
  for (const organizationId of [unknown, attacked])
    await expect(call(organizationId)).rejects.toMatchObject({ kind: 'forbidden' });
  await eventually(() => expect(heard).toEqual(expect.arrayContaining([unknown, attacked])));
});

test('a refused call is refused also while the broker is unavailable, and the log names the entry that is missing', async () => {
  const bus = { isConnected: () => false, manager: {} } as unknown as Bus;
  const call = await serveScans(bus);
  await expect(call(randomUUID())).rejects.toMatchObject({ kind: 'forbidden' });
  await eventually(() => expect(lines.join('')).toContain('a refused call could not be recorded'));
});

test.each([
  [{ organizationId: '0192a0a0-0000-7000-8000-000000000000' }, '0192a0a0-0000-7000-8000-000000000000'],
  [{ organizationId: 'acme' }, undefined],
  [{ organizationId: '' }, undefined],
  [{ pageSize: 1 }, undefined],
  [undefined, undefined],
])('of the request %j, the audit trail of %s is meant', (request, expected) => {
  expect(organizationIn(request)).toBe(expected);
});
