import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { CallLimits } from '../application/call-limits.js';
import type { CallScopeStore, CountedCall, LimitSubject } from '../application/call-limits.js';
import { callScopeStore, createCallScopeIndexes } from '../storage/call-scopes.js';
import type { CallScopeDocument } from '../storage/call-scopes.js';

const MARGIN_MS = 50;
const logger = createLogger({ service: 'test', level: 'silent' });
let mongo: MongoConnection;
let stored: CallScopeStore;
let nowMs = Date.now();
const clock = { now: () => new Date(nowMs) };
const replicas: CallLimits[] = [];

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  const scopes = mongo.db.collection<CallScopeDocument>('call_scopes');
  await createCallScopeIndexes(scopes);
  stored = callScopeStore(scopes);
});
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.close();
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

function replica(store: CallScopeStore = stored): CallLimits {
  const limits = new CallLimits({ store, factor: undefined, requestMs: 30_000, clock, logger });
  replicas.push(limits);
  return limits;
}
const newContext = (): LimitSubject => ({
  environment: 'TEST',
  contextNip: String(randomInt(1_000_000_000, 9_999_999_999)),
  operation: 'S9',
});

type Taken = CountedCall | { readonly waitMs: number };
const isCall = (taken: Taken): taken is CountedCall => 'end' in taken;
async function takeAt(limits: readonly CallLimits[], subject: LimitSubject, times: number): Promise<CountedCall[]> {
  const taken = await Promise.all(
    Array.from({ length: times }, (_, index) => (limits[index % limits.length] ?? replica()).take(subject)),
  );
  return taken.filter(isCall);
}

test('replicas together make as many calls as KSeF takes, and no more', async () => {
  const both = [replica(), replica()];
  const subject = newContext();
  const calls = await takeAt(both, subject, 40);
  expect(calls).toHaveLength(5);
  for (const call of calls) call.end();
  nowMs += 999 + MARGIN_MS;
  expect(await takeAt(both, subject, 4)).toHaveLength(0);
  await eventually(async () => {
    nowMs += 1_000;
    expect((await takeAt(both, subject, 40)).length).toBeGreaterThan(0);
  });
});

test('a replica that starts knows of the calls and the blocks before it', async () => {
  const [first, subject] = [replica(), newContext()];
  for (const call of await takeAt([first], subject, 5)) call.end();
  await first.close();
  const second = replica();
  expect(await second.take(subject)).toEqual({ waitMs: expect.any(Number) });
  await second.block(subject, 'S1', 7_000);
  expect(await replica().take({ ...subject, operation: 'S1' })).toEqual({ waitMs: 7_000 });
});

test('calls under way of a replica that died do not count for ever', async () => {
  const subject = newContext();
  expect(await takeAt([replica()], subject, 5)).toHaveLength(5);
  const survivor = replica();
  nowMs += 30_000 + MARGIN_MS - 1;
  expect(await survivor.take(subject)).toEqual({ waitMs: 100 });
  nowMs += 1;
  expect(await survivor.take(subject)).toEqual({ waitMs: 1_000 });
  nowMs += 1_000;
  expect(isCall(await survivor.take(subject))).toBe(true);
});

test('authentication is counted for all contexts together, and other calls for each', async () => {
  const both = [replica(), replica()];
  const taken = await Promise.all(
    Array.from({ length: 61 }, async (_, index) =>
      (both[index % 2] ?? replica()).take({ ...newContext(), environment: 'DEMO', operation: 'A2' }),
    ),
  );
  expect(taken.filter(isCall)).toHaveLength(60);
  expect(isCall(await replica().take(newContext()))).toBe(true);
});

test('what KSeF refuses for a while is called by no replica: the operation after 429, everything after a block', async () => {
  const [first, second, subject] = [replica(), replica(), newContext()];
  expect(isCall(await second.take(subject))).toBe(true);
  await first.block(subject, 'S9', 5_000);
  await first.block(subject, 'S9', 1_000);
  expect(await second.take(subject)).toEqual({ waitMs: 5_000 });
  expect(isCall(await second.take({ ...subject, operation: 'S6' }))).toBe(true);
  expect(isCall(await second.take(newContext()))).toBe(true);
  nowMs += 5_000;
  expect(isCall(await second.take(subject))).toBe(true);
  await first.block(subject, 'EVERY', 1_800_000);
  for (const operation of ['S1', 'S2', 'S6', 'A2'] as const) {
    expect([operation, await second.take({ ...subject, operation })]).toEqual([operation, { waitMs: 1_800_000 }]);
  }
});

test('the limits that KSeF states for a context hold for all replicas, and are read once an hour by one of them', async () => {
  const [first, second, subject] = [replica(), replica(), newContext()];
  expect(await first.isDue(subject)).toBe(true);
  expect([await first.isDue(subject), await second.isDue(subject)]).toEqual([false, false]);
  await first.state(subject, { calls: { SESSIONS: [2, 100, 100] } });
  expect(await takeAt([first, replica()], subject, 10)).toHaveLength(2);
  nowMs += 3_599_999;
  expect(await replica().isDue(subject)).toBe(false);
  nowMs += 1;
  expect(await replica().isDue(subject)).toBe(true);
});

test('a call costs one command of the database, and calls at once share it', async () => {
  let commands = 0;
  const limits = replica({
    find: (id) => (commands++, stored.find(id)),
    replace: (id, replacement) => (commands++, stored.replace(id, replacement)),
  });
  const subject = newContext();
  const [call] = await takeAt([limits], subject, 1);
  // The first call for a taxpayer also reads the stored call scope.
  expect(commands).toBe(2);
  call?.end();
  nowMs += 2_000;
  await takeAt([limits], subject, 1);
  expect(commands).toBe(3);
  nowMs += 62_000;
  await takeAt([limits], subject, 4);
  expect(commands).toBeLessThanOrEqual(5);
});

test('while the database fails no call is made, and what ended is counted afterwards', async () => {
  let isDown = false;
  const limits = replica({
    find: (id) => stored.find(id),
    replace: (id, replacement) => (isDown ? Promise.reject(new Error('down')) : stored.replace(id, replacement)),
  });
  const subject = newContext();
  const calls = await takeAt([limits], subject, 5);
  isDown = true;
  for (const call of calls) call.end();
  await expect(limits.take(subject)).rejects.toThrow('down');
  await limits.block(subject, 'S1', 9_000);
  isDown = false;
  expect(await limits.take(subject)).toEqual({ waitMs: 1_000 + MARGIN_MS });
  expect(await replica().take({ ...subject, operation: 'S1' })).toEqual({ waitMs: 9_000 });
});
