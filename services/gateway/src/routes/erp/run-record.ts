import { enumName } from '@invoicecontrol/contracts/enum-name';
import { RunMode, RunStatus, RunTrigger } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import type { Run } from '@invoicecontrol/contracts/erp_sync/v1/run_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant } from '../../http/description/fields.js';

/** Runs beside a connection. */
export const RUNS_SHOWN_MAX = 10;
const ERRORS_MAX = 20;

export const runMode = z.enum(['INCREMENTAL', 'FULL']);

/** An instant in an answer that may not have come yet. */
export function nullableInstant() {
  return shownInstant().nullable();
}

export function showNullable(instant: Date | undefined): string | null {
  return instant === undefined ? null : showInstant(instant);
}

const count = (what: string) => z.int().min(0).describe(what);

const streamCounts = z
  .object({
    fetched: count('Rows that the ERP gave.'),
    created: count('New here.'),
    updated: count('Changed here.'),
    unchanged: count('Nothing to change, or not complete yet.'),
    deleted: count('No longer in the ERP.'),
    failed: count('Rows that could not be read; they are skipped.'),
    cursorFrom: z.string().nullable().describe('Changes since then were read. Null: everything.'),
    cursorTo: z.string().nullable().describe('Where the next run begins. Null: this stream was not read to its end.'),
  })
  .meta({ id: 'ErpStreamCounts' });

/** What stops a connection, and what the next run may pass. */
export const FAULT_CODES =
  'AUTH_FAILED, REAUTH_REQUIRED, PERMISSION_DENIED, TENANT_NOT_FOUND, DATABASE_REQUIRED: a person has to act, and the connection turns to ERROR. ' +
  'RATE_LIMITED, TIMEOUT, UPSTREAM_ERROR, RUN_ABANDONED: the next run continues. ' +
  'BAD_RESPONSE, BANK_FIELD_MISSING, RECORD_INVALID: a part of the data is missing until the ERP answers otherwise.';

const runError = z
  .object({
    stream: z.string().nullable().describe('The stream that it happened in.'),
    code: z.string().describe(FAULT_CODES),
    message: z.string().describe('What happened, and what to change.'),
    externalId: z.string().nullable().describe('The row, where there is one.'),
    retryable: z.boolean().describe('Whether the next run may succeed without a change.'),
  })
  .meta({ id: 'ErpRunError' });

export const exampleRun = {
  id: EXAMPLE_IDS.run,
  trigger: 'SCHEDULED' as const,
  mode: 'INCREMENTAL' as const,
  status: 'SUCCEEDED' as const,
  startedAt: EXAMPLE_INSTANT,
  finishedAt: EXAMPLE_INSTANT,
  streams: {
    vendors: {
      fetched: 2,
      created: 1,
      updated: 1,
      unchanged: 0,
      deleted: 0,
      failed: 0,
      cursorFrom: '2026-03-14T08:25:00.000Z',
      cursorTo: '2026-03-14T09:30:00.000Z',
    },
  },
  errors: [],
  httpCalls: 6,
  throttledMs: 0,
};

export const run = z
  .object({
    id: shownId().describe('The id of the run.'),
    trigger: z.enum(['INITIAL', 'SCHEDULED', 'MANUAL', 'RETRY']).describe('Why it started.'),
    mode: runMode.describe('FULL reads everything, INCREMENTAL what has changed.'),
    status: z
      .enum(['RUNNING', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELED'])
      .describe('PARTIAL: some of it was read; the next run continues.'),
    startedAt: shownInstant().describe('When it started.'),
    finishedAt: nullableInstant().describe('When it ended. Null while it is RUNNING.'),
    streams: z
      .record(z.string(), streamCounts)
      .describe('vendors, bankAccounts, bills, creditNotes, payments, orders; one that was not reached is absent.'),
    errors: z.array(runError).max(ERRORS_MAX).describe('The first 20 faults.'),
    httpCalls: count('Calls to the ERP.'),
    throttledMs: count('How long it waited because the ERP asked for it.'),
  })
  .meta({ id: 'ErpRun' })
  .register(examples, { example: exampleRun });

export function presentRun(message: Run): z.infer<typeof run> {
  return {
    id: message.runId,
    trigger: enumName(RunTrigger, message.trigger),
    mode: enumName(RunMode, message.mode),
    status: enumName(RunStatus, message.status),
    startedAt: showInstant(message.startedTime),
    finishedAt: showNullable(message.finishedTime),
    streams: Object.fromEntries(
      Object.entries(message.streams).map(([name, { cursorFrom, cursorTo, ...counts }]) => [
        name,
        { ...counts, cursorFrom: cursorFrom ?? null, cursorTo: cursorTo ?? null },
      ]),
    ),
    errors: message.errors.map(({ stream, code, message: text, externalId, retryable }) => ({
      stream: stream ?? null,
      code,
      message: text,
      externalId: externalId ?? null,
      retryable,
    })),
    httpCalls: message.httpCalls,
    throttledMs: message.throttledMs,
  };
}
