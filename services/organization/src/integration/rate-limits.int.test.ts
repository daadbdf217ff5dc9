import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { REQUESTS_PER_MINUTE_MAX } from '@invoicecontrol/contracts/rate-limits';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asKey, connect, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
/**
 * A fixed time, so that no test crosses the end of a minute by chance. The time is in the future, because the database
 * would otherwise remove the rate windows as expired.
 */
const startMs = Date.UTC(2126, 0, 1, 12, 0, 0);
let nowMs = startMs;
let mongo: MongoConnection;
let service: RunningService;
let clients: Clients;
let subject = '';
let subjects = 0;

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  service = await startService(testConfig(infrastructure, databaseName), { clock: { now: () => new Date(nowMs) } });
  clients = connect(service.address);
});
beforeEach(() => {
  nowMs = startMs;
  subject = `key:${subjects++}`;
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});

async function reserve(tokens: number, limitPerMinute: number, policy = 'default') {
  const { reservations } = await clients.access.reserveRequests(
    { policies: [{ subject, policy, limitPerMinute, tokens }] },
    asKey('k'),
  );
  return reservations[0];
}

describe('tokens', () => {
  test('are granted up to the limit exactly', async () => {
    expect(await reserve(10, 20)).toEqual({ granted: 10, remaining: 10, windowRemainingMs: 60_000, retryAfterMs: 0 });
    expect(await reserve(10, 20)).toMatchObject({ granted: 10, remaining: 0 });
    expect(await reserve(1, 20)).toMatchObject({ granted: 0, remaining: 0 });
  });

  test('are granted one at a time when the requested number exceeds the limit', async () => {
    await reserve(15, 20);
    expect(await reserve(10, 20)).toMatchObject({ granted: 1, remaining: 4 });
    expect(await reserve(10, 5, 'writes')).toMatchObject({ granted: 1, remaining: 4 });
  });

  test('left for one request go to exactly one of 100 concurrent callers', async () => {
    await reserve(99, 100);
    const all = await Promise.all(Array.from({ length: 100 }, () => reserve(1, 100)));
    expect(all.reduce((sum, reservation) => sum + (reservation?.granted ?? 0), 0)).toBe(1);
  });

  test('never exceed the limit for 100 concurrent callers of a new window', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => reserve(1, 40)));
    expect(all.reduce((sum, reservation) => sum + (reservation?.granted ?? 0), 0)).toBe(40);
  });

  test('are counted per policy and subject, and answered in the requested order', async () => {
    await reserve(1, 1, 'scans');
    const ask = (policy: string, of = subject) => ({ subject: of, policy, limitPerMinute: 1, tokens: 1 });
    const { reservations } = await clients.access.reserveRequests(
      { policies: [ask('default'), ask('scans'), ask('scans', `${subject}-other`)] },
      asKey('k'),
    );
    expect(reservations.map(({ granted }) => granted)).toEqual([1, 0, 1]);
  });
});

describe('a minute', () => {
  test('that was used up does not allow twice the limit across its end', async () => {
    nowMs = startMs + 59_000;
    expect(await reserve(20, 20)).toMatchObject({ granted: 20, windowRemainingMs: 1_000 });
    nowMs = startMs + 60_000;
    expect(await reserve(20, 20)).toMatchObject({ granted: 0 });
    nowMs = startMs + 90_000;
    expect(await reserve(10, 20)).toMatchObject({ granted: 10, remaining: 0 });
    expect(await reserve(1, 20)).toMatchObject({ granted: 0 });
  });

  test('counts what a slower clock still grants in the previous one for ten seconds, and is read once after that', async () => {
    const windows = mongo.db.collection<{ _id: string }>('rate_windows');
    const setPrevious = (used: number) =>
      windows.updateOne({ _id: `${subject}:default:${startMs / 60_000}` }, { $set: { used } });
    await reserve(1, 60);
    nowMs = startMs + 60_000 + 9_999;
    await setPrevious(30);
    // A share of 25.0005 of the 30 tokens falls within the last 60 seconds, and the own token is counted.
    expect(await reserve(1, 60)).toMatchObject({ remaining: 60 - 26 - 1 });
    nowMs = startMs + 60_000 + 10_000;
    expect(await reserve(1, 60)).toMatchObject({ remaining: 60 - 25 - 2 });
    await setPrevious(0);
    expect(await reserve(1, 60)).toMatchObject({ remaining: 60 - 25 - 3 });
    nowMs = startMs + 2 * 60_000;
    expect(await reserve(1, 60)).toMatchObject({ remaining: 60 - 3 - 1 });
  });

  test('that refused tells when to retry, and a token is free then', async () => {
    await reserve(20, 20);
    const refused = await reserve(1, 20);
    const waitMs = refused?.retryAfterMs ?? 0;
    nowMs = startMs + waitMs - 1;
    expect(await reserve(1, 20)).toMatchObject({ granted: 0 });
    nowMs = startMs + waitMs;
    expect(await reserve(1, 20)).toMatchObject({ granted: 1 });
  });

  test('is deleted from the store once no request can read it', async () => {
    await reserve(1, 20);
    const window = await mongo.db
      .collection<{ _id: string; expiresAt: Date }>('rate_windows', { readConcern: { level: 'local' } })
      .findOne({ _id: `${subject}:default:${startMs / 60_000}` });
    expect(window?.expiresAt.getTime()).toBe(startMs + 3 * 60_000);
    const indexes = await mongo.db.collection('rate_windows').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});

describe('a request for tokens', () => {
  const good = { subject: 'key:x', policy: 'default', limitPerMinute: 10, tokens: 1 };

  test.each([
    ['another kind of subject', { subject: 'ip:192.0.2.1' }],
    ['a subject that names another window', { subject: 'key:x:default:1' }],
    ['an unknown policy', { policy: 'everything' }],
    ['no limit', { limitPerMinute: 0 }],
    ['a limit above the highest that may be configured', { limitPerMinute: REQUESTS_PER_MINUTE_MAX + 1 }],
    ['no tokens', { tokens: 0 }],
    ['more tokens than one call may request', { tokens: 1_001 }],
  ])('is refused with %s', async (_, fault) => {
    const asked = clients.access.reserveRequests({ policies: [{ ...good, ...fault }] }, asKey('k'));
    await expect(asked).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('may have the highest limit that may be configured', async () => {
    const policies = [{ ...good, subject: 'key:highest', limitPerMinute: REQUESTS_PER_MINUTE_MAX }];
    const { reservations } = await clients.access.reserveRequests({ policies }, asKey('k'));
    expect(reservations).toMatchObject([{ granted: 1, remaining: REQUESTS_PER_MINUTE_MAX - 1 }]);
  });

  test('names at most eight policies', async () => {
    const asked = (count: number) => clients.access.reserveRequests({ policies: Array(count).fill(good) }, asKey('k'));
    expect((await asked(8)).reservations).toHaveLength(8);
    await expect(asked(9)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
