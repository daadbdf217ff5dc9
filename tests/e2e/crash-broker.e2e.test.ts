import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Schemas } from '@invoicecontrol/client';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { sampleInvoice, sampleSource } from './crash/sample-invoices.js';
import { startTrial } from './crash/trial.js';
import type { Trial } from './crash/trial.js';
import { fullInvoice } from './shapes.js';
import type { AcceptedAnalysis, LatestAnalysis } from './shapes.js';

const INVOICES = 20;

let trial: Trial;
beforeAll(async () => {
  trial = await startTrial();
});
afterAll(() => trial.stop());

test('a broker that comes back without its storage gets every event again, and each consumer applies them once', async () => {
  const { broker } = trial.system;
  const tenant = await trial.system.newTenant('Without a volume');
  const nextSample = sampleSource();
  const sendInvoices = async (when: string): Promise<void> => {
    for (let number = 1; number <= INVOICES; number++) {
      const name = `${when}-${number}`;
      const invoice = sampleInvoice({ ...nextSample(), sentAs: name });
      await trial.ledger.sendWithRetries({ tenant, idempotencyKey: name, invoice });
    }
  };
  await sendInvoices('before');
  await trial.expectPromisesKept();

  await broker.kill();
  await broker.erase();
  await trial.forgetEffects();
  await sendInvoices('without');
  await broker.restart();
  await sendInvoices('after');
  await trial.expectPromisesKept();
  // The services' own subscriptions also receive the event: the organization service stores what the analysis service
  // records.
  const findingId = await duplicateFinding(tenant);
  expect((await call(tenant, `POST /findings/${findingId}/review`, { disposition: 'CONFIRMED' })).status).toBe(200);
  await eventually(async () => {
    const { body } = await call<{ items: readonly Schemas['AuditEvent'][] }>(tenant, 'GET /audit-events?limit=100');
    expect(body.items).toContainEqual(
      expect.objectContaining({ action: 'finding.reviewed', target: `finding:${findingId}`, outcome: 'SUCCEEDED' }),
    );
  });
}, 600_000);

async function duplicateFinding(tenant: Tenant): Promise<string> {
  await call(tenant, 'POST /invoices', fullInvoice);
  const { body: accepted } = await call<AcceptedAnalysis>(tenant, 'POST /invoices', fullInvoice);
  const { body } = await call<LatestAnalysis>(tenant, `GET /invoices/${accepted.id}/analysis/latest`);
  const finding = body.findings.find(({ type }) => type === 'DUPLICATE_INVOICE');
  if (finding === undefined) throw new Error('no duplicate was found');
  return finding.id;
}

async function call<T>(tenant: Tenant, route: string, body?: object): Promise<{ status: number; body: T }> {
  const [method, path] = route.split(' ');
  const response = await fetch(`${trial.system.baseUrl}${path}`, {
    ...(method === undefined ? {} : { method }),
    headers: { authorization: `Bearer ${tenant.keys.owner}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
