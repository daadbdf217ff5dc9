// A cursor is a position in one list. Used with another list, it would skip items silently.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { Page } from './shapes.js';

interface Description {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: readonly { readonly $ref?: string }[] } }>
  >;
}

let running: RunningSystem;
let tenant: Tenant;
/** Paths of all paginated lists, with their parameters. */
let lists: string[];
/** Cursor of the second page of audit events, the only list with entries in a new organization. */
let cursor: string;
beforeAll(async () => {
  running = await useSharedSystem();
  tenant = await running.newTenant();
  const posted = await running.request<{ id: string }>('POST /invoices', {
    key: tenant.keys.owner,
    body: plainInvoice(1),
  });
  const connection = await get<{ id: string }>('/erp-connections', 'POST', {
    provider: 'ODOO',
    config: { baseUrl: 'https://127.0.0.1:1024' },
    api_key: 'key',
  });
  const ksef = await get<{ id: string }>('/ksef-connections', 'POST', {
    environment: 'TEST',
    context_nip: '5265877635',
    ksef_token: 'a-token-of-nobody-at-all',
  });
  const paymentRun = await get<{ id: string }>('/payment-runs', 'POST', {
    payments: [{ id: '1', amount: '1.00', currency: 'EUR' }],
  });
  const { paths } = (await running.request<Description>('GET //openapi.json')).body;
  lists = Object.entries(paths)
    .filter(([, { get }]) => get?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/Cursor'))
    .map(([path]) => {
      const { id } = path.startsWith('/ksef-connections') ? ksef.body : connection.body;
      return path
        .replace('{invoiceId}', posted.body.id)
        .replace('{connectionId}', id)
        .replace('{runId}', paymentRun.body.id);
    });
  for (const name of ['one', 'two']) await get(`/api-keys`, 'POST', { name, role: 'VIEWER' });
  cursor = String((await get<Page<unknown>>('/audit-events?limit=1')).body.nextCursor);
});
afterAll(() => running.stop());

function get<Body>(target: string, method = 'GET', body?: unknown) {
  return running.request<Body>(`${method} ${target}`, {
    key: tenant.keys.owner,
    ...(body === undefined ? {} : { body }),
  });
}

const refused = expect.objectContaining({
  status: 400,
  body: expect.objectContaining({
    error: expect.objectContaining({ code: 'INVALID_REQUEST', details: [expect.objectContaining({ path: 'cursor' })] }),
  }),
});

test('every list refuses the cursor of another list, and takes its own', async () => {
  expect(lists.length).toBeGreaterThanOrEqual(10);
  for (const list of lists) {
    const answer = await get<ErrorBody>(`${list}?cursor=${cursor}`);
    if (list === '/audit-events') expect(answer.status).toBe(200);
    else expect({ list, answer }).toEqual({ list, answer: refused });
  }
});

test('every list refuses its cursor with other filters', async () => {
  for (const list of lists) {
    const first = await get<Page<unknown>>(`${list}?limit=1`);
    if (first.body.nextCursor === null) continue;
    const own = `${list}?cursor=${first.body.nextCursor}`;
    expect({ list, status: (await get(`${own}&limit=2`)).status }).toEqual({ list, status: 200 });
    if (list.endsWith('/analyses') || list === '/finding-routing-rules') continue;
    expect({ list, answer: await get(`${own}&created_from=2020-01-01`) }).toEqual({ list, answer: refused });
  }
});

test('the analyses of an invoice refuse the cursor of another invoice', async () => {
  const path = lists.find((list) => list.endsWith('/analyses')) ?? '';
  await get(path.replace('analyses', 'reanalyze'), 'POST');
  const { body } = await get<Page<unknown>>(`${path}?limit=1`);
  const other = await get<{ id: string }>('/invoices', 'POST', plainInvoice(2));
  expect(body.nextCursor).toEqual(expect.any(String));
  expect((await get(`${path}?cursor=${body.nextCursor}`)).status).toBe(200);
  expect(await get(`/invoices/${other.body.id}/analyses?cursor=${body.nextCursor}`)).toEqual(refused);
});
