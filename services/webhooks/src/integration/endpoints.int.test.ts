import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { DeliveryStatus } from '@invoicecontrol/contracts/webhooks/v1/delivery_service';
import { EndpointStatus } from '@invoicecontrol/contracts/webhooks/v1/endpoint_service';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { publicEventTypes } from '@invoicecontrol/public-events';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { ReceivedRequest, WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { withoutRepeats } from '@invoicecontrol/testkit/without-repeats';
import { startService } from '../compose.js';
import type { EndpointDocument } from '../storage/endpoints.js';
import { caller, startWebhooks } from '../testing/running-webhooks.js';
import type { Created, RunningWebhooks } from '../testing/running-webhooks.js';

const OVERLAP_MS = 3_000;
const SECRETBOX_KEYS = `k1:${randomBytes(32).toString('base64')}`;

let running: RunningWebhooks;
let receiver: WebhookReceiver;
const announced: { name: string; organizationId: string; action?: string; host?: string; goneTime?: Date }[] = [];
let closeBroadcast: () => void;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startWebhooks(startService, {
    receiver,
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: {
      SECRETBOX_KEYS,
      WEBHOOK_SECRET_OVERLAP_MS: String(OVERLAP_MS),
      WEBHOOK_RETRY_WAITS_MS: '20,20,20,20',
      WEBHOOK_NOTICE_AFTER_MS: '500',
      WEBHOOK_DISABLE_AFTER_MS: '1500',
    },
  });
  const types = [events.webhooksAuditRecorded, events.endpointFailing, events.endpointDisabled];
  ({ close: closeBroadcast } = subscribeBroadcast(
    running.bus,
    types as (typeof events.webhooksAuditRecorded)[],
    withoutRepeats((event, { name }) => announced.push({ name, ...event })),
    createLogger({ service: 'test', level: 'silent' }),
  ));
});
afterAll(async () => {
  closeBroadcast();
  await running.stop();
  await receiver.close();
});

