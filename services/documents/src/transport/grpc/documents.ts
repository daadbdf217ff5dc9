import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { Document } from '@invoicecontrol/contracts/documents/v1/document_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { extractDocument } from '../../application/extract-document.js';
import type { ByteRange, StoredUpload, UploadReader } from '../../application/read-uploads.js';
import { decodeCompany, decodeMode, encodeExtraction } from './extraction.js';

interface Deps {
  readonly reader: UploadReader;
  readonly extract: ReturnType<typeof extractDocument>;
}

/** invoicecontrol.documents.v1.DocumentService */
export function documentService({ reader, extract }: Deps): Binding {
  return bind(DocumentServiceDefinition, {
    async extractDocument({ organizationId, uploadId, mode, companies }) {
      const { upload, extraction } = await extract({
        organizationId,
        uploadId,
        mode: decodeMode(mode),
        companies: companies.map(decodeCompany),
      });
      return { document: encode(upload), ...encodeExtraction(extraction) };
    },
    async describeDocument({ organizationId, uploadId }) {
      return { document: encode(await reader.stored(organizationId, uploadId)) };
    },
    async *readDocument({ organizationId, uploadId, firstByte, lastByte, invoiceId }, context) {
      let isNoted = invoiceId === undefined;
      for await (const content of reader.read(organizationId, uploadId, rangeOf(firstByte, lastByte))) {
        if (!isNoted && invoiceId !== undefined) reader.noteReading(organizationId, invoiceId, context);
        isNoted = true;
        yield* messagesOf(content);
      }
    },
  });
}

/** Bytes of one message; a piece of the store is longer. */
const MESSAGE_BYTES = 64 * 1024;

function* messagesOf(piece: Uint8Array): Iterable<{ content: Buffer }> {
  for (let start = 0; start < piece.length; start += MESSAGE_BYTES) {
    const part = piece.subarray(start, start + MESSAGE_BYTES);
    yield { content: Buffer.from(part.buffer, part.byteOffset, part.byteLength) };
  }
}

function rangeOf(first: number | undefined, last: number | undefined): ByteRange | undefined {
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined || last === undefined) {
    throw invalidField('first_byte', 'comes together with last_byte, or both are absent.');
  }
  return { first, last };
}

function encode({ uploadId, byteSize, content }: StoredUpload): Document {
  return {
    documentId: uploadId,
    mediaType: content.mediaType,
    byteSize,
    sha256: content.sha256,
    receivedTime: content.receivedAt,
  };
}
