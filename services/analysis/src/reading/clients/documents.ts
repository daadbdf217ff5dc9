import { DocumentServiceDefinition, ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import { UploadServiceDefinition, UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { parseOrigin } from '@invoicecontrol/values/channel-origin';
import type { Documents } from '../application/documents.js';

/**
 * Timeout in milliseconds for calls to the documents service. This timeout is shorter than the total timeout of any
 * route.
 */
const ASK_MS_MAX = 4_000;
/**
 * Timeout in milliseconds for reading a document. A scanned document may take a minute, may be read twice if its
 * process exited, and may have to wait for other documents.
 */
const EXTRACT_MS_MAX = 180_000;

/** Reads documents by calling the documents service. */
export function documentsFromService(channel: Channel): Documents {
  const documents = client(DocumentServiceDefinition, channel);
  const uploads = client(UploadServiceDefinition, channel);
  return {
    async keepUploaded(organizationId, uploadId, context) {
      const { upload } = await uploads.keepUpload({ organizationId, uploadId }, { context, timeoutMs: ASK_MS_MAX });
      if (upload?.state !== UploadState.UPLOADED) return undefined;
      const origin = upload.origin && parseOrigin(upload.origin);
      if (origin === undefined && upload.origin !== undefined) {
        throw new Error(`documents returned an unknown origin of upload ${uploadId}`);
      }
      return { origin };
    },
    extract({ organizationId, uploadId }, { companies, referenceValidationMode }, call) {
      return documents.extractDocument(
        {
          organizationId,
          uploadId,
          mode: modes[referenceValidationMode] ?? ValidationMode.DECLARED_PROFILES,
          companies: companies.map(({ name, taxId, country }) => ({ name, taxId, country })),
        },
        { ...call, timeoutMs: EXTRACT_MS_MAX },
      );
    },
  };
}

const modes: Readonly<Record<string, ValidationMode>> = {
  OFF: ValidationMode.OFF,
  DECLARED_PROFILES: ValidationMode.DECLARED_PROFILES,
  ALL: ValidationMode.ALL,
};
