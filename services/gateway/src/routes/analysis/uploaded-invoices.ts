import { notFound } from '@invoicecontrol/errors';
import { uuid as uuidKind } from '@invoicecontrol/invoice/kinds';
import { z } from 'zod';
import { EXAMPLE_IDS, examples } from '../../http/description/examples.js';
import { pathId, shownId, stated, text, uuid } from '../../http/description/fields.js';
import { asyncPreference } from '../../http/response/prefer.js';
import { route } from '../../http/description/route.js';
import { acceptedAnalysis } from './accepted-analysis.js';

/**
 * Timeout in milliseconds for the analysis of an upload. The service waits 20 seconds for a document and then responds
 * that the analysis continues.
 */
const ANALYZE_TIMEOUT_MS = 25_000;
const UPLOAD_ID_LENGTH_MAX = 100;
/** Maximum number of corrected fields of an uploaded invoice. An invoice has far fewer fields. */
const CORRECTED_FIELDS_MAX = 50;
/**
 * Pattern for field paths in an invoice. The analysis service knows the existing paths and lists them if a caller sends
 * another one.
 */
const FIELD_PATH = '^[a-z]+([._][a-z]+)*$';

const analyzeRequest = z
  .strictObject({
    upload_id: z
      .string()
      .min(1)
      .max(UPLOAD_ID_LENGTH_MAX)
      .meta({ format: 'uuid' })
      .describe('The id of the upload to analyze. The bytes of the upload must already be stored.'),
    purchase_order_ref: text()
      .optional()
      .describe('The number of the purchase order. Replaces the order number that the document states.'),
    company_id: uuid()
      .optional()
      .describe(
        'The id of the company to which the invoice is addressed. If absent, the company is determined by the buyer.tax_id in the document.',
      ),
  })
  .meta({ id: 'UploadAnalysisRequest' })
  .register(examples, { example: { upload_id: EXAMPLE_IDS.upload } });

const queuedAnalysis = z
  .object({
    upload_id: shownId().describe('The id of the upload.'),
    status: z
      .literal('QUEUED')
      .describe(
        'The status of the queued analysis of the upload. Always QUEUED, because the analysis is waiting for a worker.',
      ),
    status_url: z.string().describe('The path of the upload status, which shows the progress of the analysis.'),
  })
  .meta({ id: 'QueuedAnalysis' })
  .register(examples, {
    example: {
      upload_id: EXAMPLE_IDS.upload,
      status: 'QUEUED',
      status_url: `/v1/uploads/${EXAMPLE_IDS.upload}/status`,
    },
  });

export const analyzeUpload = route({
  operation: 'analyzeUpload',
  method: 'post',
  path: '/invoices/from-upload',
  summary: 'Analyze an uploaded document',
  description:
    'Returns the decision. With `Prefer: respond-async` the response is immediate and the analysis is queued; with `Prefer: respond-async, wait=5` the response follows within five seconds. A repeated request with the same body returns the same invoice. A document that cannot be read is refused with 422 on every attempt.',
  rpc: 'invoicecontrol.analysis.v1.UploadAnalysisService/AnalyzeUpload',
  resourceName: 'upload',
  access: { scope: 'invoices:write' },
  timeoutMs: ANALYZE_TIMEOUT_MS,
  body: analyzeRequest,
  honoursIdempotencyKey: true,
  honoursPrefer: true,
  takesEffectOnce: true,
  responses: {
    200: { description: 'The analysis of the document with its decision.', schema: acceptedAnalysis.schema },
    202: {
      description: 'The queued analysis. Returned if the request prefers an asynchronous response.',
      schema: queuedAnalysis,
      headers: ['Location', 'Preference-Applied'],
    },
  },
  refusals: [404, 409, 422],
  async handle({ body, headers }, { uploadAnalyses }) {
    const uploadId = body.upload_id.toLowerCase();
    if (uuidKind.faultOf(uploadId) !== undefined) throw notFound('upload');
    const { analysis, replayed } = await uploadAnalyses.analyzeUpload({
      uploadId,
      purchaseOrderRef: body.purchase_order_ref,
      companyId: body.company_id,
      ...asyncPreference(headers.prefer),
    });
    const shared = { Vary: 'Prefer', ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
    if (analysis !== undefined) return { status: 200, body: acceptedAnalysis.present(analysis), headers: shared };
    const statusUrl = `/v1/uploads/${uploadId}/status`;
    const queued: z.infer<typeof queuedAnalysis> = { upload_id: uploadId, status: 'QUEUED', status_url: statusUrl };
    return {
      status: 202,
      body: queued,
      headers: { ...shared, 'Preference-Applied': 'respond-async', Location: statusUrl },
    };
  },
});

const corrections = z
  .strictObject({
    fields: z
      .record(z.string(), z.string())
      .refine((fields) => Object.keys(fields).length > 0, 'Must name at least one field.')
      .refine(
        (fields) => Object.keys(fields).length <= CORRECTED_FIELDS_MAX,
        `Must name at most ${CORRECTED_FIELDS_MAX} fields.`,
      )
      .describe('The corrected values by the path of each field in the invoice, such as `supplier.tax_id`.')
      .meta({ minProperties: 1, maxProperties: CORRECTED_FIELDS_MAX, propertyNames: { pattern: FIELD_PATH } }),
  })
  .meta({ id: 'UploadCorrections' })
  .register(examples, {
    example: { fields: { gross_amount: '1190.00', 'supplier.bank_account.iban': 'DE89370400440532013000' } },
  });

export const correctUpload = route({
  operation: 'correctUpload',
  method: 'put',
  path: '/uploads/:uploadId/corrections',
  summary: 'Correct the fields of an uploaded document',
  description:
    'Completes a document that failed with FIELDS_MISSING, or starts a new analysis of the invoice that was read from the document. The values read from the document are kept in `raw`. Fields that the request omits are not changed.',
  rpc: 'invoicecontrol.analysis.v1.UploadAnalysisService/CorrectUpload',
  access: { minimumRole: 'ANALYST', scope: 'invoices:write' },
  timeoutMs: ANALYZE_TIMEOUT_MS,
  params: z.object({ uploadId: pathId('upload') }),
  body: corrections,
  responses: {
    200: { description: 'The analysis of the invoice with the corrections.', schema: acceptedAnalysis.schema },
  },
  refusals: [409],
  async handle({ params, body }, { uploadAnalyses }) {
    const { analysis } = await uploadAnalyses.correctUpload({
      uploadId: params.uploadId,
      fields: body.fields,
    });
    return { status: 200, body: acceptedAnalysis.present(stated(analysis)) };
  },
});
