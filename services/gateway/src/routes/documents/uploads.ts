import { UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type { ReceiveUploadRequest } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { UPLOAD_BYTES_MAX, uploadTypes } from '@invoicecontrol/values/upload-type';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { UploadAnalysisStatus } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import type { FieldProvenance } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { pathId, shownId, shownInstant, showInstant, stated, wordOf } from '../../http/description/fields.js';
import { fileRoute, route } from '../../http/description/route.js';
import type { FileRight } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import type { SentFile } from '../../http/body/sent-file.js';

/** As long as a client may take to send a file. */
const RECEIVE_TIMEOUT_MS = 305_000;

const reservation = z
  .strictObject({
    mediaType: wordOf(uploadTypes, `Must be one of ${uploadTypes.join(', ')}.`).describe(
      'What the file is. Its first bytes have to say the same.',
    ),
    byteSize: z
      .int()
      .min(1)
      .max(UPLOAD_BYTES_MAX)
      .describe('The exact size of the file in bytes. XML and signed XML: at most 10485760.'),
  })
  .meta({ id: 'UploadReservation' })
  .register(examples, { example: { mediaType: 'application/pdf', byteSize: 48_213 } });

const reserved = z
  .object({
    upload_id: shownId().describe('The id of the upload, and later of the document.'),
    upload_url: z.string().describe('Where the bytes go. Its token authorizes one PUT without a key.'),
    upload_method: z.literal('PUT').describe('The method for `upload_url`.'),
    expires_at: shownInstant().describe('Until then the PUT may begin.'),
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
  value: z.string().describe('As the invoice would have it.'),
  raw: z.string().nullable().describe('As printed.'),
  confidence: z.number().min(0).max(1).describe('How certain it is.'),
});

const status = z
  .object({
    upload_id: shownId().describe('The id of the upload.'),
    status: z
      .enum(['RESERVED', 'UPLOADED', 'QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'])
      .describe('RESERVED waits for its bytes, UPLOADED for its analysis.'),
    media_type: z.string().describe('As reserved; what its bytes say once they are there.'),
    byte_size: z.int().describe('The size of the file in bytes.'),
    sha256: z.string().nullable().describe('Of the stored bytes, in hexadecimal.'),
    expires_at: shownInstant().describe('Until then the PUT may begin.'),
    created_at: shownInstant().describe('When it was reserved.'),
    invoice_id: shownId().nullable().describe('The invoice that it becomes, from QUEUED on.'),
    decision: z.enum(['PASS', 'REVIEW', 'BLOCK']).nullable().describe('Once it is COMPLETED.'),
    risk_score: z.int().min(0).max(100).nullable().describe('Once it is COMPLETED.'),
    failure: z
      .object({
        code: z.literal('PROCESSING_FAILED').describe('The code of the refusal of its analysis.'),
        message: z.string().describe('What the supplier would have to change.'),
        reason: z.string().describe('The message for programs; more may come.'),
      })
      .nullable()
      .describe('Why no invoice could be read, once it has FAILED.'),
    missing_fields: z
      .array(z.string())
      .optional()
      .describe(
        'FIELDS_MISSING: what the document does not state. PUT /v1/uploads/{uploadId}/corrections completes it.',
      ),
    fields: z.record(z.string(), readField).optional().describe('FIELDS_MISSING: what was read, by path.'),
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

export const reserveUpload = route({
  operation: 'reserveUpload',
  method: 'post',
  path: '/uploads',
  summary: 'Reserve an upload',
  rpc: 'invoicecontrol.documents.v1.UploadService/ReserveUpload',
  access: { scope: 'uploads:write' },
  body: reservation,
  responses: { 201: { description: 'Reserved: send the bytes.', schema: reserved, headers: ['Location'] } },
  async handle({ body, principal }, { uploads }): Promise<Reply> {
    const { upload, token } = await uploads.reserveUpload({
      ...body,
      uploadBytesPerMonthLimit: principal.limits?.uploadBytesPerMonth,
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
    'Exactly the reserved bytes, of the reserved type. A refusal leaves the reservation as it was: repeat the PUT until ' +
    '`expires_at`. After 204 every further PUT is a conflict.',
  rpc: 'invoicecontrol.documents.v1.UploadService/ReceiveUpload',
  alsoAsks: ['invoicecontrol.documents.v1.UploadService/AuthorizeUpload'],
  resourceName: 'upload',
  access: { scope: 'uploads:write' },
  timeoutMs: RECEIVE_TIMEOUT_MS,
  params: uploadParams,
  mediaTypes: uploadTypes,
  responses: { 204: { description: 'The bytes are stored.' } },
  refusals: [409],
  async authorize({ params, token }, { uploads }): Promise<string> {
    const { organizationId } = await uploads.authorizeUpload({ uploadId: params.uploadId, token });
    return organizationId;
  },
  async receive({ params, right, file }, { uploads }): Promise<Reply> {
    await uploads.receiveUpload(messagesOf(params.uploadId, right, file));
    return { status: 204 };
  },
});

export const getUploadStatus = route({
  operation: 'getUploadStatus',
  method: 'get',
  path: '/uploads/:uploadId/status',
  summary: 'Read how far an upload has come',
  rpc: 'invoicecontrol.documents.v1.UploadService/GetUpload',
  resourceName: 'upload',
  access: { scope: 'invoices:read' },
  params: uploadParams,
  responses: { 200: { description: 'The upload.', schema: status } },
  async handle({ params }, { uploads, uploadAnalyses }): Promise<Reply> {
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
      failure:
        failure === undefined ? null : { code: 'PROCESSING_FAILED', message: failure.message, reason: failure.reason },
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
