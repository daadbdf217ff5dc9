import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';

/** An upload whose bytes are stored. */
export interface KeptUpload {
  /** Undefined for a document that a caller uploaded. */
  readonly origin: ChannelOrigin | undefined;
}

/** Uploaded documents, which the documents service owns. */
export interface Documents {
  /**
   * Finds an upload whose bytes are stored, and has them stay long enough to be analyzed; undefined without its bytes.
   * @throws DomainError not_found for an upload that the organization does not have, unavailable
   */
  keepUploaded(organizationId: string, uploadId: string, context: RequestContext): Promise<KeptUpload | undefined>;
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
