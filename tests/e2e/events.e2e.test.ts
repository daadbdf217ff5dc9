import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Schemas } from '@invoicecontrol/client';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { fullInvoice, plainInvoice } from './shapes.js';
import type { AcceptedAnalysis, LatestAnalysis } from './shapes.js';

interface Heard {
  readonly subject: string;
  /** Id by which the broker recognises repeated events. */
  readonly messageId: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
}

let running: RunningSystem;
let bus: Bus;
/** Events of all tenants, in the order of their arrival. */
const heard: Heard[] = [];

beforeAll(async () => {
  running = await useSharedSystem();
  const logger = createLogger({ service: 'test', level: 'silent' });
  bus = await connectTestNats({ url: testInfrastructure().natsUrl, name: 'test', logger });
  bus.connection.subscribe('invoicecontrol.>', {
    callback: (_, message) => {
      heard.push({
        subject: message.subject,
        messageId: message.headers?.get('Nats-Msg-Id'),
        payload: message.json(),
      });
    },
  });
  await bus.ping();
});
afterAll(async () => {
  await bus.close();
  await running.stop();
});

const ANALYZED = 'invoicecontrol.analysis.v1.invoice_analyzed';
const FINDING = 'invoicecontrol.analysis.v1.finding_created';
const EVENT_ID = /^evt_[a-z2-7]{26}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the events of a tenant on a subject, without repetitions. */
function heardOf({ organizationId }: Tenant, subject: string): Heard['payload'][] {
  const own = heard.filter((event) => event.subject === subject && event.payload['organizationId'] === organizationId);
  return [...new Map(own.map(({ payload }) => [payload['eventId'], payload])).values()];
}

async function post({ keys }: Tenant, body: Schemas['Invoice'] = fullInvoice, headers = {}): Promise<AcceptedAnalysis> {
  return (await running.clientOf(keys.owner).post('/invoices', { body, headers })).data;
}

async function latestOf({ keys }: Tenant, invoiceId: string): Promise<LatestAnalysis> {
  return (await running.clientOf(keys.owner).get('/invoices/{invoiceId}/analysis/latest', { path: { invoiceId } }))
    .data;
}

/** Waits for the event of this invoice and returns it. */
function analyzedEvent(tenant: Tenant, invoiceId: string): Promise<Heard['payload']> {
  return eventually(() => {
    const found = heardOf(tenant, ANALYZED).find((payload) => payload['invoiceId'] === invoiceId);
    if (found === undefined) throw new Error(`no invoice_analyzed of ${invoiceId}`);
    return found;
  });
}

describe('invoice_analyzed', () => {
  test('has exactly this shape', async () => {
    const tenant = await running.newTenant();
    await post(tenant);
    const { id, risk_score } = await post(tenant);
    expect(await analyzedEvent(tenant, id)).toEqual({
      eventId: expect.stringMatching(EVENT_ID),
      eventTime: expect.stringMatching(INSTANT),
      organizationId: tenant.organizationId,
      invoiceId: id,
      analysisId: expect.any(String),
      companyId: tenant.companyId,
      decision: 'DECISION_BLOCK',
      riskScore: risk_score,
      source: 'INVOICE_SOURCE_API',
    });
  });

  test('omits a score of zero, as proto JSON does', async () => {
    const tenant = await running.newTenant();
    const { id, decision, risk_score } = await post(tenant);
    expect([decision, risk_score]).toEqual(['PASS', 0]);
    const event = await analyzedEvent(tenant, id);
    expect(event).toMatchObject({ decision: 'DECISION_PASS' });
    expect(Object.keys(event)).not.toContain('riskScore');
  });

  test('is sent once for an invoice that was sent again under its key, and not for one that was refused', async () => {
    const tenant = await running.newTenant();
    const headers = { 'idempotency-key': 'once' };
    const { id } = await post(tenant, fullInvoice, headers);
    await post(tenant, fullInvoice, headers);
    await running.request('POST /invoices', { key: tenant.keys.owner, body: { ...fullInvoice, currency: 'XXX' } });
    const last = await post(tenant, plainInvoice(1));
    await Promise.all([analyzedEvent(tenant, id), analyzedEvent(tenant, last.id)]);
    expect(new Set(heardOf(tenant, ANALYZED).map(({ invoiceId }) => invoiceId))).toEqual(new Set([id, last.id]));
    expect(heardOf(tenant, ANALYZED)).toHaveLength(2);
  });
});

