import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { usageCounters } from '@invoicecontrol/metering/usage';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { callWithGrant, openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { asUser } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const LIMIT = 25;
const AT_ONCE = 100;
const REPETITIONS = 20;
const MINUTE_MS = 60_000;

const databaseName = testDatabaseName();
const caller = asUser('user-1');
let now = new Date('2026-03-10T12:00:00Z');
let running: RunningAnalysis;
let organization: FakeOrganization;
let clients: Clients;
let channel: Channel;
let mongo: MongoConnection;

const invoices = () => mongo.db.collection<InvoiceDocument>('invoices');

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName, {
    clock: { now: () => now },
    jobPauseMsMax: 250,
  });
  ({ organization, rpc: clients, mongo } = running);
  channel = openTestChannel('analysis', running.address);
});
afterAll(async () => {
  channel.close();
  await running.stop();
});

const post = (organizationId: string, idempotencyKey = '', number = 'RE-1') =>
  clients.invoice.analyzeInvoice(
    {
      organizationId,
      invoice: wireInvoice({ invoiceNumber: number }),
      idempotencyKey,
      fingerprint: 'f',
    },
    callWithGrant(caller, organizationId, { limits: { analysesPerMonth: LIMIT } }),
  );
const usageOf = (organizationId: string) =>
  client(UsageServiceDefinition, channel).getUsage({ organizationId }, caller);

/** Reserves quota units for invoices that are never stored, as processes that are killed in between do. */
const reservedByTheDead = (organizationId: string, amount: number): Promise<void> =>
  usageCounters(mongo.db, { now: () => now }).reserve(
    { organizationId, month: '2026-03', meter: 'analyses', amount, at: now },
    undefined,
  );

/**
 * Moves the clock forward by at most five minutes until the condition holds. It moves in small steps, because a usage
 * counter check that runs during a step schedules the next check a minute later.
 */
async function withinFiveMinutes(condition: () => Promise<void>): Promise<void> {
  const latestMs = now.getTime() + 5 * MINUTE_MS;
  now = new Date(now.getTime() + 3 * MINUTE_MS);
  await eventually(async () => {
    now = new Date(Math.min(now.getTime() + 5_000, latestMs));
    await condition();
  });
}

describe('a month’s quota of analyses', () => {
  test(`with one left lets exactly one of ${AT_ONCE} requests at once pass, ${REPETITIONS} times over`, async () => {
    for (let repetition = 1; repetition <= REPETITIONS; repetition++) {
      const organizationId = organization.newTenant();
      await post(organizationId);
      await reservedByTheDead(organizationId, LIMIT - 2);
      const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => post(organizationId)));
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.kind] : []));
      expect(refusals).toEqual(Array.from({ length: AT_ONCE - 1 }, () => 'usage_exceeded'));
      expect(await invoices().countDocuments({ organizationId })).toBe(2);
      expect((await usageOf(organizationId)).meters).toContainEqual({ meter: 'analyses', used: LIMIT });
    }
  });

  test('used up refuses with its name, its number and its end, and stores nothing', async () => {
    const organizationId = organization.newTenant();
    await post(organizationId, 'first');
    await reservedByTheDead(organizationId, LIMIT - 1);
    await expect(post(organizationId, 'second')).rejects.toMatchObject({
      kind: 'usage_exceeded',
      retryAfterSeconds: undefined,
      publicMessage: expect.stringMatching(/ 25 analyses in 2026-03, .* 2026-04-01 at 00:00 UTC/),
    });
    expect(await invoices().countDocuments({ organizationId })).toBe(1);
    expect((await post(organizationId, 'first')).replayed).toBe(true);
    expect((await usageOf(organizationId)).meters).toContainEqual({ meter: 'analyses', used: LIMIT });
  });

  test('is told with its month, and is nothing for an organization that has done nothing', async () => {
    expect(await usageOf(organization.newTenant())).toEqual({
      period: '2026-03',
      meters: [
        { meter: 'analyses', used: 0 },
        { meter: 'payment_lines', used: 0 },
      ],
    });
  });
});

test('an invoice that a crash left stored and uncounted is counted within five minutes', async () => {
  const organizationId = organization.newTenant();
  await post(organizationId);
  await eventually(async () => expect((await invoices().findOne({ organizationId }))?.pending).toBeUndefined());
  await mongo.db.collection<{ _id: string }>('usage').deleteOne({ _id: `${organizationId}:2026-03:analyses` });
  await invoices().updateOne(
    { organizationId },
    {
      $set: { status: 'RECEIVED', version: 1, leaseUntil: new Date(now.getTime() - 1), isCountUnsure: true },
      $unset: { analysis: '' },
    },
  );
  await eventually(async () => expect((await invoices().findOne({ organizationId }))?.analysis).toBeDefined());
  await withinFiveMinutes(async () =>
    expect((await usageOf(organizationId)).meters).toContainEqual({ meter: 'analyses', used: 1 }),
  );
});

describe('a counter that crashes left too high', () => {
  test('is exact within five minutes, by the invoices that count in its month and by no others', async () => {
    const [organizationId, neighbour] = [organization.newTenant(), organization.newTenant()];
    for (const number of ['RE-1', 'RE-2', 'RE-3']) await post(organizationId, '', number);
    await post(neighbour);
    const counted = await invoices().findOne({ organizationId });
    if (counted === null) throw new Error('no invoice');
    const { usageMonth: _usageMonth, ...uncounted } = counted;
    // The collection also contains a row of a history scan, an ERP bill, and invoices at the edges of the neighbouring
    // months.
    await invoices().insertMany([
      { ...uncounted, _id: randomUUID(), source: 'SCAN' },
      { ...uncounted, _id: randomUUID(), source: 'ERP' },
      { ...counted, _id: randomUUID(), usageMonth: '2026-02', createdAt: new Date('2026-02-28T23:59:59.999Z') },
      { ...counted, _id: randomUUID(), usageMonth: '2026-03', createdAt: new Date('2026-03-01T00:00:00Z') },
      { ...counted, _id: randomUUID(), usageMonth: '2026-04', createdAt: new Date('2026-04-01T00:00:00Z') },
    ]);
    await reservedByTheDead(organizationId, LIMIT - 3);
    await reservedByTheDead(neighbour, 7);
    await expect(post(organizationId)).rejects.toMatchObject({ kind: 'usage_exceeded' });

    await withinFiveMinutes(async () => {
      expect((await usageOf(organizationId)).meters).toContainEqual({ meter: 'analyses', used: 4 });
      expect((await usageOf(neighbour)).meters).toContainEqual({ meter: 'analyses', used: 1 });
    });
    expect((await post(organizationId)).replayed).toBe(false);
  });
});
