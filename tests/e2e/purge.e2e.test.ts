import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperatorServiceDefinition as Operations } from '@invoicecontrol/contracts/operations/v1/operator_service';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { databaseNames } from '@invoicecontrol/topology/start';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { startCallers } from './load-on-tenants.js';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { plainInvoice, plainRow } from './shapes.js';
import type { Finding, Page } from './shapes.js';
import { ubl, uploadXml } from './uploading.js';

/**
 * Pause of the callers of the other organization, which send during the whole purge. It lasts a minute, because the
 * purge is announced for the last time after a minute.
 */
const OTHERS_PAUSE_MS = 500;

let running: RunningSystem;
let receiver: WebhookReceiver;
let call: CallOptions;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({
    ORGANIZATION_RETENTION_MS: '1',
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
    RATE_LIMIT_DEFAULT_PER_MINUTE: '100000',
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: '100000',
    RATE_LIMIT_WRITES_PER_MINUTE: '100000',
    RATE_LIMIT_SCANS_PER_MINUTE: '1000',
  });
  const actor = { type: 'OPERATOR', id: 'operator' } as const;
  call = { context: { requestId: 'purge', actor }, timeoutMs: 60_000 };
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const nameOf = async ({ keys }: Tenant): Promise<string> =>
  (await running.request<{ name: string }>('GET /organizations/current', { key: keys.owner })).body.name;

/** Returns the number of documents of the organization that each service counts. */
async function remainingOf(organizationId: string): Promise<Record<string, number>> {
  const { gateway: _, ...addresses } = running.system.addresses;
  const counted = Object.entries(addresses).map(async ([service, address]) => {
    const channel = openTestChannel(service as ServiceName, address);
    try {
      const { collections } = await client(Operations, channel).countTenantDocuments({ organizationId }, call);
      return [service, collections.reduce((sum, { documents }) => sum + documents, 0)] as const;
    } finally {
      channel.close();
    }
  });
  return Object.fromEntries(await Promise.all(counted));
}

async function purge(): Promise<readonly string[]> {
  const channel = openTestChannel('organization', running.system.addresses.organization);
  try {
    return (await client(OperatorServiceDefinition, channel).purgeOrganizations({}, call)).organizationIds;
  } finally {
    channel.close();
  }
}

/** Returns the number of documents that contain the id, by `<database>.<collection>`. */
async function found(organizationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const { databasePrefix } = running.system;
  for (const databaseName of databaseNames(databasePrefix)) {
    const { db, close } = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
    try {
      for (const { name } of await db.listCollections().toArray()) {
        const documents = await db.collection(name).find({}).toArray();
        const having = documents.filter((document) => JSON.stringify(document).includes(organizationId));
        if (having.length > 0) counts[`${databaseName.slice(databasePrefix.length)}.${name}`] = having.length;
      }
    } finally {
      await close();
    }
  }
  return counts;
}

/** Counts the files of documents of all organizations. */
async function filesStored(): Promise<{ files: number; pieces: number }> {
  const databaseName = `${running.system.databasePrefix}documents`;
  const { db, close } = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
  try {
    const [files, pieces] = await Promise.all(
      ['contents.files', 'contents.chunks'].map((name) => db.collection(name).countDocuments({})),
    );
    return { files: files ?? 0, pieces: pieces ?? 0 };
  } finally {
    await close();
  }
}

/**
 * Fills every collection: with invoices that have findings, a reviewed invoice, a history scan, uploads in every state,
 * a webhook, an ERP connection and a rule.
 */
