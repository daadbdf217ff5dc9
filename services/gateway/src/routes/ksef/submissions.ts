import { DomainError } from '@invoicecontrol/errors';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { PAGE_SIZE_MAX } from '@invoicecontrol/runtime/page';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { answerTo } from '../../http/response/envelope.js';
import { EXAMPLE_IDS, examples, exampleOf } from '../../http/description/examples.js';
import { pathId, stated, uuid } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import { once } from '../../http/response/reply.js';
import { attempt, confirmationFileName, submission, submissionStatus } from './submission-record.js';

const INVOICES_MAX = 100;
/** Number of KSeF submissions that one bulk request creates at the same time. */
const BULK_CONCURRENCY = 8;
/**
 * Timeout in milliseconds for submitting an invoice to KSeF. The decision, the facts and the document are read from two
 * services before the submission is stored.
 */
const CREATE_TIMEOUT_MS = 15_000;
const ATTEMPTS_MAX = 100;

const connectionParams = z.object({ connectionId: pathId('connection', 'KSeF connection') });
const submissionParams = z.object({
  connectionId: pathId('connection', 'KSeF connection'),
  submissionId: pathId('submission', 'KSeF submission'),
});

const newSubmission = z
  .strictObject({
    invoice_id: uuid().describe(
      'The id of the invoice to submit: a completed FA(3) invoice whose current decision is PASS.',
    ),
  })
  .meta({ id: 'KsefSubmissionCreation' })
  .register(examples, { example: { invoice_id: EXAMPLE_IDS.invoice } });

