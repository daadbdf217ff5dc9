import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Analysis } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { connect, testClock, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const TEN_MINUTES_MS = 10 * 60_000;
/** Time of all replicas. It starts at the beginning of a ten-minute period, so that no period ends during a test. */
let nowMs = Math.ceil(testClock.now().getTime() / TEN_MINUTES_MS) * TEN_MINUTES_MS;
const clock = { now: () => new Date(nowMs) };
const databaseName = testDatabaseName();
let running: RunningAnalysis;
let second: RunningService;
let secondRpc: Clients;

beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), databaseName, { clock });
});
beforeEach(async () => {
  secondRpc?.close();
  await second?.stop();
  second = await startService(testConfig(testInfrastructure(), databaseName, running.organization.address), { clock });
  secondRpc = connect(second.address);
});
afterAll(async () => {
  secondRpc.close();
  await second.stop();
  await running.stop();
});

let storedInvoices = 0;
/**
 * Stores decided invoices of an amount, newer than all before, with only the fields that usual amounts are read from.
 */
async function store(organizationId: string, count: number, amount: string): Promise<void> {
  const invoices = Array.from({ length: count }, () => ({
    _id: randomUUID(),
    organizationId,
    createdAt: new Date(nowMs + (storedInvoices += 1)),
    base: { currency: 'EUR', amount, rate: '1', source: 'IDENTITY' },
  }));
  await running.mongo.db.collection<InvoiceDocument>('invoices').insertMany(invoices as InvoiceDocument[]);
}

let newcomers = 0;
/** Posts the first invoice of a new supplier, which is for more than the limit for new suppliers in the policy. */
function postNewcomer(rpc: Clients, organizationId: string): Promise<Analysis> {
  newcomers += 1;
  const letters = String.fromCharCode(65 + newcomers).repeat(6);
  const supplier = { name: `${letters} Handels GmbH`, taxId: undefined, country: 'DE' };
  return rpc.post(
    organizationId,
    wireInvoice({ supplier: { ...wireInvoice().supplier, ...supplier }, grossAmount: `${12_000 + newcomers}.37` }),
  );
}

const isHigh = ({ findings }: Analysis): boolean => findings.some(({ type }) => type === 'SUPPLIER_NEW_HIGH_VALUE');

test('the first decision of a replica compares with the usual amounts, as every later one does', async () => {
  const organizationId = running.organization.newTenant();
  await store(organizationId, 100, '20000');
  const decided = [
    await postNewcomer(running.rpc, organizationId),
    await postNewcomer(running.rpc, organizationId),
    await postNewcomer(secondRpc, organizationId),
  ];
  expect(decided.map(isHigh)).toEqual([false, false, false]);
});

test('every replica compares with the same usual amounts for ten minutes, whenever it first needs them', async () => {
  const organizationId = running.organization.newTenant();
  await store(organizationId, 100, '20000');
  expect(isHigh(await postNewcomer(running.rpc, organizationId))).toBe(false);
  await store(organizationId, 3_000, '50');
  nowMs += TEN_MINUTES_MS - 1;
  expect(isHigh(await postNewcomer(secondRpc, organizationId))).toBe(false);
  nowMs += 1;
  expect(isHigh(await postNewcomer(running.rpc, organizationId))).toBe(true);
  expect(isHigh(await postNewcomer(secondRpc, organizationId))).toBe(true);
});

test('two replicas that need the usual amounts at the same time use the same ones', async () => {
  const organizationId = running.organization.newTenant();
  const stored = running.mongo.db.collection('high_amounts');
  await store(organizationId, 100, '20000');
  await Promise.all([postNewcomer(running.rpc, organizationId), postNewcomer(secondRpc, organizationId)]);
  expect(await stored.find({ organizationId }).toArray()).toEqual([
    { _id: `${organizationId}|EUR`, organizationId, period: new Date(nowMs), amount: '20000' },
  ]);
});

test('fewer than a hundred invoices show no usual amount, until ten minutes after the first decision', async () => {
  const organizationId = running.organization.newTenant();
  await store(organizationId, 50, '20000');
  expect(isHigh(await postNewcomer(running.rpc, organizationId))).toBe(true);
  await store(organizationId, 50, '20000');
  expect(isHigh(await postNewcomer(secondRpc, organizationId))).toBe(true);
  nowMs += TEN_MINUTES_MS;
  expect(isHigh(await postNewcomer(secondRpc, organizationId))).toBe(false);
});
