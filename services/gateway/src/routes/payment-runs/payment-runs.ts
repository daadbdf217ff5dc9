import { z } from 'zod';
import { examples, EXAMPLE_IDS } from '../../http/description/examples.js';
import { note, pathId, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import { once } from '../../http/response/reply.js';
import { HttpRefusal } from '../../http/response/refusal.js';
import { checkPaymentList, PAYMENT_FILE_BYTES_MAX, PAYMENT_LIST_LIMITS, paymentListRequest } from './payment-list.js';
import { paymentLine, paymentRun } from './payment-run-record.js';

const runParams = z.object({ runId: pathId('run', 'payment run') });
/** Timeout for checking a payment run, in which up to 10,000 payment lines are checked and the run is stored. */
const CHECK_TIMEOUT_MS = 60_000;
const SERVICE = 'invoicecontrol.analysis.v1.PaymentRunService';
const write = { minimumRole: 'ANALYST', scope: 'payments:write', refusesTestKeys: true } as const;

export const createPaymentRun = route({
  operation: 'createPaymentRun',
  method: 'post',
  path: '/payment-runs',
  summary: 'Check a payment run',
  description:
    'Matches each payment with the invoices that it pays, and states for each line whether it may be paid. Send the file for the bank (pain.001.001.03, .08 or .09) as `application/xml`, or a list of payments as JSON. The response follows after at most a minute for 10,000 lines. A file that is sent again is the same payment run, and the response is 200 with the stored payment run. Nothing is paid and nothing is stored if the file is refused.',
  rpc: `${SERVICE}/CreatePaymentRun`,
  access: write,
  timeoutMs: CHECK_TIMEOUT_MS,
  query: z.strictObject({
    company_id: uuid()
      .optional()
      .describe(
        'The id of the company that pays the payment run. If absent, the company with the tax id of the debtor pays, or else the default company.',
      ),
  }),
  body: paymentListRequest,
  bodyLimits: PAYMENT_LIST_LIMITS,
  checkBody: checkPaymentList,
  xml: { bytesMax: PAYMENT_FILE_BYTES_MAX },
  honoursIdempotencyKey: true,
  responses: {
    201: { description: 'The checked payment run.', schema: paymentRun.schema, headers: ['Location'] },
    200: { description: 'The payment run that an earlier request stored.', schema: paymentRun.schema },
  },
  refusals: [409],
  async handle({ query, body, rawBody, idempotencyKey, fingerprint }, { paymentRuns }) {
    const reply = await paymentRuns.createPaymentRun({
      companyId: query.company_id,
      idempotencyKey,
      fingerprint,
      payments:
        rawBody.length > 0 || body === undefined
          ? { $case: 'pain001', value: rawBody }
          : { $case: 'list', value: body },
    });
    const run = paymentRun.present(stated(reply.run));
    return reply.replayed
      ? { status: 200, body: run, headers: { 'Idempotency-Replayed': 'true' } }
      : { status: 201, body: run, headers: { Location: `/v1/payment-runs/${run.id}` } };
  },
});

export const listPaymentRuns = route({
  operation: 'listPaymentRuns',
  method: 'get',
  path: '/payment-runs',
  summary: 'List payment runs, newest first',
  rpc: `${SERVICE}/ListPaymentRuns`,
  access: { scope: 'payments:read', refusesTestKeys: true },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Return only payment runs of the company with this id.'),
  }),
  responses: { 200: { description: 'A page of payment runs.', schema: pageOf('payment runs', paymentRun.schema) } },
  async handle({ query }, { paymentRuns }) {
    const list = listRequest('listPaymentRuns', query);
    const reply = await paymentRuns.listPaymentRuns({ ...list.request, companyId: query.company_id });
    return { status: 200, body: list.page(reply.runs.map(paymentRun.present), reply.nextPageToken) };
  },
});