async function fill({ keys, users }: Tenant, path: string): Promise<void> {
  const key = keys.owner;
  const post = (target: string, body: unknown) => running.request(`POST ${target}`, { key, body });
  const webhook = await post('/webhooks', {
    url: `${receiver.origin}${path}`,
    events: ['invoice.analysis.completed', 'finding.created', 'finding.reviewed', 'scan.completed'],
  });
  expect(webhook.status).toBe(201);
  const erp = { provider: 'PROVIDER_B', config: { baseUrl: 'https://127.0.0.1:1024' }, api_key: 'key' };
  expect((await post('/erp-connections', erp)).status).toBe(201);
  const ksef = { environment: 'TEST', context_nip: '5265877635', ksef_token: 'purged'.repeat(6) };
  const ksefConnection = await post('/ksef-connections', ksef);
  expect(ksefConnection.status).toBe(201);
  const { id: ksefConnectionId } = ksefConnection.body as { id: string };
  const inbox = { inbox: { enabled: true } };
  const enabled = await running.request(`PATCH /ksef-connections/${ksefConnectionId}`, { key, body: inbox });
  expect(enabled.status).toBe(200);
  const rule = { name: 'All', position: 1, match: {}, assign_to: users.analyst };
  expect((await post('/finding-routing-rules', rule)).status).toBe(201);
  for (const number of [1, 2, 2]) expect((await post('/invoices', plainInvoice(number))).status).toBe(202);
  const { body } = await running.request<Page<Finding>>('GET /findings', { key });
  const [finding] = body.items;
  if (finding === undefined) throw new Error('no finding');
  await post(`/findings/${finding.id}/review`, { disposition: 'CONFIRMED', note: 'Yes.' });
  expect((await post('/scans', { rows: [1, 2, 3].map((number) => plainRow(number)) })).status).toBe(201);
  const uploadId = await uploadXml(running, key, ubl('R-1'));
  await post('/invoices/from-upload', { upload_id: uploadId });
  await uploadXml(running, key, ubl('R-2'));
  await post('/uploads', { mediaType: 'application/pdf', byteSize: 1_000 });
}

/**
 * Sends a notification of the payment provider about a subscription of the organization.
 * @returns the status of the response
 */
async function notifyOfPayment(type: string, organizationId: string): Promise<number> {
  const bytes = JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: type,
    occurred_at: new Date().toISOString(),
    data: { id: 'sub_late', subscription_id: 'sub_late', custom_data: { organization_id: organizationId } },
  });
  const ts = Math.floor(Date.now() / 1_000);
  const h1 = createHmac('sha256', 'pdl_ntfset_development_only').update(`${ts}:${bytes}`).digest('hex');
  const headers = { 'paddle-signature': `ts=${ts};h1=${h1}` };
  return (await running.request('POST /billing/paddle/notifications', { bytes, headers })).status;
}

/**
 * Starts a PUT that has sent a part of its bytes and keeps sending. `ended` resolves when the PUT is answered or its
 * connection is closed.
 */
