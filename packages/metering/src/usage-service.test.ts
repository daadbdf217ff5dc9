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
    analyses: async (organizationId: string, month: string) =>
      organizationId === 'one' && month === '2026-03' ? 7 : 0,
    upload_bytes: async () => 25 * 1024 ** 3,
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
    ],
  });
  expect((await usageOf('two')).meters[0]).toEqual({ meter: 'analyses', used: 0 });
});

test('counts from zero in a new month', async () => {
  now = new Date('2026-04-01T00:00:00.000Z');
  expect(await usageOf('one')).toMatchObject({ period: '2026-04', meters: [{ used: 0 }, {}] });
});