export const getPaymentRun = route({
  operation: 'getPaymentRun',
  method: 'get',
  path: '/payment-runs/:runId',
  summary: 'Read a payment run',
  rpc: `${SERVICE}/GetPaymentRun`,
  access: { scope: 'payments:read', refusesTestKeys: true },
  params: runParams,
  responses: { 200: { description: 'The payment run that was requested.', schema: paymentRun.schema } },
  async handle({ params }, { paymentRuns }) {
    const reply = await paymentRuns.getPaymentRun({ runId: params.runId });
    return { status: 200, body: paymentRun.present(stated(reply.run)) };
  },
});

export const listPaymentLines = route({
  operation: 'listPaymentLines',
  method: 'get',
  path: '/payment-runs/:runId/lines',
  summary: 'List the lines of a payment run',
  description:
    'Returns the lines of a payment run in the order of the file, each with its verdict, reasons and evidence.',
  rpc: `${SERVICE}/ListPaymentLines`,
  access: { scope: 'payments:read', refusesTestKeys: true },
  params: runParams,
  query: pageQuery.omit({ created_from: true, created_to: true }).extend({
    verdict: z
      .enum(['PAY', 'HOLD', 'UNKNOWN'])
      .optional()
      .describe('Return only lines of the payment run with this verdict.'),
  }),
  responses: {
    200: {
      description: 'A page of lines of the payment run.',
      schema: pageOf('lines of the payment run', paymentLine.schema),
    },
  },
  async handle({ params, query }, { paymentRuns }) {
    const list = listRequest(`listPaymentLines:${params.runId}`, query);
    const { pageSize, pageToken } = list.request;
    const { runId } = params;
    const reply = await paymentRuns.listPaymentLines({ runId, pageSize, pageToken, verdict: query.verdict ?? '' });
    return { status: 200, body: list.page(reply.lines.map(paymentLine.present), reply.nextPageToken) };
  },
});

export const recheckPaymentRun = route({
  operation: 'recheckPaymentRun',
  method: 'post',
  path: '/payment-runs/:runId/recheck',
  summary: 'Check a payment run again',
  description:
    'Checks all lines of a payment run again with the current decisions, bank accounts and payments. The earlier results are kept. Lines that were already downloaded keep their verdict. A repeated request checks the lines once more and changes nothing else.',
  rpc: `${SERVICE}/RecheckPaymentRun`,
  access: write,
  readsWholeRun: true,
  timeoutMs: CHECK_TIMEOUT_MS,
  params: runParams,
  responses: {
    200: {
      description: 'The payment run after all its lines were checked again, with the current verdicts.',
      schema: paymentRun.schema,
    },
  },
  refusals: [409],
  async handle({ params }, { paymentRuns }) {
    const reply = await paymentRuns.recheckPaymentRun({ runId: params.runId });
    return { status: 200, body: paymentRun.present(stated(reply.run)) };
  },
});

export const downloadPaymentFile = route({
  operation: 'downloadPaymentFile',
  method: 'get',
  path: '/payment-runs/:runId/file',
  summary: 'Download the file of a payment run',
  description:
    'Returns the payment file with the transactions that have the verdict PAY or are released, byte for byte as they were sent. Each transaction is returned in only one download. The lines of the payment run are checked again first; a line with a worse result is held, and the counts are updated. A later download contains only the transactions that were released since. `repeat` returns the bytes of an earlier download again, and `verdict` reads the lines that are held or unknown. If no transaction is left, the response is 409.',
  rpc: `${SERVICE}/DownloadPaymentFile`,
  access: write,
  readsWholeRun: true,
  timeoutMs: CHECK_TIMEOUT_MS,
  params: runParams,
  query: z.strictObject({
    verdict: z
      .enum(['HOLD', 'UNKNOWN'])
      .optional()
      .describe(
        'The verdict of the payment lines to return in place of the payments that may be paid. Must not be sent together with `repeat`.',
      ),
    repeat: z
      .string()
      .regex(/^[1-9][0-9]{0,2}$/, 'Must be the number of an earlier download, from 1.')
      .meta({ type: 'integer', minimum: 1, maximum: 999 })
      .optional()
      .describe(
        'The number of an earlier download of the payment file whose bytes are returned again. The first download is 1.',
      ),
  }),
  responses: {
    200: {
      description: 'The payment file for the bank.',
      mediaTypes: ['application/xml'],
      headers: ['Content-Disposition'],
    },
  },
  refusals: [409],
  async handle({ params, query, isHead }, { paymentRuns }) {
    if (isHead) {
      // Each download of the payment file is recorded with its payment lines. A HEAD request returns no file, so
      // nothing may be recorded for it.
      throw new HttpRefusal(405, 'This path does not support HEAD. Use GET.', { Allow: 'GET' });
    }
    const { content, fileName } = await paymentRuns.downloadPaymentFile({
      runId: params.runId,
      verdict: query.verdict ?? '',
      repeat: Number(query.repeat ?? 0),
    });
    return {
      status: 200,
      content: once(content),
      headers: {
        'Content-Type': 'application/xml',
        'Content-Length': String(content.length),
        'Content-Disposition': `attachment; filename="${fileName}"`,
      },
    };
  },
});