export const createKsefSubmission = route({
  operation: 'createKsefSubmission',
  method: 'post',
  path: '/ksef-connections/:connectionId/submissions',
  summary: 'Submit an invoice to KSeF',
  description:
    'Submits an invoice to KSeF, at most once with each KSeF connection. A repeated request returns the stored submission, and queues it again if it was REJECTED or FAILED. The connection must be CONNECTED; the invoice must belong to the company of the connection, have an FA(3) document that KSeF accepts, not be dated in the future, and have the current decision PASS. Otherwise the request is refused with 409 and a message that names the missing condition, and nothing is stored.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/CreateSubmission',
  timeoutMs: CREATE_TIMEOUT_MS,
  resourceName: 'KSeF connection or invoice',
  access: { minimumRole: 'ADMIN', scope: 'ksef:submit', refusesTestKeys: true },
  params: connectionParams,
  body: newSubmission,
  takesEffectOnce: true,
  responses: {
    200: { description: 'The existing KSeF submission of the invoice.', schema: submission.schema },
    202: {
      description: 'The KSeF submission that this request queued.',
      schema: submission.schema,
      headers: ['Location'],
    },
  },
  refusals: [409],
  async handle({ params, body }, { ksefSubmissions }) {
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
      .describe('The ids of the invoices to submit: completed FA(3) invoices whose current decision is PASS.'),
  })
  .meta({ id: 'KsefSubmissionsCreation' })
  .register(examples, { example: { invoice_ids: [EXAMPLE_IDS.invoice] } });

const bulkItem = z
  .object({
    invoiceId: shownInvoiceId(),
    status: z
      .int()
      .describe(
        'The HTTP status that a separate POST .../submissions for this invoice would return: 202, 200, 404, 409 or 503.',
      ),
    submission: submission.schema
      .nullable()
      .describe('The submission of the invoice, or null if the request for the invoice was refused.'),
    error: z
      .object({
        code: z
          .string()
          .describe(
            'The error code that explains why the invoice was not submitted. The codes are the same as in error responses.',
          ),
        message: z.string().describe('The message that explains why the invoice was refused and what must be changed.'),
      })
      .nullable()
      .describe('The reason why the invoice was refused, or null if there is a submission.'),
  })
  .meta({ id: 'KsefBulkItem' });

const bulkResult = z
  .object({
    items: z
      .array(bulkItem)
      .max(INVOICES_MAX)
      .describe('The result of submitting each invoice to KSeF, in the order of the request.'),
  })
  .meta({ id: 'KsefBulkResult' })
  .register(examples, {
    example: {
      items: [{ invoiceId: EXAMPLE_IDS.invoice, status: 202, submission: exampleOf(submission.schema), error: null }],
    },
  });

function shownInvoiceId() {
  return z.string().meta({ format: 'uuid' }).describe('The id of the invoice to which the result applies.');
}

export const createKsefSubmissions = route({
  operation: 'createKsefSubmissions',
  method: 'post',
  path: '/ksef-connections/:connectionId/submissions/bulk',
  summary: 'Submit up to 100 invoices to KSeF',
  description:
    'Submits several invoices and returns a result for each invoice. A refused invoice does not delay the other invoices.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/CreateSubmission',
  alsoAsks: ['invoicecontrol.ksef.v1.ConnectionService/GetConnection'],
  timeoutMs: CREATE_TIMEOUT_MS,
  access: { minimumRole: 'ADMIN', scope: 'ksef:submit', refusesTestKeys: true },
  params: connectionParams,
  body: bulkRequest,
  takesEffectOnce: true,
  responses: { 200: { description: 'The result of submitting each invoice to KSeF.', schema: bulkResult } },
  async handle({ params, body }, { ksefConnections, ksefSubmissions }) {
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
    items: z
      .array(submission.schema)
      .max(PAGE_SIZE_MAX)
      .describe('The submissions of the KSeF connection, newest first.'),
    nextCursor: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The value to send as `cursor` to get the next page of submissions, or null on the last page. Present only if `limit` or `cursor` was sent.',
      ),
  })
  .meta({ id: 'KsefSubmissionList' })
  .register(examples, { example: { items: [exampleOf(submission.schema)] } });

export const listKsefSubmissions = route({
  operation: 'listKsefSubmissions',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions',
  summary: 'List the submissions of a KSeF connection, newest first',
  description:
    'Returns the 100 newest submissions of a KSeF connection. With `limit` or `cursor`, the list is returned in pages that include all submissions.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/ListSubmissions',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  params: connectionParams,
  query: pageQuery.extend({
    limit: pageQuery.shape.limit.meta({ default: PAGE_SIZE_MAX }),
    status: submissionStatus.optional().describe('Return only KSeF submissions with this status.'),
    invoice_id: uuid().optional().describe('Return only the KSeF submission of the invoice with this id.'),
  }),
  responses: { 200: { description: 'The submissions of the KSeF connection.', schema: submissionList } },
  async handle({ params, query }, { ksefSubmissions }) {
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

export const listAllKsefSubmissions = route({
  operation: 'listAllKsefSubmissions',
  method: 'get',
  path: '/ksef-submissions',
  summary: 'List the KSeF submissions of all KSeF connections, newest first',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/ListAllSubmissions',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  query: pageQuery.extend({
    company_id: uuid().optional().describe('Return only KSeF submissions of the company with this id.'),
    invoice_id: uuid().optional().describe('Return only KSeF submissions of the invoice with this id.'),
    status: submissionStatus.optional().describe('Return only KSeF submissions with this status.'),
  }),
  responses: {
    200: { description: 'A page of KSeF submissions.', schema: pageOf('KSeF submissions', submission.schema) },
  },
  async handle({ query }, { ksefSubmissions }) {
    const list = listRequest('listAllKsefSubmissions', query);
    const reply = await ksefSubmissions.listAllSubmissions({
      ...list.request,
      companyId: query.company_id,
      invoiceId: query.invoice_id,
      status: query.status === undefined ? SubmissionStatus.UNSPECIFIED : SubmissionStatus[query.status],
    });
    return { status: 200, body: list.page(reply.submissions.map(submission.present), reply.nextPageToken) };
  },
});

export const getKsefSubmission = route({
  operation: 'getKsefSubmission',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions/:submissionId',
  summary: 'Read a KSeF submission',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/GetSubmission',
  resourceName: 'submission',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  params: submissionParams,
  responses: { 200: { description: 'The KSeF submission that was requested.', schema: submission.schema } },
  async handle({ params }, { ksefSubmissions }) {
    const reply = await ksefSubmissions.getSubmission(params);
    return { status: 200, body: submission.present(stated(reply.submission)) };
  },
});

const attemptList = z
  .object({
    items: z.array(attempt.schema).max(ATTEMPTS_MAX).describe('The attempts of the KSeF submission, oldest first.'),
  })
  .meta({ id: 'KsefSubmissionAttempts' })
  .register(examples, { example: { items: [exampleOf(attempt.schema)] } });

export const listKsefSubmissionAttempts = route({
  operation: 'listKsefSubmissionAttempts',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions/:submissionId/attempts',
  summary: 'List the attempts of a KSeF submission',
  description: 'Returns the KSeF sessions of the submission, with the time and response code of each step.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/ListAttempts',
  resourceName: 'submission',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  params: submissionParams,
  responses: { 200: { description: 'The attempts of the KSeF submission.', schema: attemptList } },
  async handle({ params }, { ksefSubmissions }) {
    const reply = await ksefSubmissions.listAttempts(params);
    return { status: 200, body: { items: reply.attempts.map(attempt.present) } };
  },
});

export const cancelKsefSubmission = route({
  operation: 'cancelKsefSubmission',
  method: 'post',
  path: '/ksef-connections/:connectionId/submissions/:submissionId/cancel',
  summary: 'Cancel a queued KSeF submission',
  description:
    'Cancels a KSeF submission that is still QUEUED. The submission becomes FAILED, and the invoice can be submitted again. The request is refused with 409 once the document has been sent to KSeF.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/CancelSubmission',
  resourceName: 'submission',
  access: { minimumRole: 'ADMIN', scope: 'ksef:submit', refusesTestKeys: true },
  params: submissionParams,
  takesEffectOnce: true,
  responses: {
    200: {
      description: 'The KSeF submission, which was canceled by this or an earlier request.',
      schema: submission.schema,
    },
  },
  refusals: [409],
  async handle({ params }, { ksefSubmissions }) {
    const reply = await ksefSubmissions.cancelSubmission(params);
    return { status: 200, body: submission.present(stated(reply.submission)) };
  },
});

export const getKsefConfirmation = route({
  operation: 'getKsefConfirmation',
  method: 'get',
  path: '/ksef-connections/:connectionId/submissions/:submissionId/upo',
  summary: 'Download the KSeF confirmation of receipt (UPO)',
  description:
    'Returns the confirmation of receipt byte for byte as KSeF issued it. The response is 404 until the confirmation is stored, which happens some time after the submission is ACCEPTED.',
  rpc: 'invoicecontrol.ksef.v1.SubmissionService/GetConfirmation',
  resourceName: 'confirmation',
  access: { minimumRole: 'ADMIN', scope: 'ksef:read', refusesTestKeys: true },
  params: submissionParams,
  responses: {
    200: {
      description: 'The confirmation of receipt (UPO) that KSeF issued.',
      mediaTypes: ['application/xml'],
      headers: ['Content-Disposition'],
    },
  },
  async handle({ params, isHead }, { ksefSubmissions }) {
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
