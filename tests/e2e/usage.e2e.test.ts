import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Schemas } from '@invoicecontrol/client';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { AcceptedAnalysis } from './shapes.js';

/** Number of analyses per month that the plan FREE allows. */
const FREE_ANALYSES = 25;
const AT_ONCE = 40;
const DAY_MS = 24 * 3_600_000;

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

function post(key: string, number: number): Promise<Answer<AcceptedAnalysis & ErrorBody>> {
  return running.request('POST /invoices', { key, body: plainInvoice(number) });
}

async function invoicesOf(key: string): Promise<number> {
  return (await running.clientOf(key).get('/invoices', { query: { limit: 100 } })).data.items.length;
}

/** Posts more invoices at once than the plan allows. */
function postTooMany(key: string): Promise<Answer<AcceptedAnalysis & ErrorBody>[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, number) => post(key, 1_000 + number)));
}

async function usageOf(key: string): Promise<Schemas['Usage']> {
  return (await running.clientOf(key).get('/organizations/current/usage')).data;
}

describe('the usage of an organization', () => {
  test('is shown for every meter with the limit of its plan, without refused requests', async () => {
    const { keys } = await running.newTenant('FREE');
    await postTooMany(keys.owner);
    const { period, items } = await usageOf(keys.owner);
    expect(period).toMatch(/^\d{4}-\d{2}$/);
    expect(items).toEqual(
      expect.arrayContaining([
        { meter: 'analyses', used: FREE_ANALYSES, limit: FREE_ANALYSES },
        { meter: 'scan_rows', used: 0, limit: 500 },
        { meter: 'companies', used: 1, limit: 1 },
        // The operator, who created the four members, is not limited by a plan.
        { meter: 'members', used: 4, limit: 3 },
      ]),
    );
  });

  test('is listed by month, the current month first', async () => {
    const { keys } = await running.newTenant('FREE');
    const { period, items } = await usageOf(keys.owner);
    const { data } = await running.clientOf(keys.owner).get('/organizations/current/usage/history');
    expect(data.items).toHaveLength(12);
    const monthly = items.filter(({ meter }) =>
      ['analyses', 'scan_rows', 'payment_lines', 'upload_bytes'].includes(meter),
    );
    expect(data.items[0]).toEqual({ period, items: monthly });
    const past = data.items[1]?.period ?? '';
    expect(past < period).toBe(true);
    const query = { period: past };
    expect((await running.clientOf(keys.owner).get('/organizations/current/usage', { query })).data).toEqual(
      data.items[1],
    );
    const wrong = await running.request('GET /organizations/current/usage?period=2999-01', { key: keys.owner });
    expect(wrong.status).toBe(400);
  });

  test('has no limits on a plan without limits', async () => {
    const { keys } = await running.newTenant('ENTERPRISE');
    const { items } = await usageOf(keys.owner);
    expect(new Set(items.map(({ limit }) => limit))).toEqual(new Set([null]));
  });
});

describe('the analyses of a month', () => {
  test('are as many as the plan allows, however many requests arrive at once; refused ones store nothing', async () => {
    const { keys } = await running.newTenant('FREE');
    const answers = await postTooMany(keys.owner);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(AT_ONCE - FREE_ANALYSES);
    for (const { status, body, headers } of refused) {
      expect({ status, code: body.error.code }).toEqual({ status: 429, code: 'USAGE_LIMIT_EXCEEDED' });
      expect(body.error.message).toMatch(
        /^The plan allows 25 analyses in \d{4}-\d{2}, of which none is left\. .* \d{4}-\d{2}-01 at 00:00 UTC\.$/,
      );
      const [end = ''] = /\d{4}-\d{2}-01/.exec(body.error.message) ?? [];
      const isEndNear = Date.parse(end) - Date.now() <= DAY_MS;
      expect(headers.has('retry-after')).toBe(isEndNear);
    }
    expect(await invoicesOf(keys.owner)).toBe(FREE_ANALYSES);
  });

  test.each([1, 2, 3])('let exactly one of 100 requests pass when one is left, round %i', async () => {
    const { keys } = await running.newTenant('FREE');
    const before = await Promise.all(
      Array.from({ length: FREE_ANALYSES - 1 }, (_, number) => post(keys.owner, number)),
    );
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([202]));
    const answers = await Promise.all(Array.from({ length: 100 }, (_, number) => post(keys.owner, 1_000 + number)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    const codes = answers.filter(({ status }) => status !== 202).map(({ body }) => body.error.code);
    expect(new Set(codes)).toEqual(new Set(['USAGE_LIMIT_EXCEEDED']));
    expect(await invoicesOf(keys.owner)).toBe(FREE_ANALYSES);
    const { items } = await usageOf(keys.owner);
    expect(items).toContainEqual({ meter: 'analyses', used: FREE_ANALYSES, limit: FREE_ANALYSES });
  });

  test('increase as soon as the plan does, separately for each organization', async () => {
    const { organizationId, keys } = await running.newTenant('FREE');
    const neighbour = await running.newTenant('FREE');
    await postTooMany(keys.owner);
    expect((await post(keys.owner, 1)).status).toBe(429);
    expect((await post(neighbour.keys.owner, 1)).status).toBe(202);
    await running.setPlan(organizationId, { plan: 'CORE', subscriptionStatus: 'active' });
    await eventually(async () => expect((await post(keys.owner, 2)).status).toBe(202));
  });

  test('leave reading and analyzing again available when they are used up', async () => {
    const { keys } = await running.newTenant('FREE');
    const [accepted] = (await postTooMany(keys.owner)).filter(({ status }) => status === 202);
    const target = `/invoices/${accepted?.body.id}`;
    for (const request of [
      `GET ${target}`,
      `GET ${target}/analysis/latest`,
      `POST ${target}/reanalyze`,
      'GET /findings',
    ]) {
      expect((await running.request(request, { key: keys.owner })).status).toBe(200);
    }
  });
});
