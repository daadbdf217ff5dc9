import { UploadServiceDefinition } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { ChannelDocuments } from '../application/inbox/stores.js';

const STORE_MS_MAX = 20_000;

/** Stores received invoices in the documents service, byte for byte. */
export function channelDocumentsOf(channel: Channel): ChannelDocuments {
  const uploads = client(UploadServiceDefinition, channel);
  return {
    async store({ organizationId, uploadId, ksefNumber, content }, bytesPerMonthLimit, context) {
      const { upload } = await uploads.storeChannelDocument(
        {
          organizationId,
          uploadId,
          origin: { channel: 'KSEF', externalId: ksefNumber },
          mediaType: 'application/xml',
          content,
          uploadBytesPerMonthLimit: bytesPerMonthLimit,
        },
        { context, timeoutMs: STORE_MS_MAX },
      );
      if (upload?.createdTime === undefined)
        throw new Error(
          'The documents service returned a document from KSeF without the time when the document was stored.',
        );
      return { storedAt: upload.createdTime };
    },
  };
}
