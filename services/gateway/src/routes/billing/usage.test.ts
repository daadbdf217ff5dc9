import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const limited = keyNamed('limited');
const unlimited = keyNamed('unlimited');

let gateway: RunningGateway;
let asked: string[];
beforeAll(async () => {
  asked = [];
  const limits = {
    analysesPerMonth: 25,
    scanRowsPerMonth: 500,
    paymentLinesPerMonth: 400,
    uploadBytesPerMonth: 99,
    companies: 1,
    members: 3,
    webhooks: 0,
    erpConnections: 1,
  };
  gateway = await startGateway({
    access: accessFor(
      new Map([
        [limited, principal({ role: 'VIEWER', scopes: ['organization:read'], limits })],
        [unlimited, principal()],
      ]),
    ),
    analysisUsage: {
      listUsageHistory({ organizationId, months }) {
        asked.push(`${organizationId} ${months}`);
        return Promise.resolve({
          periods: [
            { period: '2026-03', meters: [{ meter: 'analyses', used: 4 }] },
            { period: '2026-02', meters: [{ meter: 'analyses', used: 3 }] },
            // This service is already in the next month of the others.
            { period: '2026-03', meters: [{ meter: 'upload_bytes', used: 9 }] },
            { period: '2026-01', meters: [{ meter: 'analyses', used: 2 }] },
          ],
        });
      },
      getUsage({ organizationId, period }) {
        asked.push(organizationId);
        if (period !== undefined) return Promise.resolve({ period, meters: [{ meter: 'analyses', used: 5 }] });
        const used = {
          scan_rows: 12,
          payment_lines: 8,
          upload_bytes: 77,
          webhooks: 3,
          erp_connections: 1,
          members: 2,
          companies: 1,
          analyses: 0,
          a_later_one: 9,
        };
        const meters = Object.entries(used).map(([meter, count]) => ({ meter, used: count }));
        return Promise.resolve({ period: '2026-03', meters });
      },
    },
  });
});
afterAll(() => gateway.stop());

function get(path: string, key = limited): Promise<Response> {
  return fetch(`${gateway.origin}/v1/organizations/current${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function usage(key: string, query = ''): Promise<unknown> {
  const response = await get(`/usage${query}`, key);
  expect(response.status).toBe(200);
  return response.json();
}

describe('GET /organizations/current/usage', () => {
  test('shows every meter with the limit of the plan, in a fixed order', async () => {
    expect(await usage(limited)).toEqual({
      period: '2026-03',
      items: [
        { meter: 'analyses', used: 0, limit: 25 },
        { meter: 'scan_rows', used: 12, limit: 500 },
        { meter: 'payment_lines', used: 8, limit: 400 },
        { meter: 'upload_bytes', used: 77, limit: 99 },
        { meter: 'companies', used: 1, limit: 1 },
        { meter: 'members', used: 2, limit: 3 },
        { meter: 'webhooks', used: 3, limit: 0 },
        { meter: 'erp_connections', used: 1, limit: 1 },
      ],
    });
  });

  test('shows null where the plan has no limit', async () => {
    expect(await usage(unlimited)).toMatchObject({ items: Array.from({ length: 8 }, () => ({ limit: null })) });
  });

  test('asks each of the six services that count for the organization of the key', async () => {
    asked = [];
    await usage(limited);
    expect(asked).toEqual(Array.from({ length: 6 }, () => ORGANIZATION_ID));
  });

  test('of a past month is asked for by its name, and shows the meters that were counted', async () => {
    expect(await usage(limited, '?period=2025-12')).toEqual({
      period: '2025-12',
      items: [{ meter: 'analyses', used: 5, limit: 25 }],
    });
  });

  test.each(['period=2025-13', 'period=2025', 'period=', 'months=1'])('refuses ?%s', async (query) => {
    expect((await get(`/usage?${query}`)).status).toBe(400);
  });
});

describe('GET /organizations/current/usage/history', () => {
  test('shows the months newest first, with the meters of all services that count by month', async () => {
    const response = await get('/usage/history?months=2');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      items: [
        {
          period: '2026-03',
          items: [
            { meter: 'analyses', used: 4, limit: 25 },
            { meter: 'upload_bytes', used: 9, limit: 99 },
          ],
        },
        { period: '2026-02', items: [{ meter: 'analyses', used: 3, limit: 25 }] },
      ],
    });
    expect(asked.at(-1)).toBe(`${ORGANIZATION_ID} 2`);
  });

  test('asks for 12 months by default, and for 24 at most', async () => {
    await get('/usage/history');
    expect(asked.at(-1)).toBe(`${ORGANIZATION_ID} 12`);
    expect((await get('/usage/history?months=24')).status).toBe(200);
    for (const months of ['25', '0', '-1', '1.5', '']) {
      expect((await get(`/usage/history?months=${months}`)).status).toBe(400);
    }
  });
});
