import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import type { TcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { caller, startWebhooks } from '../testing/running-webhooks.js';
import type { RunningWebhooks } from '../testing/running-webhooks.js';

const { mongodbUrl, natsUrl } = testInfrastructure();
let receiver: WebhookReceiver;
let mongo: MongoProxy;
let nats: TcpProxy;
let running: RunningWebhooks;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  mongo = await startMongoProxy(mongodbUrl);
  const { hostname, port } = new URL(natsUrl);
  nats = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  running = await startWebhooks(startService, {
    receiver,
    infrastructure: { mongodbUrl, natsUrl },
    databaseName: testDatabaseName(),
    env: { MONGODB_URL: mongo.url, NATS_URL: `tls://127.0.0.1:${nats.port}` },
  });
});
afterAll(async () => {
  await running.stop();
  await mongo.close();
  await nats.close();
  await receiver.close();
});

const DOWN_MS = 3_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function expectAllDelivered(organizationId: string, path: string, eventIds: readonly string[]): Promise<void> {
  await eventually(() => {
    const ids = new Set(receiver.to(path).map(({ headers }) => headers['svc-event-id']));
    expect(ids).toEqual(new Set(eventIds));
  });
  await eventually(async () => {
    const deliveries = await running.deliveriesOf(organizationId);
    expect(deliveries.map(({ status }) => status)).toEqual(eventIds.map(() => DeliveryStatus.DELIVERED));
    expect(deliveries.map(({ attemptCount }) => attemptCount)).toEqual(eventIds.map(() => 1));
  });
}

test('loses nothing and counts nothing while the database is gone', async () => {
  const organizationId = running.organization.newTenant();
  const { path } = await running.newEndpoint(organizationId);
  const ids = [await running.analyzed(organizationId)];
  mongo.cut();
  for (let index = 0; index < 10; index++) ids.push(await running.analyzed(organizationId));
  await pause(DOWN_MS);
  mongo.heal();
  await expectAllDelivered(organizationId, path, ids);
});

test('loses nothing while the broker is gone, and goes on answering', async () => {
  const organizationId = running.organization.newTenant();
  const { path, endpoint } = await running.newEndpoint(organizationId);
  nats.cut();
  const ids = await Promise.all(Array.from({ length: 10 }, () => running.analyzed(organizationId)));
  const { endpointId } = endpoint;
  expect((await running.endpoints.getEndpoint({ organizationId, endpointId }, caller)).endpoint).toEqual(endpoint);
  await pause(DOWN_MS);
  nats.heal();
  await expectAllDelivered(organizationId, path, ids);
});
