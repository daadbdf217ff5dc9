import { RunMode, RunStatus, RunTrigger } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run, RunError, StreamCounts } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, exampleOf } from '../../http/description/examples.js';

/** Maximum number of import runs that are shown with an ERP connection. */
export const RUNS_SHOWN_MAX = 10;
const ERRORS_MAX = 20;

export const runMode = z.enum(['INCREMENTAL', 'FULL']);

const streamCounts = shown.record<StreamCounts>('ErpStreamCounts')({
  fetched: shown.count(2, 'The number of rows that the ERP returned for the stream.'),
  created: shown.count(1, 'The number of rows of this stream of ERP records that were stored as new records.'),
  updated: shown.count(1, 'The number of rows of this stream of ERP records that changed a stored record.'),
  unchanged: shown.count(
    0,
    'The number of rows of this stream of ERP records that changed nothing or are not complete yet.',
  ),
  deleted: shown.count(0, 'The number of records of the stream that no longer exist in the ERP.'),
  failed: shown.count(0, 'The number of rows of this stream of ERP records that could not be read and were skipped.'),
  cursorFrom: shown.textOrNull(
    '2026-03-14T08:25:00.000Z',
    'The position in this stream of ERP records from which changes were read, or null if everything was read.',
  ),
  cursorTo: shown.textOrNull(
    '2026-03-14T09:30:00.000Z',
    'The position in this stream of ERP records at which the next run begins, or null if the stream was not read to its end.',
  ),
});

/** Error codes of import runs, grouped by their effect on the ERP connection and on the next run. */
export const FAULT_CODES =
  'AUTH_FAILED, REAUTH_REQUIRED, PERMISSION_DENIED, TENANT_NOT_FOUND and DATABASE_REQUIRED mean that someone must act, and the connection becomes ERROR. ' +
  'RATE_LIMITED, TIMEOUT, UPSTREAM_ERROR and RUN_ABANDONED mean that the next run continues. ' +
  'BAD_RESPONSE, BANK_FIELD_MISSING and RECORD_INVALID mean that a part of the data is missing until the ERP returns it correctly.';

const runError = shown.record<RunError>('ErpRunError')({
  stream: shown.textOrNull(
    null,
    'The stream of ERP records in which the error occurred, such as bills, or null if the error does not concern a single stream.',
  ),
  code: shown.text('TIMEOUT', `The code of the error of the synchronisation run. ${FAULT_CODES}`),
  message: shown.text(
    'The ERP did not respond in time.',
    'The message that explains the error of the synchronisation run and what must be changed.',
  ),
  externalId: shown.textOrNull(
    null,
    'The id in the ERP of the row that caused the error, or null if no single row did.',
  ),
  retryable: shown.flag(
    true,
    'Whether the next synchronisation run can succeed after this error although nothing was changed.',
  ),
});

export const run = shown.record<Run>('ErpRun')({
  id: shown.id(EXAMPLE_IDS.run, 'The id of the synchronisation run.', 'runId'),
  trigger: shown.name(
    z
      .enum(['INITIAL', 'SCHEDULED', 'MANUAL', 'RETRY'])
      .describe(
        'The trigger of the synchronisation run: INITIAL (the first run of the ERP connection), SCHEDULED, MANUAL (a request) or RETRY (continues an interrupted run).',
      ),
    RunTrigger,
    'SCHEDULED',
  ),
  mode: shown.name(
    runMode.describe('The mode of the synchronisation run: FULL (reads everything) or INCREMENTAL (reads changes).'),
    RunMode,
    'INCREMENTAL',
  ),
  status: shown.name(
    z
      .enum(['RUNNING', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELED'])
      .describe(
        'The status of the synchronisation run: RUNNING, SUCCEEDED, PARTIAL (some data was read and the next run continues), FAILED or CANCELED (the connection was paused or disconnected).',
      ),
    RunStatus,
    'SUCCEEDED',
  ),
  startedAt: shown.instant(EXAMPLE_INSTANT, 'The time when the synchronisation run started.', 'startedTime'),
  finishedAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the synchronisation run ended, or null if the run is RUNNING.',
    'finishedTime',
  ),
  streams: shown.made(
    z
      .record(z.string(), streamCounts.schema)
      .describe(
        'The counts of ERP records for each stream: vendors, bankAccounts, bills, creditNotes, payments and orders. A stream that the run did not reach is absent.',
      ),
    ({ streams }: Run) =>
      Object.fromEntries(Object.entries(streams).map(([name, counts]) => [name, streamCounts.present(counts)])),
    { vendors: exampleOf(streamCounts.schema) },
  ),
  errors: shown.list(runError, 'The first 20 errors of the synchronisation run.', {
    itemsMax: ERRORS_MAX,
    example: [],
  }),
  httpCalls: shown.count(6, 'The number of calls that the synchronisation run made to the ERP.'),
  throttledMs: shown.count(
    0,
    'The time in milliseconds for which the synchronisation run waited because the ERP limited the rate of requests.',
  ),
});
