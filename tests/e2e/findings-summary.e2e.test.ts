// Tests the summary of an organization's findings, and the list of findings in its working order.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { Schemas } from '@invoicecontrol/client';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { Finding, Page } from './shapes.js';

type Summary = Schemas['FindingsSummary'];

let running: RunningSystem;
let tenant: Tenant;
beforeAll(async () => {
  running = await useSharedSystem();
  tenant = await running.newTenant();
  const { owner: key } = tenant.keys;
  // Creates two pairs of copies: over 900.50 and over 800.50.
  for (const number of [900, 900, 800, 800]) {
    await running.request('POST /invoices', { key, body: plainInvoice(number) });
  }
});
afterAll(() => running.stop());

async function get<Body>(target: string, { keys } = tenant): Promise<Body> {
  const { status, body } = await running.request<Body>(`GET ${target}`, { key: keys.viewer });
  expect({ target, status }).toEqual({ target, status: 200 });
  return body;
}

test('a reviewer sees the largest amounts at risk first, page by page, and without notices', async () => {
  const seen: Finding[] = [];
  let cursor = '';
  do {
    const page = await get<Page<Finding>>(`/findings?sort=amount_at_risk&min_severity=MEDIUM&limit=1${cursor}`);
    seen.push(...page.items);
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  expect(
    seen.map(({ type, amountAtRisk, amountAtRiskCurrency }) => [type, amountAtRisk, amountAtRiskCurrency]),
  ).toEqual([
    ['DUPLICATE_INVOICE', '900.50', 'EUR'],
    ['DUPLICATE_INVOICE', '800.50', 'EUR'],
  ]);
  const { items } = await get<Page<Finding>>('/findings?sort=severity');
  const ranks = items.map(({ severity }) => ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'].indexOf(severity));
  expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
  expect(ranks.at(-1)).toBeGreaterThan(2);
});

test('a manager sees the amounts at risk and those that reviews saved, without other organizations', async () => {
  const before = await get<Summary>('/findings/summary');
  expect(before).toMatchObject({ baseCurrency: 'EUR', withoutAmount: 0 });
  expect(before.byType[0]).toEqual({
    type: 'DUPLICATE_INVOICE',
    count: 2,
    open: 2,
    amountAtRisk: '1701.00',
    amountConfirmed: '0.00',
    amountConfirmedInScans: '0.00',
  });
  const [largest] = (await get<Page<Finding>>('/findings?sort=amount_at_risk&limit=1')).items;
  const reviewed = await running.request(`POST /findings/${largest?.id}/review`, {
    key: tenant.keys.analyst,
    body: { disposition: 'CONFIRMED' },
  });
  expect(reviewed.status).toBe(200);
  const after = await get<Summary>('/findings/summary?created_from=2020-01-01');
  expect(after.byType.find(({ type }) => type === 'DUPLICATE_INVOICE')).toMatchObject({
    open: 1,
    amountAtRisk: '800.50',
    amountConfirmed: '900.50',
  });
  expect(after.total.count).toBe(before.total.count);
  expect(after.byDisposition.find(({ disposition }) => disposition === 'CONFIRMED')).toMatchObject({ count: 1 });
  const severe = await get<Summary>('/findings/summary?min_severity=MEDIUM');
  expect(severe.bySeverity.map(({ severity }) => severity)).toEqual(['CRITICAL', 'HIGH', 'MEDIUM']);
  expect(severe.total).toMatchObject({ amountAtRisk: '800.50', amountConfirmed: '900.50' });
  expect((await get<Summary>('/findings/summary?created_to=2020-01-01')).total.count).toBe(0);
  expect((await get<Summary>('/findings/summary', await running.newTenant())).total.count).toBe(0);
});
