import { RunMode, RunStatus, RunTrigger } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run, RunError, StreamCounts } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, exampleOf } from '../../http/description/examples.js';

/** Runs beside a connection. */
export const RUNS_SHOWN_MAX = 10;
const ERRORS_MAX = 20;

export const runMode = z.enum(['INCREMENTAL', 'FULL']);

const streamCounts = shown.record<StreamCounts>('ErpStreamCounts')({
  fetched: shown.count('fetched', 2, 'Rows that the ERP gave.'),
  created: shown.count('created', 1, 'New here.'),
  updated: shown.count('updated', 1, 'Changed here.'),
  unchanged: shown.count('unchanged', 0, 'Nothing to change, or not complete yet.'),
  deleted: shown.count('deleted', 0, 'No longer in the ERP.'),
  failed: shown.count('failed', 0, 'Rows that could not be read; they are skipped.'),
  cursorFrom: shown.textOrNull(
    'cursorFrom',
    '2026-03-14T08:25:00.000Z',
    'Changes since then were read. Null: everything.',
  ),
  cursorTo: shown.textOrNull(
    'cursorTo',
    '2026-03-14T09:30:00.000Z',
    'Where the next run begins. Null: this stream was not read to its end.',
  ),
});

/** What stops a connection, and what the next run may pass. */
export const FAULT_CODES =
  'AUTH_FAILED, REAUTH_REQUIRED, PERMISSION_DENIED, TENANT_NOT_FOUND, DATABASE_REQUIRED: a person has to act, and the connection turns to ERROR. ' +
  'RATE_LIMITED, TIMEOUT, UPSTREAM_ERROR, RUN_ABANDONED: the next run continues. ' +
  'BAD_RESPONSE, BANK_FIELD_MISSING, RECORD_INVALID: a part of the data is missing until the ERP answers otherwise.';

const runError = shown.record<RunError>('ErpRunError')({
  stream: shown.textOrNull('stream', null, 'The stream that it happened in.'),
  code: shown.text('code', 'TIMEOUT', FAULT_CODES),
  message: shown.text('message', 'The ERP did not answer in time.', 'What happened, and what to change.'),
  externalId: shown.textOrNull('externalId', null, 'The row, where there is one.'),
  retryable: shown.flag('retryable', true, 'Whether the next run may succeed without a change.'),
});

export const run = shown.record<Run>('ErpRun')({
  id: shown.id('runId', EXAMPLE_IDS.run, 'The id of the run.'),
  trigger: shown.name(
    z.enum(['INITIAL', 'SCHEDULED', 'MANUAL', 'RETRY']).describe('Why it started.'),
    RunTrigger,
    'trigger',
    'SCHEDULED',
  ),
  mode: shown.name(
    runMode.describe('FULL reads everything, INCREMENTAL what has changed.'),
    RunMode,
    'mode',
    'INCREMENTAL',
  ),
  status: shown.name(
    z
      .enum(['RUNNING', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELED'])
      .describe('PARTIAL: some of it was read; the next run continues.'),
    RunStatus,
    'status',
    'SUCCEEDED',
  ),
  startedAt: shown.instant('startedTime', EXAMPLE_INSTANT, 'When it started.'),
  finishedAt: shown.instantOrNull('finishedTime', EXAMPLE_INSTANT, 'When it ended. Null while it is RUNNING.'),
  streams: shown.made(
    z
      .record(z.string(), streamCounts.schema)
      .describe('vendors, bankAccounts, bills, creditNotes, payments, orders; one that was not reached is absent.'),
    ({ streams }: Run) =>
      Object.fromEntries(Object.entries(streams).map(([name, counts]) => [name, streamCounts.present(counts)])),
    { vendors: exampleOf(streamCounts.schema) },
  ),
  errors: shown.list(runError, 'errors', 'The first 20 faults.', { itemsMax: ERRORS_MAX, example: [] }),
  httpCalls: shown.count('httpCalls', 6, 'Calls to the ERP.'),
  throttledMs: shown.count('throttledMs', 0, 'How long it waited because the ERP asked for it.'),
});
