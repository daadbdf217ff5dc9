import { expect, test } from 'vitest';
import { RunStatus } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Connection } from '../../domain/connection.js';
import type { Run } from '../../domain/run.js';
import { encodeConnections } from './encode-connection.js';
import { encodeRun } from './runs.js';

const at = new Date('2026-03-01T08:00:00Z');
const connection: Connection = {
  id: 'c',
  organizationId: 'o',
  version: 1,
  companyId: 'company',
  provider: 'PROVIDER_B',
  status: 'CONNECTED',
  config: {},
  remoteCompanyId: 'remote',
  isPaused: false,
  importFrom: undefined,
  lastSyncAt: undefined,
  lastSuccessAt: undefined,
  lastError: undefined,
  nextSyncAt: undefined,
  runningRunId: 'second',
  recentRunIds: ['first', 'second'],
  streamSuccesses: {},
  credential: undefined,
  createdAt: at,
};
const run = (id: string): Run => ({
  id,
  organizationId: 'o',
  connectionId: 'c',
  trigger: 'SCHEDULED',
  mode: 'INCREMENTAL',
  status: 'FAILED',
  startedAt: at,
  finishedAt: at,
  streams: {},
  errors: [],
  httpCalls: 0,
  throttledMs: 0,
});

test('a run is shown as running until the connection shows what it means', async () => {
  const encode = encodeConnections('codes', async (_, ids) => ids.map(run).map(encodeRun));
  const shown = async (of: Connection): Promise<unknown> =>
    (await encode([of]))[0]?.recentRuns.map(({ runId, status, finishedTime }) => [runId, status, finishedTime]);
  const { runningRunId: _, ...released } = connection;
  expect(await shown(connection)).toEqual([
    ['second', RunStatus.RUNNING, undefined],
    ['first', RunStatus.FAILED, at],
  ]);
  expect(await shown({ ...released, runningRunId: undefined })).toEqual([
    ['second', RunStatus.FAILED, at],
    ['first', RunStatus.FAILED, at],
  ]);
});
