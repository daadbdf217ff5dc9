import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { databaseNames } from '@invoicecontrol/topology/start';
import { MEMORY_SHARE_MAX, play, warmUp } from './aftermath.js';
import { MEMORY_BYTES_MAX, startAttackedSystem } from './attacked-system.js';
import type { AttackedSystem } from './attacked-system.js';
import { attacks } from './attacks.js';
import { measureHold } from './event-loop-holds.js';
import { hostileRequests } from './hostile-requests.js';
import { reachFromInside, taken } from './inside.js';

/**
 * Maximum time that an ordinary client waits. It is generous, because other tests run on this machine at the same time.
 * Only `npm run test:attack` requires the limit of two seconds.
 */
const SERVED_MS_MAX = 30_000;
/**
 * Maximum time that a request may block the event loop. It is ten times the limit of `npm run test:attack`, because
 * other tests run at the same time. Patterns that are not linear would need hundreds of milliseconds.
 */
const HELD_MS_MAX = 100;

let system: AttackedSystem;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  const logDir = await mkdtemp(join(tmpdir(), 'invoice-control-attack-'));
  closing.push(() => rm(logDir, { recursive: true, force: true, maxRetries: 3 }));
  const databasePrefix = `${testDatabaseName()}_`;
  closing.push(async () => {
    for (const databaseName of databaseNames(databasePrefix)) {
      const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
      await db.dropDatabase();
      await close();
    }
  });
  system = await startAttackedSystem({ mongodbUrl, natsUrl, databasePrefix, logDir });
  closing.push(() => system.stop());
  await warmUp(system, SERVED_MS_MAX);
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

describe('a stranger holds the event loop for a moment at most, with', () => {
  test.each(hostileRequests)('$name', async (request) => {
    expect((await measureHold(system, request)).holdMs).toBeLessThan(HELD_MS_MAX);
  });
});

describe('an ordinary client is served, and memory stays within its limit and is given back, whatever', () => {
  test.each(attacks)('$name do', async (attack) => {
    const { beforeBytes, peakBytes, afterBytes } = await play(system, attack, SERVED_MS_MAX);
    expect(peakBytes).toBeLessThan(MEMORY_BYTES_MAX);
    expect(afterBytes).toBeLessThan(beforeBytes * MEMORY_SHARE_MAX);
  });
});

describe('a process inside the network reaches what the tables allow, and nothing else, with the credentials of', () => {
  test.each(taken)('%s', async (holder) => {
    const found = await reachFromInside(system.inside, holder);
    expect(found.flatMap(({ differences }) => differences)).toEqual([]);
    // The gateway publishes nothing and has no database, and a process with nothing reaches nothing.
    const reached = Object.fromEntries(found.map(({ what, reached: names }) => [what, names.length > 0]));
    expect(reached).toEqual({
      rpcs: holder !== 'nothing',
      ...(holder === 'gateway' ? { 'claims believed': true, 'rpcs beyond the rights of a VIEWER': false } : {}),
      'events published': holder === 'webhooks',
      'commands on streams': holder === 'webhooks',
      'subjects heard': holder !== 'nothing',
      databases: holder === 'webhooks',
    });
  });
});
