import { DomainError } from '@invoicecontrol/errors';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { answerTo } from '../../http/response/envelope.js';
import { EXAMPLE_IDS, examples, exampleOf } from '../../http/description/examples.js';
import { pathId, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { attempt, confirmationFileName, submission, submissionStatus } from './submission-record.js';

const INVOICES_MAX = 100;
/** Submissions that one bulk request asks for at a time. */
const BULK_CONCURRENCY = 8;
/** Decision, facts and bytes of the document are read from two services before anything is stored. */
const CREATE_TIMEOUT_MS = 15_000;
const ATTEMPTS_MAX = 100;

const connectionParams = z.object({ connectionId: pathId('connection', 'KSeF connection') });
const submissionParams = z.object({
  connectionId: pathId('connection', 'KSeF connection'),
  submissionId: pathId('submission', 'submission'),
});

const newSubmission = z
  .strictObject({ invoice_id: uuid().describe('A completed FA(3) invoice whose current decision is PASS.') })
  .meta({ id: 'NewKsefSubmission' })
  .register(examples, { example: { invoice_id: EXAMPLE_IDS.invoice } });

export const createKsefSubmission = route({
  operation: 'createKsefSubmission',
  method: 'post',
  path: '/ksef-connections/:connectionId/submissions',
  summary: 'Submit an invoice',
  description:
    'Each invoice is submitted at most once with a connection: the same again answers what is stored, and takes up again what was REJECTED or FAILED. ' +
    '409 says which condition is missing: the connection is CONNECTED, the invoice is of its company, has an FA(3) document that KSeF takes, is not dated in the future, and its current decision is PASS. Nothing is stored then.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/CreateSubmission',
  timeoutMs: CREATE_TIMEOUT_MS,
  resourceName: 'KSeF connection or invoice',
  access: { minimumRole: 'ADMIN', scope: 'ksef:submit' },
  params: connectionParams,
  body: newSubmission,
  takesEffectOnce: true,
  responses: {
    200: { description: 'The submission that was there.', schema: submission.schema },
    202: { description: 'Queued by this request.', schema: submission.schema, headers: ['Location'] },
  },
  refusals: [409],
  async handle({ params, body }, { ksefSubmissions }): Promise<Reply> {
    const { connectionId } = params;
    const reply = await ksefSubmissions.createSubmission({ connectionId, invoiceId: body.invoice_id });
    const stored = submission.present(stated(reply.submission));
    if (!reply.queued) return { status: 200, body: stored };
    const headers = { Location: `/v1/ksef-connections/${connectionId}/submissions/${stored.id}` };
    return { status: 202, body: stored, headers };
  },
});

const bulkRequest = z
  .strictObject({
    invoice_ids: z
      .array(uuid())
      .min(1)
      .max(INVOICES_MAX)
      .describe('Completed FA(3) invoices whose current decision is PASS.'),
  })
  .meta({ id: 'NewKsefSubmissions' })
  .register(examples, { example: { invoice_ids: [EXAMPLE_IDS.invoice] } });

const bulkItem = z
  .object({
    invoiceId: shownInvoiceId(),
    status: z.int().describe('As POST .../submissions would answer for this invoice: 202, 200, 404, 409, 503.'),
    submission: submission.schema.nullable().describe('The submission. Null where it was refused.'),
    error: z
      .object({ code: z.string().describe('As in an error.'), message: z.string().describe('What has to be changed.') })
      .nullable()
      .describe('Why it was refused. Null where there is a submission.'),
  })
  .meta({ id: 'KsefBulkItem' });

const bulkResult = z
  .object({
    items: z.array(bulkItem).max(INVOICES_MAX).describe('An answer for each invoice, in the order of the request.'),
  })
  .meta({ id: 'KsefBulkResult' })
  .register(examples, {
    example: {
      items: [{ invoiceId: EXAMPLE_IDS.invoice, status: 202, submission: exampleOf(submission.schema), error: null }],
    },
  });

function shownInvoiceId() {
  return z.string().meta({ format: 'uuid' }).describe('The invoice.');
}

export const createKsefSubmissions = route({
  operation: 'createKsefSubmissions',
  method: 'post',
  path: '/ksef-connections/:connectionId/submissions/bulk',
  summary: 'Submit up to 100 invoices',
  description: 'Each invoice has an answer of its own; one that is refused does not hold up the others.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/CreateSubmission',
  alsoAsks: ['invoicecontrol.ksef.v1.ConnectionService/GetConnection'],
  timeoutMs: CREATE_TIMEOUT_MS,
  resourceName: 'KSeF connection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:submit' },
  params: connectionParams,
  body: bulkRequest,
  takesEffectOnce: true,
  responses: { 200: { description: 'An answer for each invoice.', schema: bulkResult } },
  async handle({ params, body }, { ksefConnections, ksefSubmissions }): Promise<Reply> {
    const { connectionId } = params;
    await ksefConnections.getConnection({ connectionId });
    const { invoice_ids: invoiceIds } = body;
    const items: z.infer<typeof bulkItem>[] = [];
    for (let from = 0; from < invoiceIds.length; from += BULK_CONCURRENCY) {
      const some = invoiceIds.slice(from, from + BULK_CONCURRENCY);
      items.push(...(await Promise.all(some.map((invoiceId) => submitOne(ksefSubmissions, connectionId, invoiceId)))));
    }
    return { status: 200, body: { items } satisfies z.infer<typeof bulkResult> };
  },
});