describe('finding_created', () => {
  test('has exactly this shape, for every finding of the answer', async () => {
    const tenant = await running.newTenant();
    await post(tenant);
    const { id, findings } = await post(tenant);
    const latest = await latestOf(tenant, id);
    const events = await eventually(() => {
      const own = heardOf(tenant, FINDING).filter(({ invoiceId }) => invoiceId === id);
      expect(own).toHaveLength(findings.length);
      return own;
    });
    expect(findings.map(({ type }) => type)).toContain('DUPLICATE_INVOICE');
    expect(events).toEqual(
      latest.findings.map((finding) => ({
        eventId: expect.stringMatching(EVENT_ID),
        eventTime: expect.stringMatching(INSTANT),
        organizationId: tenant.organizationId,
        findingId: finding.id,
        invoiceId: id,
        companyId: tenant.companyId,
        type: finding.type,
        severity: `SEVERITY_${finding.severity}`,
        summary: finding.summary,
      })),
    );
  });
});

describe('the audit trail', () => {
  const trailOf = async ({ keys }: Tenant): Promise<readonly Schemas['AuditEvent'][]> =>
    (await running.clientOf(keys.admin).get('/audit-events', { query: { limit: 100 } })).data.items;

  test('shows each review and each reading of an invoice with findings, and no other tenant sees them', async () => {
    const tenant = await running.newTenant();
    const { keys } = tenant;
    await post(tenant);
    const { id } = await post(tenant);
    const finding = (await latestOf(tenant, id)).findings.find(({ type }) => type === 'DUPLICATE_INVOICE');
    const review = (disposition: string, requestId: string) =>
      running.request(`POST /findings/${finding?.id}/review`, { key: keys.analyst, body: { disposition }, requestId });
    await running.request(`GET /invoices/${id}`, { key: keys.viewer, requestId: 'reading' });
    expect((await review('RESOLVED', 'refused')).status).toBe(409);
    expect((await review('CONFIRMED', 'review')).status).toBe(200);
    const line = (key: string, action: string, about: string, outcome: string, requestId: string) =>
      expect.objectContaining({
        actor: { type: 'API_KEY', id: key.split('_')[2], name: key === keys.viewer ? 'viewer' : 'analyst' },
        action,
        target: about,
        outcome,
        requestId,
        ip: running.clientAddress,
      });
    await eventually(async () => {
      const lines = (await trailOf(tenant)).filter(({ action }) => /^(finding|invoice)\./.test(action));
      expect(lines).toHaveLength(3);
      expect(lines).toEqual(
        expect.arrayContaining([
          line(keys.viewer, 'invoice.read', `invoice:${id}`, 'SUCCEEDED', 'reading'),
          line(keys.analyst, 'finding.reviewed', `finding:${finding?.id}`, 'REFUSED', 'refused'),
          line(keys.analyst, 'finding.reviewed', `finding:${finding?.id}`, 'SUCCEEDED', 'review'),
        ]),
      );
    });
    const others = (await trailOf(running.other)).map(({ target: about }) => about);
    expect(others).not.toContain(`invoice:${id}`);
    expect(others).not.toContain(`finding:${finding?.id}`);
  });
});

