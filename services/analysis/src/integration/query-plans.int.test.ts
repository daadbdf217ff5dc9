import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const STORED = 20_000;
const BATCH = 2_000;
const POSTS = 10;
const EXAMINED_A_POST_MAX = 20;
const PROFILE_BYTES = 16 * 1024 * 1024;

/** An entry of the MongoDB profiler about one command. */
interface Profiled {
  readonly ns: string;
  readonly op: string;
  readonly planSummary?: string;
  readonly docsExamined?: number;
  readonly replanned?: boolean;
}

let running: RunningAnalysis;
beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

/** Stores an invoice of the organization many times, with different ids, keys and days. */
async function fill(organizationId: string): Promise<void> {
  await running.rpc.post(organizationId, wireInvoice());
  const invoices = running.mongo.db.collection<InvoiceDocument>('invoices');
  const model = await invoices.findOne({ organizationId });
  if (model === null) throw new Error('The invoice was not stored.');
  const {
    outbox: _outbox,
    outboxPending: _outboxPending,
    pending: _pending,
    ...stored
  } = model as InvoiceDocument & {
    outbox?: unknown;
    outboxPending?: unknown;
  };
  for (let first = 0; first < STORED; first += BATCH) {
    await invoices.insertMany(
      Array.from({ length: BATCH }, (_, index) => ({
        ...stored,
        _id: randomUUID(),
        createdAt: new Date(stored.createdAt.getTime() - (first + index) * 60_000),
        match: {
          ...stored.match,
          keys: stored.match.keys.map((key) => `${key}/${first + index}`),
          issueDay: stored.match.issueDay - ((first + index) % 700),
        },
      })),
    );
  }
}

test(`with ${STORED} invoices stored, a post scans no collection, examines at most ${EXAMINED_A_POST_MAX} documents, and no query is planned again while a small and a large tenant take turns`, async () => {
  const [large, small] = [running.organization.newTenant(), running.organization.newTenant()];
  await fill(large);
  const { db } = running.mongo;
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
  try {
    for (let post = 0; post < POSTS; post += 1) {
      for (const organizationId of [small, large]) {
        // All invoices have the same amount, so the key of the amount matches every invoice of the small organization.
        const invoiceNumber = `${organizationId === small ? 'S' : 'L'}-${1_000 + post * 37}`;
        await running.rpc.post(organizationId, wireInvoice({ invoiceNumber }));
      }
    }
  } finally {
    await db.command({ profile: 0 });
  }
  const profiled = await db
    .collection<Profiled>('system.profile')
    .find({ ns: { $not: /system\./ }, op: { $in: ['query', 'command', 'update', 'getmore'] } })
    .toArray();
  const described = ({ ns, op, planSummary }: Profiled): string => `${op} ${ns.split('.')[1]} ${planSummary}`;
  expect(profiled.length).toBeGreaterThan(POSTS * 2);
  expect(profiled.filter(({ planSummary }) => planSummary === 'COLLSCAN').map(described)).toEqual([]);
  expect(profiled.filter(({ replanned }) => replanned === true).map(described)).toEqual([]);
  const examined = profiled.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
  expect(examined / (POSTS * 2)).toBeLessThanOrEqual(EXAMINED_A_POST_MAX);
});