const newTenant = (): string => running.organization.newTenant();
const stored = () => running.mongo.db.collection<EndpointDocument>('endpoints');
const url = 'https://127.0.0.1:8443/hook';
interface CreatePart {
  readonly organizationId?: string;
  readonly url?: string;
  readonly events?: string[];
  readonly plan?: string;
  readonly endpointsLimit?: number;
}
const create = ({ organizationId = randomUUID(), plan = 'SCALE', endpointsLimit, ...part }: CreatePart = {}) => {
  const limits = endpointsLimit === undefined ? {} : { webhooks: endpointsLimit };
  return running.endpoints.createEndpoint(
    { organizationId, url, events: ['scan.completed'], ...part },
    callWithGrant(caller, organizationId, { plan, limits }),
  );
};
const signatureOf = ({ headers, body }: ReceivedRequest, secret: string): string => {
  const [t = ''] = String(headers['svc-signature']).split(',');
  const signed = `${String(headers['svc-event-id'])}.${t.slice(2)}.${body}`;
  return `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
};

describe('registering an endpoint', () => {
  test('answers with its record and its secret, which is nowhere in the database', async () => {
    const organizationId = newTenant();
    const { endpoint, secret } = await create({ organizationId, url: 'https://127.0.0.1:8443/a/../b?c=1' });
    expect(endpoint).toMatchObject({ url: 'https://127.0.0.1:8443/b?c=1', status: EndpointStatus.ACTIVE });
    expect(secret).toMatch(/^whsec_[0-9A-Za-z]{43}$/);
    const dump = JSON.stringify(await stored().find({ organizationId }).toArray());
    expect(dump).toContain('e1.k1.');
    expect(dump).not.toContain(secret.slice(6));
    const page = { organizationId, pageSize: 10, pageToken: '' };
    expect((await running.endpoints.listEndpoints(page, caller)).endpoints).toEqual([endpoint]);
    await eventually(() =>
      expect(announced).toContainEqual(expect.objectContaining({ organizationId, action: 'webhook.created' })),
    );
  });

  test.each([
    [
      'an unknown event before a bad address',
      { events: ['scan.*'], url: 'https://10.0.0.1/', plan: 'FREE' },
      'invalid',
      'events[0]',
    ],
    ['no event', { events: [] }, 'invalid', 'events'],
    ['a bad address before the plan', { url: 'https://10.0.0.1/', plan: 'FREE' }, 'invalid', 'url'],
    ['http', { url: 'http://127.0.0.1:8443/' }, 'invalid', 'url'],
    ['the plan before the number', { plan: 'CONTROL', endpointsLimit: 0 }, 'forbidden', 'SCALE'],
    ['more than the plan allows', { endpointsLimit: 0 }, 'usage_exceeded', 'plan allows 0'],
  ])('refuses %s', async (_, part, kind, text) => {
    await expect(create(part)).rejects.toMatchObject({ kind, message: expect.stringContaining(text) });
  });

  test('lets exactly as many through as the plan allows, and gives the place of a deleted one back', async () => {
    const organizationId = newTenant();
    const attempts = await Promise.allSettled(
      Array.from({ length: 40 }, () => create({ organizationId, endpointsLimit: 7 })),
    );
    const created = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value.endpoint] : []));
    expect(created).toHaveLength(7);
    const used = async () => (await running.usage.getUsage({ organizationId }, caller)).meters;
    expect(await used()).toEqual([{ meter: 'webhooks', used: 7 }]);
    const endpointId = created[0]?.endpointId ?? '';
    await running.endpoints.deleteEndpoint({ organizationId, endpointId }, caller);
    expect(await used()).toEqual([{ meter: 'webhooks', used: 6 }]);
    await create({ organizationId, endpointsLimit: 7 });
    await expect(create({ organizationId, endpointsLimit: 7 })).rejects.toMatchObject({ kind: 'usage_exceeded' });
  });

  test('finds places again that a crash took with it', async () => {
    const organizationId = newTenant();
    const { endpoint } = await create({ organizationId, endpointsLimit: 1 });
    // The places in the plan were reserved over a minute ago, one of them by a request that crashed before it stored
    // its webhook.
    const [existing, longAgo] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];
    const document = await stored().findOne({ _id: endpoint?.endpointId ?? '' });
    if (document !== null) await stored().insertOne({ ...document, _id: existing });
    const places = running.mongo.db.collection<{ _id: string; endpointIds: string[] }>('endpoint_places');
    await places.updateOne(
      { _id: organizationId },
      { $set: { used: 3, endpointIds: [endpoint?.endpointId ?? '', existing, longAgo] } },
    );
    const { endpoint: third } = await create({ organizationId, endpointsLimit: 3 });
    expect((await places.findOne({ _id: organizationId }))?.endpointIds).toEqual([
      endpoint?.endpointId,
      existing,
      third?.endpointId,
    ]);
    await expect(create({ organizationId, endpointsLimit: 3 })).rejects.toMatchObject({ kind: 'usage_exceeded' });
  });
});

describe('an endpoint of another organization', () => {
  test('is not found by anything', async () => {
    const { endpoint } = await create({ organizationId: newTenant() });
    const id = { organizationId: newTenant(), endpointId: endpoint?.endpointId ?? '' };
    const { endpoints } = running;
    const calls = [
      endpoints.getEndpoint(id, caller),
      endpoints.updateEndpoint({ ...id, events: [], status: EndpointStatus.DISABLED }, caller),
      endpoints.deleteEndpoint(id, caller),
      endpoints.rotateSecret({ ...id, revokePrevious: false }, caller),
      endpoints.testEndpoint({ ...id, eventType: 'scan.completed' }, caller),
      endpoints.replayFailedDeliveries({ ...id, sinceTime: new Date() }, caller),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'not_found' } });
    }
  });
});

describe('rotating the secret', () => {
  test('signs with both, the new one first, until the overlap ends', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const { endpointId } = created.endpoint;
    const before = Date.now();
    const { secret, previousSecretExpiresTime } = await running.endpoints.rotateSecret(
      { organizationId, endpointId, revokePrevious: false },
      caller,
    );
    expect(Math.abs((previousSecretExpiresTime?.getTime() ?? 0) - before - OVERLAP_MS)).toBeLessThan(2_000);
    const next = async (): Promise<string> => {
      const count = receiver.to(created.path).length;
      await running.analyzed(organizationId);
      await eventually(() => expect(receiver.to(created.path).length).toBe(count + 1));
      const request = receiver.to(created.path).at(-1);
      if (request === undefined) throw new Error('nothing came');
      const names = new Map([
        [signatureOf(request, secret), 'new'],
        [signatureOf(request, created.secret), 'old'],
      ]);
      const [, ...values] = String(request.headers['svc-signature']).split(',');
      return values.map((value) => names.get(value) ?? 'unknown').join();
    };
    expect(await next()).toBe('new,old');
    await eventually(async () => expect(await next()).toBe('new'));
    expect(Date.now() - before).toBeGreaterThan(OVERLAP_MS - 100);
  });

  test('fifty times at once makes as many secrets as there are answers, of which two are valid', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const { endpointId } = created.endpoint;
    const rotations = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        running.endpoints.rotateSecret({ organizationId, endpointId, revokePrevious: false }, caller),
      ),
    );
    const secrets = rotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value.secret] : []));
    expect(new Set(secrets).size).toBe(secrets.length);
    for (const one of rotations) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'concurrent_change' });
    }
    await running.analyzed(organizationId);
    await eventually(() => expect(receiver.to(created.path)).toHaveLength(1));
    const [request] = receiver.to(created.path);
    const [, ...values] = String(request?.headers['svc-signature']).split(',');
    const known = new Set(secrets.map((secret) => request && signatureOf(request, secret)));
    expect(values.map((value) => known.has(value))).toEqual([true, true]);
  });
});

describe('a test delivery', () => {
  test.each(publicEventTypes)('of %s carries the example, signed and marked', async (eventType) => {
    const organizationId = newTenant();
    const created: Created = await running.newEndpoint(organizationId, { events: ['scan.completed'] });
    const { delivery } = await running.endpoints.testEndpoint(
      { organizationId, endpointId: created.endpoint.endpointId, eventType },
      caller,
    );
    expect(delivery).toMatchObject({ test: true, eventType });
    await eventually(() => expect(receiver.to(created.path)).toHaveLength(1));
    const [request] = receiver.to(created.path);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ id: delivery?.eventId, type: eventType });
    expect(request?.headers['svc-signature']).toContain(request && signatureOf(request, created.secret));
  });

  test('is refused to a DISABLED endpoint and on a plan without webhooks', async () => {
    const organizationId = newTenant();
    const { endpoint } = await running.newEndpoint(organizationId);
    const id = { organizationId, endpointId: endpoint.endpointId };
    const sendTest = (eventType: string) => running.endpoints.testEndpoint({ ...id, eventType }, caller);
    await expect(sendTest('*')).rejects.toMatchObject({ kind: 'invalid' });
    await running.endpoints.updateEndpoint({ ...id, events: [], status: EndpointStatus.DISABLED }, caller);
    await expect(sendTest('scan.completed')).rejects.toMatchObject({ kind: 'wrong_state' });
  });
});

describe('an endpoint that only fails', () => {
  test('is announced, switched off, and starts again when its owner switches it on', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const { endpointId } = created.endpoint;
    receiver.answer(created.path, (_, response) => response.writeHead(500).end());
    for (let index = 0; index < 5; index++) await running.analyzed(organizationId);
    const host = `127.0.0.1:${receiver.port}`;
    await eventually(() => {
      expect(announced).toContainEqual(expect.objectContaining({ name: 'endpoint_failing', organizationId, host }));
      expect(announced).toContainEqual(expect.objectContaining({ name: 'endpoint_disabled', organizationId, host }));
    });
    const notices = announced.filter((event) => event.organizationId === organizationId && event.host === host);
    expect(notices.map(({ name }) => name)).toEqual(['endpoint_failing', 'endpoint_disabled']);
    const { endpoint } = await running.endpoints.getEndpoint({ organizationId, endpointId }, caller);
    expect(endpoint?.status).toBe(EndpointStatus.DISABLED);
    await running.endpoints.updateEndpoint(
      { organizationId, endpointId, events: [], status: EndpointStatus.ACTIVE },
      caller,
    );
    const document = await stored().findOne({ _id: endpointId });
    expect(document).toMatchObject({ failuresInRow: 0 });
    expect(document).not.toHaveProperty('failingSince');
  });

  test('is announced as one that asks for no more deliveries when it has answered 410', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    let answers = 0;
    receiver.answer(created.path, (_, response) => response.writeHead(++answers === 2 ? 410 : 500).end());
    await running.analyzed(organizationId);
    await eventually(() => {
      const notice = announced.find(
        (event) => event.organizationId === organizationId && event.name === 'endpoint_failing',
      );
      expect(notice?.goneTime).toBeInstanceOf(Date);
    });
    await running.endpoints.updateEndpoint(
      { organizationId, endpointId: created.endpoint.endpointId, events: [], status: EndpointStatus.ACTIVE },
      caller,
    );
    expect(await stored().findOne({ organizationId })).not.toHaveProperty('goneAt');
  });

  test('is forgiven with its next success', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    let isUp = false;
    receiver.answer(created.path, (_, response) => response.writeHead(isUp ? 200 : 500).end());
    await running.analyzed(organizationId);
    await eventually(async () => {
      expect(await stored().findOne({ organizationId })).toMatchObject({ failuresInRow: expect.any(Number) });
      expect((await stored().findOne({ organizationId }))?.failingSince).toBeDefined();
    });
    isUp = true;
    await running.analyzed(organizationId);
    await eventually(async () => {
      const document = await stored().findOne({ organizationId });
      expect(document?.failuresInRow).toBe(0);
      expect(document).not.toHaveProperty('failingSince');
    });
  });
});

describe('the keys that seal secrets', () => {
  test('are rotated without an interruption: the rotation job wraps all again, then the old key may go unless it seals again', async () => {
    const organizationId = newTenant();
    const created = await running.newEndpoint(organizationId);
    const newer = `k2:${randomBytes(32).toString('base64')}`;
    const rotating = await running.startReplica({ SECRETBOX_KEYS: `${newer},${SECRETBOX_KEYS}` });
    await eventually(async () => expect(await stored().countDocuments({ 'secrets.keyId': 'k1' })).toBe(0));
    await rotating.stop();
    const after = await running.startReplica({ SECRETBOX_KEYS: newer });
    try {
      const { endpointId } = created.endpoint;
      const sent = () =>
        after.endpoints.testEndpoint({ organizationId, endpointId, eventType: 'scan.completed' }, caller);
      await sent();
      await eventually(() => expect(receiver.to(created.path)).toHaveLength(1));
      const [request] = receiver.to(created.path);
      expect(request?.headers['svc-signature']).toContain(request && signatureOf(request, created.secret));
    } finally {
      await after.stop();
    }
    // The first replica, which has only the old sealing key, seals a secret after the last secret of this key was
    // removed.
    await running.newEndpoint(organizationId);
    await expect(running.startReplica({ SECRETBOX_KEYS: newer })).rejects.toThrow('SECRETBOX_KEYS lacks k1');
  });

  test('prevent the start when one is missing or another', async () => {
    const other = `k9:${randomBytes(32).toString('base64')}`;
    await expect(running.startReplica({ SECRETBOX_KEYS: other })).rejects.toThrow('SECRETBOX_KEYS lacks');
  });
});

test('a deletion that a crash interrupted is finished', async () => {
  const organizationId = newTenant();
  const created = await running.newEndpoint(organizationId);
  receiver.answer(created.path, () => {});
  await running.analyzed(organizationId);
  await eventually(() => expect(receiver.to(created.path)).toHaveLength(1));
  const deletionPending = new Date(Date.now() - 60_000);
  await stored().updateOne(
    { _id: created.endpoint.endpointId },
    { $set: { status: 'DELETED', secrets: [], deletionPending } },
  );
  await eventually(async () => {
    const [delivery] = await running.deliveriesOf(organizationId);
    expect(delivery?.status).toBe(DeliveryStatus.CANCELED);
    expect(await stored().findOne({ _id: created.endpoint.endpointId })).not.toHaveProperty('deletionPending');
  });
});
