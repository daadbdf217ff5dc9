import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';

/** Uploaded documents, which the documents service owns. */
export interface Documents {
  /**
   * Tells whether the bytes of an upload are stored. They then stay long enough to be analyzed.
   * @throws DomainError not_found for an upload that the organization does not have, unavailable
   */
  keepUploaded(organizationId: string, uploadId: string, context: RequestContext): Promise<boolean>;
  /**
   * Reads a document; a repeat answers the same.
   * @throws DomainError not_found, unavailable, deadline
   */
  extract(
    upload: { readonly organizationId: string; readonly uploadId: string },
    tenant: TenantFacts,
    call: { readonly context: RequestContext; readonly signal?: AbortSignal },
  ): Promise<ExtractDocumentResponse>;
}
