import { afterAll, beforeAll, expect, test } from 'vitest';
import { Decision, InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Analysis } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { events } from '@invoicecontrol/contracts/events';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { connect, findingOf, fromNow, testClock, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const logger = createLogger({ service: 'test', level: 'silent' });
const caller = { type: 'API_KEY', id: 'key-of-ann' } as const;

let organization: FakeOrganization;
let service: RunningService;
let rpc: Clients;
let mongo: MongoConnection;
let bus: Bus;
const heard: Record<string, unknown>[] = [];

const start = () => startService(testConfig(infrastructure, databaseName, organization.address), { clock: testClock });

beforeAll(async () => {
  organization = await startFakeOrganization(logger);
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
  bus.connection.subscribe(events.analysisAuditRecorded.subject, {
    callback: (_, message) => void heard.push(message.json()),
  });
  service = await start();
  rpc = connect(service.address);
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
});
afterAll(async () => {
  rpc.close();
  await service.stop();
  await organization.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();
});

/** Returns the options of a call as the gateway makes it for an API key. */
function as(requestId: string): CallOptions {
  return { context: { requestId, actor: caller, ip: '192.0.2.7' }, timeoutMs: 60_000 };
}

/**
 * Returns the audit events of an organization in the order of their requests, without repeats. They may be published in
 * another order.
 */
function linesOf(organizationId: string): Record<string, unknown>[] {
  const own = heard.filter((event) => event['organizationId'] === organizationId);
  const once = [...new Map(own.map((event) => [event['eventId'], event])).values()];
  return once.toSorted((one, other) => String(one['requestId']).localeCompare(String(other['requestId'])));
}

/** Returns the invoice of a month from the same supplier, which raises no finding. */
const nextInvoice = (month: number) =>
  wireInvoice({
    invoiceNumber: `RE-2026-0${month}37`,
    issueDate: `2026-0${month}-05`,
    grossAmount: `11${month}0.00`,
  });

async function duplicate(organizationId: string): Promise<{ second: Analysis; findingId: string }> {
  await rpc.post(organizationId, wireInvoice());
  const second = await rpc.post(organizationId, wireInvoice());
  return { second, findingId: findingOf(second, 'DUPLICATE_INVOICE').findingId };
}

const review = (organizationId: string, findingId: string, disposition: string, requestId: string, note?: string) =>
  rpc.finding.reviewFinding({ organizationId, findingId, disposition, note }, as(requestId));

const line = (action: string, target: string, outcome: string, requestId: string) => ({
  eventId: expect.stringMatching(/^evt_[a-z2-7]{26}$/),
  eventTime: expect.any(String),
  organizationId: expect.any(String),
  actorType: 'API_KEY',
  actorId: caller.id,
  action,
  target,
  outcome,
  requestId,
  ip: '192.0.2.7',
});

test('a review announces one line with its actor, request and address; a repeat that changes nothing announces none', async () => {
  const organizationId = organization.newTenant();
  const { findingId } = await duplicate(organizationId);
  await review(organizationId, findingId, 'UNDER_REVIEW', 'r1');
  await review(organizationId, findingId, 'UNDER_REVIEW', 'r2');
  await review(organizationId, findingId, 'UNDER_REVIEW', 'r3', 'called the supplier');
  await review(organizationId, findingId, 'CONFIRMED', 'r4');
  const reviewed = (requestId: string) => line('finding.reviewed', `finding:${findingId}`, 'SUCCEEDED', requestId);
  await eventually(() => expect(linesOf(organizationId)).toEqual([reviewed('r1'), reviewed('r3'), reviewed('r4')]));
});

test('a refused review is a line with the outcome REFUSED; one of a finding that does not exist is none', async () => {
  const organizationId = organization.newTenant();
  const { findingId } = await duplicate(organizationId);
  await expect(review(organizationId, findingId, 'RESOLVED', 'r1')).rejects.toMatchObject({ kind: 'wrong_state' });
  const missing = '01890000-0000-7000-8000-000000000000';
  await expect(review(organizationId, missing, 'CONFIRMED', 'r2')).rejects.toMatchObject({ kind: 'not_found' });
  await review(organizationId, findingId, 'CONFIRMED', 'r3');
  const target = `finding:${findingId}`;
  await eventually(() => {
    const lines = linesOf(organizationId);
    expect(lines).toHaveLength(2);
    expect(lines).toEqual(
      expect.arrayContaining([
        line('finding.reviewed', target, 'REFUSED', 'r1'),
        line('finding.reviewed', target, 'SUCCEEDED', 'r3'),
      ]),
    );
  });
});

test('a review whose process died before the broker had its line is announced by the relay, under the same id', async () => {
  const organizationId = organization.newTenant();
  const { findingId } = await duplicate(organizationId);
  await review(organizationId, findingId, 'UNDER_REVIEW', 'r1');
  const findings = mongo.db.collection<{ _id: string; recentEvents?: { id: string; subject: string }[] }>('findings');
  const published = await eventually(async () => {
    const { recentEvents = [] } = (await findings.findOne({ _id: findingId })) ?? {};
    expect(recentEvents.map(({ subject }) => subject)).toContain(events.analysisAuditRecorded.subject);
    return recentEvents;
  });
  const idsOf = () => linesOf(organizationId).map(({ eventId }) => eventId);
  await eventually(() => expect(idsOf()).toHaveLength(1));
  const ids = idsOf();
  // The stored document shows the state after its single write, before any later work.
  heard.length = 0;
  const outbox = published.map((event) => ({ ...event, at: fromNow(-10_000) }));
  await findings.updateOne({ _id: findingId }, { $set: { outbox, outboxPending: true } });
  await eventually(() => expect(idsOf()).toEqual(ids));
});

test('the reading of an invoice with findings is a line; of one without any, and of an analysis, is none', async () => {
  const organizationId = organization.newTenant();
  const { second } = await duplicate(organizationId);
  for (const month of [4, 5]) await rpc.post(organizationId, nextInvoice(month));
  const plain = await rpc.post(organizationId, nextInvoice(6));
  expect(plain.findings).toEqual([]);
  const read = (invoiceId: string, requestId: string) =>
    rpc.invoice.getInvoice({ organizationId, invoiceId }, as(requestId));
  await read(plain.invoiceId, 'r1');
  await rpc.invoice.getLatestAnalysis({ organizationId, invoiceId: second.invoiceId }, as('r2'));
  await read(second.invoiceId, 'r3');
  await read(second.invoiceId, 'r4');
  const readLine = (requestId: string) => line('invoice.read', `invoice:${second.invoiceId}`, 'SUCCEEDED', requestId);
  await eventually(() =>
    expect(linesOf(organizationId)).toEqual(expect.arrayContaining([readLine('r3'), readLine('r4')])),
  );
  expect(linesOf(organizationId)).toHaveLength(2);
});

test('records who lists invoices with findings once an hour, and lists without findings never', async () => {
  const organizationId = organization.newTenant();
  const { second } = await duplicate(organizationId);
  for (const month of [4, 5, 6]) await rpc.post(organizationId, nextInvoice(month));
  const any = {
    pageToken: '',
    companyId: undefined,
    source: InvoiceSource.UNSPECIFIED,
    decision: Decision.UNSPECIFIED,
    sources: [],
    decisions: [],
    statuses: [],
    createdFromTime: undefined,
    createdToTime: undefined,
  };
  const list = (pageSize: number, requestId: string) =>
    rpc.invoice.listInvoices({ ...any, organizationId, pageSize }, as(requestId));
  const newest = await list(1, 'r1');
  expect(newest.invoices.map(({ invoice }) => invoice?.invoiceNumber)).toEqual([nextInvoice(6).invoiceNumber]);
  await list(100, 'r2');
  await list(100, 'r3');
  const listed = line('invoice.listed', `organization:${organizationId}`, 'SUCCEEDED', 'r2');
  const read = line('invoice.read', `invoice:${second.invoiceId}`, 'SUCCEEDED', 'r4');
  await rpc.invoice.getInvoice({ organizationId, invoiceId: second.invoiceId }, as('r4'));
  await eventually(() => expect(linesOf(organizationId)).toEqual(expect.arrayContaining([listed, read])));
  expect(linesOf(organizationId)).toHaveLength(2);
});

test('a service that stops in order loses no line of a reading', async () => {
  const organizationId = organization.newTenant();
  const { second } = await duplicate(organizationId);
  await rpc.invoice.getInvoice({ organizationId, invoiceId: second.invoiceId }, as('last'));
  rpc.close();
  await service.stop();
  await eventually(() => expect(linesOf(organizationId).map(({ requestId }) => requestId)).toEqual(['last']));
  service = await start();
  rpc = connect(service.address);
});