describe('a batch of findings', () => {
  test('is reviewed with one event and one line in the audit trail for each, without those of others, and can be repeated', async () => {
    const tenant = await running.newTenant();
    const { keys } = tenant;
    const api = running.clientOf(keys.analyst);
    // All findings are about one supplier, whose profile every confirmation of a copy changes.
    const rows = Array.from({ length: 200 }, (_, index) => ({
      supplierName: 'Nordlicht Energie GmbH',
      supplierTaxId: 'DE136695976',
      invoiceNumber: `RE-${1_000 + Math.floor(index / 2)}`,
      issueDate: '2026-03-02',
      currency: 'EUR',
      grossAmount: `${100 + Math.floor(index / 2)}.00`,
      sourceRowNumber: index + 1,
    }));
    await api.post('/scans', { body: { rows } });
    const query = { limit: 98, disposition: 'OPEN', type: 'DUPLICATE_INVOICE' } as const;
    const own = (await api.get('/findings', { query })).data.items.map(({ id }) => id);
    expect(own).toHaveLength(98);
    const other = await running.newTenant();
    await post(other);
    const [ofOther] = (await latestOf(other, (await post(other)).id)).findings;
    const ids = [...own, ofOther?.id ?? '', randomUUID()];
    const review = (requestId: string) =>
      running.request<Schemas['FindingBatchResult']>('POST /findings/reviews', {
        key: keys.analyst,
        body: { finding_ids: ids, disposition: 'CONFIRMED', expected_disposition: 'OPEN' },
        requestId,
      });

    const { status, body } = await review('batch');
    expect(status).toBe(200);
    expect(body.items.map(({ id }) => id)).toEqual(ids);
    const outcomesOf = ({ items }: Schemas['FindingBatchResult']) => items.map(({ outcome }) => outcome);
    expect(outcomesOf(body)).toEqual([...own.map(() => 'CHANGED'), 'REFUSED', 'REFUSED']);
    for (const { error, finding } of body.items.slice(98)) {
      expect({ error, finding }).toEqual({ error: { code: 'NOT_FOUND', message: 'No such finding.' }, finding: null });
    }
    const after = await running.clientOf(other.keys.owner).get('/findings/{findingId}', {
      path: { findingId: ofOther?.id ?? '' },
    });
    expect(after.data.disposition).toBe('OPEN');
    expect(outcomesOf((await review('again')).body)).toEqual([...own.map(() => 'UNCHANGED'), 'REFUSED', 'REFUSED']);

    await eventually(async () => {
      const lines: Schemas['AuditEvent'][] = [];
      for await (const line of running.clientOf(keys.admin).items('/audit-events', { query: { limit: 100 } }))
        if (line.action === 'finding.reviewed') lines.push(line);
      expect(lines).toHaveLength(98);
      expect(new Set(lines.map(({ target: about }) => about))).toEqual(new Set(own.map((id) => `finding:${id}`)));
      expect(new Set(lines.map(({ requestId, outcome }) => `${requestId} ${outcome}`))).toEqual(
        new Set(['batch SUCCEEDED']),
      );
    });
    await eventually(() => {
      const reviewed = heardOf(tenant, 'invoicecontrol.analysis.v1.finding_reviewed');
      expect(reviewed).toHaveLength(98);
      expect(new Set(reviewed.map((payload) => payload['findingId']))).toEqual(new Set(own));
    });
  });

  test('is assigned to no member of another organization, as to nobody who exists', async () => {
    const tenant = await running.newTenant();
    await post(tenant);
    const [finding] = (await latestOf(tenant, (await post(tenant)).id)).findings;
    for (const assignee_user_id of [running.other.users.analyst, randomUUID()]) {
      const { status, body } = await running.request('PATCH /findings/assignments', {
        key: tenant.keys.analyst,
        body: { finding_ids: [finding?.id], assignee_user_id },
      });
      const error = { code: 'NOT_FOUND', message: 'No such member.' };
      expect([status, body]).toEqual([200, { items: [{ id: finding?.id, outcome: 'REFUSED', error, finding: null }] }]);
    }
  });
});

describe('every event', () => {
  test('has a unique id, and shows neither a key nor a full account number', async () => {
    const tenant = await running.newTenant();
    const { keys } = tenant;
    const api = running.clientOf(keys.owner);
    const { data: created } = await api.post('/api-keys', { body: { name: 'Short-lived', role: 'VIEWER' } });
    await api.delete('/api-keys/{apiKeyId}', { path: { apiKeyId: created.id } });
    await post(tenant);
    const { id } = await post(tenant);
    await analyzedEvent(tenant, id);
    const revoked = await eventually(() => {
      const [event] = heardOf(tenant, 'invoicecontrol.organization.v1.api_keys_revoked');
      if (event === undefined) throw new Error('no api_keys_revoked');
      return event;
    });
    expect(revoked).toMatchObject({ apiKeyIds: [created.id], version: expect.any(Number) });
    for (const { messageId, payload } of heard) expect(messageId).toBe(payload['eventId']);
    const all = JSON.stringify(heard);
    for (const secret of [...Object.values(keys), created.key, fullInvoice.supplier.bank_account.iban]) {
      expect(all).not.toContain(secret);
    }
  });
});
