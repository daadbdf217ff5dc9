import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { notFound } from '@invoicecontrol/errors';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { testConfig } from '../testing/config.js';
import { accessFor, keyNamed, principal, silent, startFakes } from '../testing/fakes.js';
import type { Fakes } from '../testing/fakes.js';

const key = keyNamed('owner');
const { organizationId } = principal();

let bus: Bus;
let services: Fakes;
let gateway: RunningService;
let keys: Map<string, ReturnType<typeof principal>>;
/** Number of times that the gateway has checked an API key. */
let checks: number;
/**
 * Resolves when a request for the organization has reached the organization service, which then waits for `release`.
 */
let reached: Promise<void>;
let release: () => void;

beforeAll(async () => {
  bus = await connectTestNats({ url: testInfrastructure().natsUrl, name: 'test', logger: silent });
});
afterAll(() => bus.close());

beforeEach(async () => {
  keys = new Map([[key, principal({ apiKeyId: 'owner00000000000' })]]);
  let arrive = (): void => {};
  reached = new Promise((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  checks = 0;
  const access = accessFor(keys);
  services = await startFakes({
    access: {
      ...access,
      authenticateKey(request, call) {
        checks += 1;
        return access.authenticateKey(request, call);
      },
    },
    organizations: {
      async getOrganization() {
        arrive();
        await released;
        throw notFound('organization');
      },
    },
  });
  // The clock is stopped, so that a cached key stays cached until something invalidates it.
  const now = new Date();
  gateway = await startService(testConfig(testInfrastructure(), services.addresses), { now: () => now });
});
afterEach(async () => {
  await gateway.stop();
  await services.stop(0);
});

/** A request with a valid API key gets 404, because its path names no existing invoice. */
async function status(): Promise<number> {
  const response = await fetch(`http://${gateway.address}/v1/invoices/unknown`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return response.status;
}

/**
 * The check of an API key is not cached if any organization changes at the same time, and other tests use the same
 * broker.
 */
async function cacheKey(): Promise<void> {
  await eventually(async () => {
    const before = checks;
    expect(await status()).toBe(404);
    expect(checks).toBe(before);
  });
}

function publish<T extends EventHeader>(type: EventType<T>, event: T): void {
  bus.connection.publish(type.subject, JSON.stringify(type.codec.toJSON(event)));
}

/**
 * Waits until the key is refused. The event is announced again each time, because a gateway serves requests before the
 * broker knows its subscription, and the clock of these tests stands still, so that no key is checked again by its age.
 */
async function eventuallyRefused(announce: () => void): Promise<void> {
  await eventually(async () => {
    announce();
    expect(await status()).toBe(401);
  });
}

const header = { eventId: 'evt_1', eventTime: new Date(), organizationId, version: 2 };

describe('a gateway without the broker', () => {
  test('starts, is ready and answers requests', async () => {
    const servers = { ...testInfrastructure(), natsUrl: 'tls://127.0.0.1:1' };
    const alone = await startService(testConfig(servers, services.addresses));
    try {
      expect((await fetch(`http://${alone.address}/readyz`)).status).toBe(200);
      const response = await fetch(`http://${alone.address}/v1/invoices/unknown`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(response.status).toBe(404);
    } finally {
      await alone.stop();
    }
  });
});

describe('a running gateway', () => {
  test('refuses a revoked key as soon as its revocation is announced', async () => {
    await cacheKey();
    keys.clear();
    expect(await status()).toBe(404);
    await eventuallyRefused(() => publish(events.apiKeysRevoked, { ...header, apiKeyIds: ['owner00000000000'] }));
  });

  test.each([
    ['organization_changed', () => publish(events.organizationChanged, { ...header, changed: ['plan'] })],
    ['organization_deleted', () => publish(events.organizationDeleted, header)],
    ['organization_restored', () => publish(events.organizationRestored, header)],
  ])('checks the keys of an organization again after %s', async (_, announce) => {
    await cacheKey();
    keys.clear();
    expect(await status()).toBe(404);
    await eventuallyRefused(announce);
  });

  test('lets a request that is under way end before it stops', async () => {
    await cacheKey();
    const last = fetch(`http://${gateway.address}/v1/organizations/current`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await reached;
    const stopped = gateway.stop();
    release();
    expect((await last).status).toBe(404);
    await stopped;
    await expect(status()).rejects.toThrow('fetch failed');
  });
});
