import { UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type { ReceiveUploadRequest } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { UPLOAD_BYTES_MAX, uploadTypes } from '@invoicecontrol/values/upload-type';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import type {
  FieldProvenance,
  UploadAnalysis,
  UploadFailure,
} from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { pathId, shownId, shownInstant, showInstant, stated, uuid, wordOf } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { fileRoute, route } from '../../http/description/route.js';
import type { FileRight } from '../../http/description/route.js';
import { ksefNumberOf } from '../ksef/ksef-number.js';
import type { SentFile } from '../../http/body/sent-file.js';

/** Maximum time in milliseconds for which a client may take to upload a file. */
const RECEIVE_TIMEOUT_MS = 305_000;

const reservation = z
  .strictObject({
    mediaType: wordOf(uploadTypes, `Must be one of ${uploadTypes.join(', ')}.`).describe(
      'The media type of the file. The first bytes of the file must confirm this type.',
    ),
    byteSize: z
      .int()
      .min(1)
      .max(UPLOAD_BYTES_MAX)
      .describe('The exact size of the file in bytes. The maximum for XML and signed XML is 10485760 bytes.'),
  })
  .meta({ id: 'UploadReservation' })
  .register(examples, { example: { mediaType: 'application/pdf', byteSize: 48_213 } });

const reserved = z
  .object({
    upload_id: shownId().describe('The id of the upload, which later is also the id of the document.'),
    upload_url: z
      .string()
      .describe(
        'The URL to which the bytes of the file are sent. The token in the URL authorizes one PUT without an API key.',
      ),
    upload_method: z.literal('PUT').describe('The HTTP method with which the bytes are sent to `upload_url`.'),
    expires_at: shownInstant().describe('The time until which sending the bytes of the upload may begin.'),
  })
  .meta({ id: 'ReservedUpload' })
  .register(examples, {
    example: {
      upload_id: EXAMPLE_IDS.upload,
      upload_url: `/v1/uploads/${EXAMPLE_IDS.upload}/content?token=pG0fJx7kq3Yd1ZrVb8Wm5TnLh2CsAeXo9UiKtRyQw4E`,
      upload_method: 'PUT',
      expires_at: EXAMPLE_INSTANT,
    },
  });

const readField = z.object({
  value: z.string().describe('The value of the field as read from the document and normalized to the invoice format.'),
  raw: z.string().nullable().describe('The value of the field as printed in the document, or null if not printed.'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe('The confidence that the value of the invoice field was read correctly, from 0 to 1.'),
});

const status = z
  .object({
    upload_id: shownId().describe('The id of the upload.'),
    status: z
      .enum(['RESERVED', 'UPLOADED', 'QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'])
      .describe(
        'The status of the upload: RESERVED (the bytes have not been received yet), UPLOADED (the analysis has not been requested yet), QUEUED, PROCESSING, COMPLETED or FAILED (no invoice could be read).',
      ),
    media_type: z
      .string()
      .describe('The media type of the file: as reserved, and as detected from the bytes once they are stored.'),
    byte_size: z.int().describe('The size of the uploaded file in bytes.'),
    sha256: z
      .string()
      .nullable()
      .describe('The SHA-256 hash of the stored bytes in hexadecimal, or null if no bytes are stored.'),
    expires_at: shownInstant().describe('The time until which sending the bytes of the upload may begin.'),
    created_at: shownInstant().describe('The time when the upload was reserved.'),
    invoice_id: shownId()
      .nullable()
      .describe('The id of the invoice that is read from the document. Null until the analysis is queued.'),
    decision: z
      .enum(['PASS', 'REVIEW', 'BLOCK'])
      .nullable()
      .describe(
        'The decision on the invoice: PASS (pay), REVIEW (someone must review the invoice before it is paid) or BLOCK (do not pay). Null until the upload is COMPLETED.',
      ),
    risk_score: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'The risk score of the invoice, from 0 (no risk) to 100 (highest risk). Null until the upload is COMPLETED.',
      ),
    ksefNumber: z
      .string()
      .optional()
      .describe(
        'The number under which KSeF registered the document. Present only if the document was received from KSeF.',
      ),
    failure: z
      .object({
        code: z
          .literal('PROCESSING_FAILED')
          .describe('The error code with which the analysis of the document is refused.'),
        message: z.string().describe('The message that explains what the supplier must change in the document.'),
        reason: z
          .string()
          .describe(
            'The code of the reason why no invoice could be read. Clients should branch on this code; more codes may be added.',
          ),
      })
      .nullable()
      .describe('The reason why no invoice could be read, or null if the status of the upload is not FAILED.'),
    missing_fields: z
      .array(z.string())
      .optional()
      .describe(
        'The paths of the required fields that the document does not state. Present only if the upload failed with FIELDS_MISSING; PUT /v1/uploads/{uploadId}/corrections completes the document.',
      ),
    fields: z
      .record(z.string(), readField)
      .optional()
      .describe(
        'The fields that were read from the document, by their paths. Present only if the upload failed with FIELDS_MISSING.',
      ),
  })
  .meta({ id: 'UploadStatus' })
  .register(examples, {
    example: {
      upload_id: EXAMPLE_IDS.upload,
      status: 'UPLOADED',
      media_type: 'application/pdf',
      byte_size: 48_213,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      expires_at: EXAMPLE_INSTANT,
      created_at: EXAMPLE_INSTANT,
      invoice_id: null,
      decision: null,
      risk_score: null,
      failure: null,
    },
  });

const uploadParams = z.object({ uploadId: pathId('upload') });

/** An upload in a list. Its fields have the same meaning as in {@link status}. */
const listedUpload = z
  .object({
    ...status.pick({ upload_id: true }).shape,
    status: z
      .enum(['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'])
      .describe(
        'The status of the upload: QUEUED, PROCESSING, COMPLETED (the invoice has a decision) or FAILED (no invoice could be read).',
      ),
    company_id: shownId().describe(
      'The id of the company that the request for the analysis named, or of the default company.',
    ),
    created_at: shownInstant().describe('The time when the analysis of the upload was requested.'),
    invoice_id: shownId().describe('The id of the invoice that is read from the document.'),
    ...status.pick({ decision: true, risk_score: true, ksefNumber: true, failure: true, missing_fields: true }).shape,
  })
  .meta({ id: 'ListedUpload' })
  .register(examples, {
    example: {
      upload_id: EXAMPLE_IDS.upload,
      status: 'FAILED',
      company_id: EXAMPLE_IDS.company,
      created_at: EXAMPLE_INSTANT,
      invoice_id: EXAMPLE_IDS.invoice,
      decision: null,
      risk_score: null,
      failure: {
        code: 'PROCESSING_FAILED',
        message: 'The PDF is protected by a password. Send the PDF without a password.',
        reason: 'ENCRYPTED',
      },
    },
  });

export const listUploads = route({
  operation: 'listUploads',
  method: 'get',
  path: '/uploads',
  summary: 'List analyzed uploads, newest first',
  description:
    'Returns the uploads whose analysis was requested, also documents that were received from KSeF. GET /v1/uploads/{uploadId}/status returns the fields that were read from a document that lacks required fields.',
  rpc: 'invoicecontrol.analysis.v1.UploadAnalysisService/ListUploadAnalyses',
  access: { scope: 'invoices:read' },
  query: pageQuery.extend({
    status: listedUpload.shape.status.optional().describe('Return only uploads with this status.'),
    company_id: uuid()
      .optional()
      .describe(
        'Return only uploads whose analysis was requested for the company with this id, or without a company while it was the default company.',
      ),
  }),
  responses: { 200: { description: 'A page of uploads.', schema: pageOf('uploads', listedUpload) } },
  async handle({ query }, { uploadAnalyses }) {
    const list = listRequest('listUploads', query);
    const reply = await uploadAnalyses.listUploadAnalyses({
      ...list.request,
      status: query.status === undefined ? UploadAnalysisStatus.UNSPECIFIED : UploadAnalysisStatus[query.status],
      companyId: query.company_id,
    });
    return { status: 200, body: list.page(reply.uploads.map(presentListed), reply.nextPageToken) };
  },
});

function presentListed(upload: UploadAnalysis): z.infer<typeof listedUpload> {
  const { failure, decision } = upload;
  return {
    upload_id: upload.uploadId,
    status: listedUpload.shape.status.parse(enumName(UploadAnalysisStatus, upload.status)),
    company_id: upload.companyId,
    created_at: showInstant(upload.createdTime),
    invoice_id: upload.invoiceId,
    decision: decision === Decision.UNSPECIFIED ? null : enumName(Decision, decision),
    risk_score: upload.riskScore ?? null,
    ksefNumber: ksefNumberOf(upload.origin),
    failure: failureOf(failure),
    ...(failure?.reason === 'FIELDS_MISSING' ? { missing_fields: failure.missingFields } : {}),
  };
}

function failureOf(failure: UploadFailure | undefined): z.infer<typeof status>['failure'] {
  return failure === undefined ? null : { code: 'PROCESSING_FAILED', message: failure.message, reason: failure.reason };
}

export const reserveUpload = route({
  operation: 'reserveUpload',
  method: 'post',
  path: '/uploads',
  summary: 'Reserve an upload',
  description:
    'Reserves an upload and returns the URL to which the bytes are sent with PUT before `expires_at`. A reservation that is not used expires, so the request can be repeated.',
  rpc: 'invoicecontrol.documents.v1.UploadService/ReserveUpload',
  access: { scope: 'uploads:write' },
  body: reservation,
  responses: {
    201: {
      description: 'The reserved upload, whose bytes have not been received yet.',
      schema: reserved,
      headers: ['Location'],
    },
  },
  async handle({ body }, { uploads }) {
    const { upload, token } = await uploads.reserveUpload({
      ...body,
    });
    const { uploadId, expiresTime } = stated(upload);
    return {
      status: 201,
      body: {
        upload_id: uploadId,
        upload_url: `/v1/uploads/${uploadId}/content?token=${token}`,
        upload_method: 'PUT',
        expires_at: showInstant(expiresTime),
      },
      headers: { Location: `/v1/uploads/${uploadId}/status` },
    };
  },
});

export const receiveUpload = fileRoute({
  operation: 'receiveUpload',
  method: 'put',
  path: '/uploads/:uploadId/content',
  summary: 'Send the bytes of an upload',
  description:
    'Stores the bytes of an upload, which must match the reserved size and type exactly. A refusal does not change the reservation, so the PUT can be repeated until `expires_at`. After a 204, every further PUT is refused with 409.',
  rpc: 'invoicecontrol.documents.v1.UploadService/ReceiveUpload',
  alsoAsks: ['invoicecontrol.documents.v1.UploadService/AuthorizeUpload'],
  access: { scope: 'uploads:write' },
  timeoutMs: RECEIVE_TIMEOUT_MS,
  params: uploadParams,
  mediaTypes: uploadTypes,
  responses: { 204: { description: 'The bytes of the upload have been stored.' } },
  refusals: [409],
  async authorize({ params, token }, { uploads }): Promise<string> {
    const { organizationId } = await uploads.authorizeUpload({ uploadId: params.uploadId, token });
    return organizationId;
  },
  async receive({ params, right, file }, { uploads }) {
    await uploads.receiveUpload(messagesOf(params.uploadId, right, file));
    return { status: 204 };
  },
});

export const getUploadStatus = route({
  operation: 'getUploadStatus',
  method: 'get',
  path: '/uploads/:uploadId/status',
  summary: 'Read the status of an upload',
  rpc: 'invoicecontrol.documents.v1.UploadService/GetUpload',
  alsoAsks: ['invoicecontrol.analysis.v1.UploadAnalysisService/GetUploadAnalysis'],
  access: { scope: 'invoices:read' },
  params: uploadParams,
  responses: { 200: { description: 'The status of the upload.', schema: status } },
  async handle({ params }, { uploads, uploadAnalyses }) {
    const { uploadId } = params;
    const upload = stated((await uploads.getUpload({ uploadId })).upload);
    const analysis = await uploadAnalyses.getUploadAnalysis({ uploadId });
    const { failure } = analysis;
    const shown: z.infer<typeof status> = {
      upload_id: upload.uploadId,
      status: statusOf(upload.state, analysis.status),
      media_type: upload.mediaType,
      byte_size: upload.byteSize,
      sha256: upload.sha256 ?? null,
      expires_at: showInstant(upload.expiresTime),
      created_at: showInstant(upload.createdTime),
      invoice_id: analysis.invoiceId ?? null,
      decision: analysis.decision === Decision.UNSPECIFIED ? null : enumName(Decision, analysis.decision),
      risk_score: analysis.riskScore ?? null,
      ksefNumber: ksefNumberOf(upload.origin),
      failure: failureOf(failure),
      ...(failure?.reason === 'FIELDS_MISSING'
        ? {
            missing_fields: failure.missingFields,
            fields: Object.fromEntries(failure.fields.map((one) => [one.field, presentReadField(one)])),
          }
        : {}),
    };
    return { status: 200, body: shown };
  },
});

function presentReadField({ value, raw, confidence }: FieldProvenance): z.infer<typeof readField> {
  return { value, raw: raw ?? null, confidence };
}

function statusOf(state: UploadState, analysis: UploadAnalysisStatus): z.infer<typeof status>['status'] {
  if (analysis !== UploadAnalysisStatus.UNSPECIFIED) return enumName(UploadAnalysisStatus, analysis);
  return state === UploadState.UPLOADED ? 'UPLOADED' : 'RESERVED';
}

async function* messagesOf(
  uploadId: string,
  right: FileRight,
  { mediaType, declaredBytes, hasContentEncoding, content }: SentFile,
): AsyncIterable<ReceiveUploadRequest> {
  const rightFields =
    'token' in right
      ? { organizationId: undefined, token: right.token }
      : { organizationId: right.organizationId, token: undefined };
  const start = { uploadId, ...rightFields, mediaType, declaredSize: declaredBytes, hasContentEncoding };
  yield { part: { $case: 'start', value: start } };
  for await (const chunk of content) yield { part: { $case: 'content', value: Buffer.from(chunk) } };
}