async function submitOne(
  submissions: TenantClients['ksefSubmissions'],
  connectionId: string,
  invoiceId: string,
): Promise<z.infer<typeof bulkItem>> {
  try {
    const reply = await submissions.createSubmission({ connectionId, invoiceId });
    const stored = submission.present(stated(reply.submission));
    return { invoiceId, status: reply.queued ? 202 : 200, submission: stored, error: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { status, body } = answerTo(error, '');
    const { code, message } = body.error;
    return { invoiceId, status, submission: null, error: { code, message } };
  }
}

const submissionList = z
  .object({
    items: z.array(submission.schema).max(PAGE_SIZE_MAX).describe('Newest first.'),
    nextCursor: z
      .string()
      .nullable()
      .optional()
      .describe('Only where `limit` or `cursor` was sent: the `cursor` of the next page. Null on the last page.'),
  })
  .meta({ id: 'KsefSubmissionList' })
  .register(examples, { example: { items: [exampleOf(submission.schema)] } });

export const listKsefSubmissions = route({
  operation: 'listKsefSubmissions',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions',
  summary: 'List the submissions of a connection, newest first',
  description: 'The 100 newest. With `limit` or `cursor` the list comes in pages, which reach all of them.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/ListSubmissions',
  resourceName: 'KSeF connection',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read' },
  params: connectionParams,
  query: pageQuery.extend({
    limit: pageQuery.shape.limit.meta({ default: PAGE_SIZE_MAX }),
    status: submissionStatus.optional().describe('Only submissions in this status.'),
    invoice_id: uuid().optional().describe('Only the submission of this invoice.'),
  }),
  responses: { 200: { description: 'The submissions.', schema: submissionList } },
  async handle({ params, query }, { ksefSubmissions }): Promise<Reply> {
    const { connectionId } = params;
    const limit = query.limit ?? String(PAGE_SIZE_MAX);
    const list = listRequest(`listKsefSubmissions:${connectionId}`, { ...query, limit });
    const reply = await ksefSubmissions.listSubmissions({
      ...list.request,
      connectionId,
      status: query.status === undefined ? SubmissionStatus.UNSPECIFIED : SubmissionStatus[query.status],
      invoiceId: query.invoice_id,
    });
    const { items, nextCursor } = list.page(reply.submissions.map(submission.present), reply.nextPageToken);
    const isPaged = query.limit !== undefined || query.cursor !== undefined;
    return { status: 200, body: isPaged ? { items, nextCursor } : { items } };
  },
});

export const getKsefSubmission = route({
  operation: 'getKsefSubmission',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions/:submissionId',
  summary: 'Read a submission',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/GetSubmission',
  resourceName: 'submission',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read' },
  params: submissionParams,
  responses: { 200: { description: 'The submission.', schema: submission.schema } },
  async handle({ params }, { ksefSubmissions }): Promise<Reply> {
    const reply = await ksefSubmissions.getSubmission(params);
    return { status: 200, body: submission.present(stated(reply.submission)) };
  },
});

const attemptList = z
  .object({ items: z.array(attempt.schema).max(ATTEMPTS_MAX).describe('Oldest first.') })
  .meta({ id: 'KsefSubmissionAttempts' })
  .register(examples, { example: { items: [exampleOf(attempt.schema)] } });

export const listKsefSubmissionAttempts = route({
  operation: 'listKsefSubmissionAttempts',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions/:submissionId/attempts',
  summary: 'List what was tried for a submission',
  description: 'Sessions of KSeF, the steps in them, their times and the codes of the answers.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/ListAttempts',
  resourceName: 'submission',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read' },
  params: submissionParams,
  responses: { 200: { description: 'The attempts.', schema: attemptList } },
  async handle({ params }, { ksefSubmissions }): Promise<Reply> {
    const reply = await ksefSubmissions.listAttempts(params);
    return { status: 200, body: { items: reply.attempts.map(attempt.present) } };
  },
});

export const cancelKsefSubmission = route({
  operation: 'cancelKsefSubmission',
  method: 'post',
  path: '/ksef-connections/:connectionId/submissions/:submissionId/cancel',
  summary: 'Take back a submission that is still QUEUED',
  description: 'It becomes FAILED, and may be submitted again. 409 as soon as something was sent.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/CancelSubmission',
  resourceName: 'submission',
  access: { minimumRole: 'ADMIN', scope: 'ksef:submit' },
  params: submissionParams,
  takesEffectOnce: true,
  responses: { 200: { description: 'The submission, taken back now or before.', schema: submission.schema } },
  refusals: [409],
  async handle({ params }, { ksefSubmissions }): Promise<Reply> {
    const reply = await ksefSubmissions.cancelSubmission(params);
    return { status: 200, body: submission.present(stated(reply.submission)) };
  },
});

export const getKsefConfirmation = route({
  operation: 'getKsefConfirmation',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions/:submissionId/upo',
  summary: 'Read the confirmation of receipt (UPO)',
  description: 'The bytes as KSeF gave them. 404 until they are stored, which follows some time after ACCEPTED.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/GetConfirmation',
  resourceName: 'confirmation',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read' },
  params: submissionParams,
  responses: {
    200: { description: 'The confirmation.', mediaTypes: ['application/xml'], headers: ['Content-Disposition'] },
  },
  async handle({ params, isHead }, { ksefSubmissions }): Promise<Reply> {
    const { xml, ksefNumber } = await ksefSubmissions.getConfirmation(params);
    const headers = {
      'Content-Type': 'application/xml',
      'Content-Length': String(xml.byteLength),
      'Content-Disposition': `attachment; filename="${confirmationFileName(ksefNumber)}"`,
      'Cache-Control': 'private, no-store',
    };
    return isHead ? { status: 200, headers } : { status: 200, headers, content: once(xml) };
  },
});

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
