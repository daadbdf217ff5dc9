// Searches and filters the lists of the running product, as a client with many invoices does.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import type { Page } from './shapes.js';

interface Finding {
  readonly id: string;
  readonly type: string;
  readonly family: string;
  readonly disposition: string;
  readonly invoiceNumber: string;
  readonly evidence?: object;
  readonly updatedAt: string;
}

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
  const { clientOf, tenant } = running;
  const invoice = { issue_date: '2026-03-05', currency: 'EUR', gross_amount: '1190.00' };
  for (const [invoice_number, name] of [
    ['RE-2026-0118', 'Nordlicht Energie GmbH'],
    ['RE 2026/0118', 'Nordlicht Energie GmbH'],
    ['FV/12', 'Łódź Druk Sp. z o.o.'],
  ] as const) {
    await clientOf(tenant.keys.owner).post('/invoices', { body: { ...invoice, invoice_number, supplier: { name } } });
  }
});
afterAll(() => running.stop());

async function list<Item>(path: string, key = running.tenant.keys.owner): Promise<readonly Item[]> {
  const { status, body } = await running.request<Page<Item>>(`GET ${path}`, { key });
  expect({ path, status }).toEqual({ path, status: 200 });
  return body.items;
}
const findings = (query: string, key?: string) => list<Finding>(`/findings?${query}`, key);
const numbers = async (query: string, key?: string) => {
  const invoices = await list<{ invoice: { invoice_number: string } }>(`/invoices?${query}`, key);
  return invoices.map(({ invoice }) => invoice.invoice_number);
};

test('invoices and findings are searched by number and supplier, and another organization finds nothing', async () => {
  expect(await numbers('q=re2026')).toEqual(['RE 2026/0118', 'RE-2026-0118']);
  expect(await numbers('q=lodz')).toEqual(['FV/12']);
  expect((await findings('q=FV12')).map(({ invoiceNumber }) => invoiceNumber)).toContain('FV/12');
  expect(await numbers('q=re2026', running.other.keys.owner)).toEqual([]);
  expect(await findings('q=nordlicht', running.other.keys.owner)).toEqual([]);
});

test('a search follows cursors, and refuses a cursor of another search', async () => {
  const { key, path } = { key: running.tenant.keys.owner, path: 'GET /invoices?limit=1&q=' };
  const { body } = await running.request<Page<unknown>>(`${path}nord`, { key });
  expect(await numbers(`limit=1&q=nord&cursor=${body.nextCursor}`)).toEqual(['RE-2026-0118']);
  const other = await running.request<ErrorBody>(`${path}re&cursor=${body.nextCursor}`, { key });
  expect([other.status, other.body.error.details?.[0]?.path]).toEqual([400, 'cursor']);
});

test('filters with several values return what has one of them', async () => {
  const all = await findings('limit=100');
  const duplicate = all.find(({ family }) => family === 'DUP');
  expect(duplicate).toBeDefined();
  const key = running.tenant.keys.owner;
  await running.request(`POST /findings/${duplicate?.id}/review`, { key, body: { disposition: 'CONFIRMED' } });
  const idsOf = (items: readonly Finding[]) => items.map(({ id }) => id);
  expect(idsOf(await findings('disposition=CONFIRMED,RESOLVED'))).toEqual([duplicate?.id]);
  expect(idsOf(await findings('disposition=CONFIRMED,OPEN,UNDER_REVIEW,SUPERSEDED&limit=100'))).toEqual(idsOf(all));
  expect((await findings('family=DUP,TAX')).every(({ family }) => ['DUP', 'TAX'].includes(family))).toBe(true);
  expect(await numbers('decision=PASS,REVIEW,BLOCK&source=API,SCAN&issue_from=2026-03-05')).toHaveLength(3);
  expect(await numbers('issue_to=2026-03-04')).toEqual([]);
});

test('a client reads only what changed, without the evidence', async () => {
  const [last] = await findings('limit=1');
  const key = running.tenant.keys.owner;
  await running.request(`POST /findings/${last?.id}/review`, { key, body: { disposition: 'UNDER_REVIEW' } });
  const { body } = await running.request<Finding>(`GET /findings/${last?.id}`, { key });
  const changed = await findings(`updated_from=${body.updatedAt}&view=summary`);
  expect(changed.map(({ id }) => id)).toEqual([last?.id]);
  expect(changed[0]).not.toHaveProperty('evidence');
  const { evidence, ...slim } = body;
  expect(changed[0]).toEqual(slim);
});

test('the timeline of an invoice names who reviewed and who exported it, and is missing for another organization', async () => {
  const { tenant, other } = running;
  const key = tenant.keys.owner;
  const [finding] = await findings('limit=1&q=FV12');
  const { body: whole } = await running.request<{ invoiceId: string }>(`GET /findings/${finding?.id}`, { key });
  const path = `/invoices/${whole.invoiceId}`;
  await running.request(`POST /findings/${finding?.id}/review`, { key, body: { disposition: 'CONFIRMED' } });
  await running.request(`GET ${path}/export?format=json&include=unready`, { key });
  interface Timeline {
    readonly items: readonly { kind: string; actor: { type: string; name: string | null }; to: string | null }[];
  }
  await eventually(async () => {
    const { body } = await running.request<Timeline>(`GET ${path}/timeline`, { key });
    const seen = body.items.map(({ kind, actor, to }) => `${kind} ${actor.type} ${to ?? '-'}`);
    expect(seen).toEqual(expect.arrayContaining(['RECEIVED SYSTEM -', 'FINDING_REVIEWED API_KEY CONFIRMED']));
    const exported = body.items.find(({ kind }) => kind === 'EXPORTED');
    const reviewed = body.items.find(({ kind }) => kind === 'FINDING_REVIEWED');
    expect(exported?.actor).toEqual(reviewed?.actor);
    expect(exported?.actor.name).toEqual(expect.any(String));
  });
  const missing = await running.request<ErrorBody>(`GET ${path}/timeline`, { key: other.keys.owner });
  expect([missing.status, missing.body.error.message]).toEqual([404, 'No such invoice.']);
});
