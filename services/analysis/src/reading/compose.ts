import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { DocumentFacts } from '@invoicecontrol/engine/facts/document-facts';
import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { Records } from '../records/compose.js';
import { documentFactsOf } from './application/document-facts.js';
import { documentsFromService } from './clients/documents.js';

/** Use cases for invoices that are read from documents. */
export type Reading = ReturnType<typeof composeReading>;

export function composeReading({ uploads }: Records, documentsChannel: Channel) {
  return {
    documents: documentsFromService(documentsChannel),
    async documentFacts(
      { invoiceId, source }: Pick<NormalisedInvoice, 'invoiceId' | 'source'>,
      organizationId: string,
    ): Promise<DocumentFacts | undefined> {
      const isRead = source === 'UPLOAD' || source === 'KSEF';
      const upload = isRead ? await uploads.find(organizationId, invoiceId) : undefined;
      return upload === undefined ? undefined : documentFactsOf(upload);
    },
  };
}
