import { UploadServiceDefinition, UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import type {
  ReceiveUploadRequest,
  Upload as WireUpload,
  UploadStart,
} from '@invoicecontrol/contracts/documents/v1/upload_service';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf, limitOfWork, requireGrantOf, requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { channels, parseOrigin } from '@invoicecontrol/values/channel-origin';
import { validate as isUuid } from 'uuid';
import type { KeepUpload } from '../../application/keep-upload.js';
import type { UploadReader } from '../../application/read-uploads.js';
import type { AuthorizeUpload, ReceiveUpload, Right } from '../../application/receive-upload.js';
import type { ReserveUpload } from '../../application/reserve-upload.js';
import type { StoreChannelDocument } from '../../application/store-channel-document.js';
import type { Upload } from '../../application/uploads.js';

interface Deps {
  readonly reserve: ReserveUpload;
  readonly authorize: AuthorizeUpload;
  readonly receive: ReceiveUpload;
  readonly keep: KeepUpload;
  readonly storeOfChannel: StoreChannelDocument;
  readonly reader: UploadReader;
}

/** Implements the gRPC service invoicecontrol.documents.v1.UploadService. */
export function uploadService({ reserve, authorize, receive, keep, storeOfChannel, reader }: Deps): Binding {
  return bind(UploadServiceDefinition, {
    async reserveUpload({ organizationId, mediaType, byteSize }, context) {
      const monthlyLimit = limitOf(context, 'uploadBytesPerMonth');
      const { upload, token } = await reserve({ organizationId, mediaType, byteSize, monthlyLimit });
      return { upload: encode(upload), token };
    },
    async authorizeUpload({ uploadId, token }) {
      return { organizationId: await authorize(uploadId, token) };
    },
    async receiveUpload(requests, context) {
      const messages = requests[Symbol.asyncIterator]();
      const first: IteratorResult<ReceiveUploadRequest, unknown> = await messages.next();
      const part = first.done === true ? undefined : first.value.part;
      if (part?.$case !== 'start') throw invalidField('start', 'must be the first message.');
      const right = rightOf(part.value);
      if ('organizationId' in right) requireGrantOf(context, right.organizationId);
      const { uploadId, mediaType, declaredSize: declaredBytes, hasContentEncoding } = part.value;
      await receive({
        uploadId,
        right,
        header: { mediaType, declaredBytes, hasContentEncoding },
        chunks: contentOf(messages),
      });
      return {};
    },
    async getUpload({ organizationId, uploadId }) {
      return { upload: encode(await reader.get(organizationId, uploadId)) };
    },
    async storeChannelDocument({ uploadId, origin: stated, uploadBytesPerMonthLimit, ...document }, context) {
      const monthlyLimit = limitOfWork(context, 'uploadBytesPerMonth', uploadBytesPerMonthLimit);
      if (!isUploadId(uploadId)) throw invalidField('upload_id', 'The id of the upload must be a UUID in lower case.');
      const origin = stated && parseOrigin(stated);
      if (origin === undefined) {
        throw invalidField('origin', `Must name a channel (${channels.join(', ')}) and the id of the document in it.`);
      }
      const { upload, created } = await storeOfChannel({ ...document, uploadId, origin, monthlyLimit });
      return { upload: encode(upload), created };
    },
    async keepUpload({ organizationId, uploadId }, context) {
      // Only a document that came through a channel is analyzed without the request of a caller.
      const { origin } = await reader.get(organizationId, uploadId);
      if (origin === undefined) requirePrincipal(context);
      return { upload: encode(await keep(organizationId, uploadId)) };
    },
  });
}

function rightOf({ organizationId, token }: UploadStart): Right {
  if (organizationId !== undefined) return { organizationId };
  if (token !== undefined) return { token };
  throw new DomainError(
    'unauthenticated',
    'The request to send an upload has no credentials. Send the token of the upload, or an API key.',
  );
}

async function* contentOf(messages: AsyncIterator<ReceiveUploadRequest>): AsyncIterable<Uint8Array> {
  for (;;) {
    const { done, value } = (await messages.next()) as IteratorResult<ReceiveUploadRequest, undefined>;
    if (done === true) return;
    if (value.part?.$case !== 'content') throw invalidField('content', 'must be in every message but the first.');
    yield value.part.value;
  }
}

function isUploadId(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}

function encode({ uploadId, mediaType, byteSize, expiresAt, createdAt, content, origin }: Upload): WireUpload {
  return {
    uploadId,
    state: content === undefined ? UploadState.RESERVED : UploadState.UPLOADED,
    mediaType: content?.mediaType ?? mediaType,
    byteSize,
    sha256: content?.sha256,
    expiresTime: expiresAt,
    createdTime: createdAt,
    origin,
  };
}
