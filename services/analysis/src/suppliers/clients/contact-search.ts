import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { isUnsearchable } from '../application/verify-account.js';
import type { ContactSearch } from '../application/verify-account.js';

/** Timeout of a search for a contact in one document, shorter than the timeout of the gateway's route. */
const SEARCH_MS_MAX = 15_000;

/** Searches documents for contacts by calling the documents service. */
export function contactSearch(channel: Channel): ContactSearch {
  const documents = client(DocumentServiceDefinition, channel);
  return {
    async isCarried(organizationId, uploadId, contact, context) {
      try {
        const call = { context, timeoutMs: SEARCH_MS_MAX };
        return (await documents.findContact({ organizationId, uploadId, contact }, call)).isCarried;
      } catch (error) {
        if (isUnsearchable(error)) return false;
        throw error;
      }
    },
  };
}