const releaseRequest = z
  .strictObject({
    note: note().describe(
      'The reason why the payment line is released. For a line with the verdict UNKNOWN, the note states what the payment pays.',
    ),
    invoice_ids: z
      .array(uuid())
      .max(200)
      .optional()
      .describe('The ids of the invoices that the payment line pays. The payment is checked against these invoices.'),
  })
  .meta({ id: 'PaymentReleaseRequest' })
  .register(examples, {
    example: { note: 'The supplier confirmed the new account by telephone.', invoice_ids: [EXAMPLE_IDS.invoice] },
  });

export const releasePaymentLine = route({
  operation: 'releasePaymentLine',
  method: 'post',
  path: '/payment-runs/:runId/lines/:lineId/release',
  summary: 'Release a held or unknown line of a payment run',
  description:
    'Releases a held or unknown line of a payment run, so that the next download contains the line. If the four-eyes rule is on, the first request returns 202, and a request by another person confirms the release; that person must not have reviewed a finding of an invoice that the line pays. A line to an account with confirmed fraud is never released. A repeated request of the same person changes nothing.',
  rpc: `${SERVICE}/ReleasePaymentLine`,
  access: write,
  timeoutMs: CHECK_TIMEOUT_MS,
  params: runParams.extend({
    lineId: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: 'The id of the line in its payment run.', param: { example: '1.1' } }),
  }),
  resourceName: 'payment line',
  body: releaseRequest,
  responses: {
    200: { description: 'The released line of the payment run.', schema: paymentLine.schema },
    202: {
      description: 'The line of the payment run. Another person must confirm its release.',
      schema: paymentLine.schema,
    },
  },
  refusals: [409],
  async handle({ params, body }, { paymentRuns }) {
    const reply = await paymentRuns.releasePaymentLine({
      runId: params.runId,
      lineId: params.lineId,
      note: body.note,
      invoiceIds: body.invoice_ids ?? [],
    });
    return { status: reply.pending ? 202 : 200, body: paymentLine.present(stated(reply.line)) };
  },
});

export const reportPaymentStatuses = route({
  operation: 'reportPaymentStatuses',
  method: 'post',
  path: '/payment-runs/:runId/reports',
  summary: 'Send a status report of the bank',
  description:
    'Stores the status report of the bank about the payments (pain.002.001.03 or .10), sent as `application/xml`. A rejected payment counts as not made. A report that is sent again changes nothing.',
  rpc: `${SERVICE}/ReportPaymentStatuses`,
  access: write,
  readsWholeRun: true,
  params: runParams,
  xml: { bytesMax: PAYMENT_FILE_BYTES_MAX },
  responses: {
    200: {
      description: 'The payment run with the payment statuses that the bank reported.',
      schema: paymentRun.schema,
    },
  },
  refusals: [409],
  async handle({ params, rawBody }, { paymentRuns }) {
    const reply = await paymentRuns.reportPaymentStatuses({ runId: params.runId, pain002: rawBody });
    return { status: 200, body: paymentRun.present(stated(reply.run)) };
  },
});