async function halfSentUpload({ keys }: Tenant): Promise<{ readonly ended: Promise<unknown> }> {
  const bytes = Buffer.from(ubl('R-3'));
  const { body } = await running.request<{ upload_url: string }>('POST /uploads', {
    key: keys.owner,
    body: { mediaType: 'application/xml', byteSize: bytes.length * 2_000 },
  });
  const { pathname, search } = new URL(body.upload_url, running.origin);
  let sent = 0;
  const stream = new ReadableStream({
    async pull(controller) {
      controller.enqueue(bytes);
      if (++sent < 100) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (sent > 600) controller.error(new Error('the caller leaves'));
    },
  });
  const put = fetch(`${running.origin}${pathname}${search}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/xml' },
    body: stream,
    duplex: 'half',
  } as RequestInit);
  return { ended: Promise.allSettled([put]) };
}

test('a purge under load removes everything of the organization from every service, for good, and nothing of others', async () => {
  const { tenant, other } = running;
  await Promise.all([fill(tenant, '/gone'), fill(other, '/kept')]);
  await eventually(() => {
    expect(receiver.to('/gone').length).toBeGreaterThan(4);
    expect(receiver.to('/kept').length).toBeGreaterThan(4);
  });
  await eventually(async () => expect(Object.keys(await found(tenant.organizationId)).length).toBeGreaterThan(20));
  const name = await nameOf(tenant);

  const invoices = (key: string) => async (index: number) =>
    (await running.request('POST /invoices', { key, body: plainInvoice(index + 1_000) })).status;
  const scans = (key: string) => async (index: number) =>
    (await running.request('POST /scans', { key, body: { rows: [plainRow(index + 1_000)] } })).status;
  const load = startCallers(4, invoices(tenant.keys.owner));
  const scanning = startCallers(1, scans(tenant.keys.analyst));
  const others = [invoices, scans].map((send) => startCallers(1, send(other.keys.owner), OTHERS_PAUSE_MS));
  await eventually(() => expect(load.outcomes.filter(({ status }) => status === 202).length).toBeGreaterThan(20));
  const half = await halfSentUpload(tenant);
  const deleted = await running.request('DELETE /organizations/current', {
    key: tenant.keys.owner,
    body: { confirm_name: name },
  });
  expect(deleted.status).toBe(200);
  await eventually(async () => expect(await purge()).toEqual([tenant.organizationId]));
  await eventually(() => {
    for (const { outcomes } of [load, scanning]) expect(outcomes.at(-1)?.status).toBeGreaterThan(400);
  });
  await Promise.all([load.stop(), scanning.stop(), half.ended]);

  const nothing = { organization: 0, analysis: 0, documents: 0, scan: 0, webhooks: 0, 'erp-sync': 0, ksef: 0 };
  await eventually(async () => expect(await remainingOf(tenant.organizationId)).toMatchObject(nothing), {
    timeoutMs: 120_000,
  });
  const organizations = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: `${running.system.databasePrefix}organization`,
    appName: 'test',
  });
  // When the purge has been announced three times, late requests and events in transit have been handled.
  await eventually(
    async () => {
      const left = await organizations.db
        .collection<{ _id: string; purge?: { rounds: number } }>('organizations')
        .findOne({ _id: tenant.organizationId });
      expect(left?.purge?.rounds).toBeGreaterThanOrEqual(3);
      expect(await remainingOf(tenant.organizationId)).toMatchObject(nothing);
    },
    { timeoutMs: 120_000 },
  );
  await organizations.close();
  expect(Object.keys(await found(tenant.organizationId)).toSorted()).toEqual([
    'organization.audit_events',
    'organization.organizations',
  ]);

  // The payment provider may send notifications at any later time. They get the same responses as before and store
  // nothing about the organization.
  for (const type of ['subscription.updated', 'subscription.canceled', 'transaction.updated']) {
    expect(await notifyOfPayment(type, tenant.organizationId)).toBe(200);
  }
  expect(await remainingOf(tenant.organizationId)).toMatchObject({ ...nothing, billing: 0 });
  expect(Object.keys(await found(tenant.organizationId)).toSorted()).toEqual([
    'organization.audit_events',
    'organization.organizations',
  ]);

  await Promise.all(others.map((one) => one.stop()));
  const [invoicesOfOther, scansOfOther] = others.map(({ outcomes }) => outcomes.map(({ status }) => status));
  expect(new Set(invoicesOfOther)).toEqual(new Set([202]));
  expect(new Set(scansOfOther)).toEqual(new Set([201]));
  const kept = await found(other.organizationId);
  // The other organization keeps the records that `fill` created and those that it stored in the meantime: 3 invoices,
  // 1 from a file, and 3 rows.
  expect(kept['analysis.invoices']).toBe((invoicesOfOther?.length ?? 0) + (scansOfOther?.length ?? 0) + 3 + 1 + 3);
  expect(kept['scan.scans']).toBe((scansOfOther?.length ?? 0) + 1);
  expect(kept['documents.uploads']).toBe(3);
  expect(await filesStored()).toEqual({ files: 2, pieces: 2 });
}, 300_000);
