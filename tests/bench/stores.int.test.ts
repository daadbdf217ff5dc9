import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInfrastructure } from '@invoicecontrol/dev/infrastructure';
import type { Infrastructure } from '@invoicecontrol/dev/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { ensureStream } from '@invoicecontrol/runtime/nats/stream';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { runInProcess } from './testing/run-in-process.js';

const KEPT = 'INVOICECONTROL_KEPT';

/** The test uses separate servers, because a benchmark deletes the streams that were created while it ran. */
let given: Infrastructure;
let natsManager: Bus['manager'];
let mongo: MongoClient;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  given = await startInfrastructure({ env: { INFRASTRUCTURE: 'embedded' } });
  closing.push(() => given.stop());
  mongo = new MongoClient(given.mongodbUrl);
  closing.push(() => mongo.close());
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectTestNats({ url: given.natsUrl, name: 'test', logger });
  closing.push(() => bus.close());
  natsManager = bus.manager;
  await ensureStream(bus, KEPT, 'kept');
  await mongo.db('kept').collection('kept').insertOne({});
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

test.each([
  ['ends', '', undefined, 0],
  ['fails', `throw new Error('no measurement');`, undefined, 1],
  ['is interrupted', 'await new Promise((resolve) => setTimeout(resolve, 1e6));', 'SIGTERM', 1],
] as const)('a benchmark that %s leaves servers that were given as they were', async (_what, then, signal, code) => {
  const text = `
    import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
    import { ensureStream } from '@invoicecontrol/runtime/nats/stream';
    await runProgram(async () => {
      const stores = await startStores();
      await (await stores.openDatabase('analysis')).collection('invoices').insertOne({});
      const bus = await connectTestNats({ url: stores.natsUrl, name: 'test', logger: console });
      onEnd(() => bus.close());
      await ensureStream(bus, 'INVOICECONTROL_MADE', 'made');
      step('made');
      ${then}
    });
  `;
  const env = { ...process.env, MONGODB_URL: given.mongodbUrl, NATS_URL: given.natsUrl };
  const running = runInProcess(text, env);
  if (signal !== undefined) {
    await eventually(() => expect(running.stderr()).toContain('made'));
    running.child.kill(signal);
  }
  const ended = await running.ended;
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringContaining('made') });
  const { databases } = await mongo.db('admin').admin().listDatabases({ nameOnly: true });
  expect(databases.map(({ name }) => name).toSorted()).toEqual(['admin', 'config', 'kept', 'local']);
  const streams: string[] = [];
  for await (const name of natsManager.streams.names()) streams.push(name);
  expect(streams).toEqual([KEPT]);
});
