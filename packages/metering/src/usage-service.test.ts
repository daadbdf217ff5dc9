import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { openTestChannel, testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { usageService } from './usage-service.js';

let server: GrpcServer;
let channel: Channel;
let now: Date;

beforeAll(async () => {
  const meters = {
    monthly: {
      analyses: async (organizationId: string, month: string) =>
        organizationId === 'one' && month === '2026-03' ? 7 : 0,
      upload_bytes: async () => 25 * 1024 ** 3,
    },
    present: { companies: async (organizationId: string) => (organizationId === 'one' ? 3 : 1) },
  };
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('scan'),
    bindings: [usageService(meters, { now: () => now })],
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  channel = openTestChannel('scan', server.address);
});
beforeEach(() => {
  now = new Date('2026-03-31T23:59:59.999Z');
});
afterAll(async () => {
  channel.close();
  await server.stop(1_000);
});

const usageOf = (organizationId: string) =>
  client(UsageServiceDefinition, channel).getUsage({ organizationId }, { context: systemContext('test') });

test('reports every meter for the current month of the organization that asks', async () => {
  expect(await usageOf('one')).toEqual({
    period: '2026-03',
    meters: [
      { meter: 'analyses', used: 7 },
      { meter: 'upload_bytes', used: 26_843_545_600 },
      { meter: 'companies', used: 3 },
    ],
  });
  expect((await usageOf('two')).meters[0]).toEqual({ meter: 'analyses', used: 0 });
});

test('counts from zero in a new month', async () => {
  now = new Date('2026-04-01T00:00:00.000Z');
  expect(await usageOf('one')).toMatchObject({ period: '2026-04', meters: [{ used: 0 }, {}, {}] });
});

test('reports a past month, without what can only be counted at present', async () => {
  now = new Date('2026-05-01T00:00:00.000Z');
  const past = (period: string) =>
    client(UsageServiceDefinition, channel).getUsage(
      { organizationId: 'one', period },
      { context: systemContext('test') },
    );
  expect(await past('2026-03')).toEqual({
    period: '2026-03',
    meters: [
      { meter: 'analyses', used: 7 },
      { meter: 'upload_bytes', used: 26_843_545_600 },
    ],
  });
  expect((await past('2026-05')).meters.map(({ meter }) => meter)).toContain('companies');
  for (const period of ['2026-06', '2026-13', '2026-3', 'March']) {
    await expect(past(period)).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'period' }] });
  }
});

test('reports up to 24 months, the newest first, also over the turn of a year', async () => {
  now = new Date('2026-04-30T23:59:59.999Z');
  const history = (months: number) =>
    client(UsageServiceDefinition, channel).listUsageHistory(
      { organizationId: 'one', months },
      { context: systemContext('test') },
    );
  const { periods } = await history(24);
  expect(periods.map(({ period }) => period)).toEqual([
    '2026-04',
    '2026-03',
    '2026-02',
    '2026-01',
    ...Array.from({ length: 12 }, (_, index) => `2025-${String(12 - index).padStart(2, '0')}`),
    ...Array.from({ length: 8 }, (_, index) => `2024-${String(12 - index).padStart(2, '0')}`),
  ]);
  expect(periods.map(({ meters }) => meters[0]?.used)).toEqual([0, 7, ...Array.from({ length: 22 }, () => 0)]);
  expect(periods[0]?.meters.map(({ meter }) => meter)).toEqual(['analyses', 'upload_bytes']);
  for (const months of [0, 25]) {
    await expect(history(months)).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'months' }] });
  }
});
