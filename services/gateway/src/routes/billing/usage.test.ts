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
      getUsage({ organizationId }) {
        asked.push(organizationId);
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

async function usage(key: string): Promise<unknown> {
  const response = await fetch(`${gateway.origin}/v1/organizations/current/usage`, {
    headers: { authorization: `Bearer ${key}` },
  });
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
});
