import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepInvoices } from '../decisions/application/sweep-invoices.js';
import { createFindingIndexes, findingStore } from '../records/storage/findings.js';
import type { FindingDocument } from '../records/storage/findings.js';
import { createInvoiceIndexes, invoiceStore } from '../records/storage/invoices.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { sweepReviews } from '../reviews/application/sweep-reviews.js';

/** Number of interrupted invoices: two pages of a sweep and one more. */
const LEFT = 201;
const LONG_AGO = new Date(Date.now() - 3_600_000);

let mongo: MongoConnection;
beforeAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  mongo = await connectMongo({ url: mongodbUrl, databaseName: testDatabaseName(), appName: 'test' });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const outbox = { nudge: () => {} } as unknown as Outbox;
const logger = createLogger({ service: 'test', level: 'silent' });
const idOf = (n: number): string => `0198a000-0000-7000-8000-${String(n).padStart(12, '0')}`;

test('a sweep reaches every review that is left, however many fail before it', async () => {
  const collection = mongo.db.collection<FindingDocument>('findings');
  await createFindingIndexes(collection);
  const left = { organizationId: idOf(0), version: 1, pending: true, reviewedAt: LONG_AGO, history: [] };
  await collection.insertMany(
    Array.from({ length: LEFT }, (_, n) => ({ _id: idOf(n), ...left }) as unknown as FindingDocument),
  );
  const tried: string[] = [];
  const sweep = sweepReviews({
    findings: findingStore(collection, outbox, systemClock),
    effects: {
      apply: ({ findingId }) => {
        tried.push(findingId);
        return findingId === idOf(LEFT - 1) ? Promise.resolve() : Promise.reject(new Error('It fails.'));
      },
    },
    clock: systemClock,
    logger,
  });
  await sweep();
  expect(new Set(tried).size).toBe(LEFT);
  expect(tried).toHaveLength(LEFT);
  expect(await collection.countDocuments({ pending: true })).toBe(LEFT - 1);
});

test('a sweep reaches every decided invoice that is left, however many fail before it', async () => {
  const collection = mongo.db.collection<InvoiceDocument>('invoices');
  await createInvoiceIndexes(collection);
  const analysis = { createdAt: LONG_AGO, decision: 'PASS', riskScore: 0 };
  const left = { organizationId: idOf(0), version: 1, status: 'ANALYZED', pending: true, facts: Buffer.from('x') };
  await collection.insertMany(
    Array.from(
      { length: LEFT },
      (_, n) => ({ _id: idOf(n), ...left, analysis, invoice: {}, match: {} }) as unknown as InvoiceDocument,
    ),
  );
  const tried: string[] = [];
  const sweep = sweepInvoices({
    invoices: invoiceStore(collection, outbox, systemClock),
    decider: {
      finish: ({ invoiceId }: { readonly invoiceId: string }) => {
        tried.push(invoiceId);
        return invoiceId === idOf(LEFT - 1) ? Promise.resolve() : Promise.reject(new Error('It fails.'));
      },
    },
    clock: systemClock,
    logger,
  } as unknown as Parameters<typeof sweepInvoices>[0]);
  expect(await sweep()).toBe(1);
  expect(new Set(tried).size).toBe(LEFT);
});
