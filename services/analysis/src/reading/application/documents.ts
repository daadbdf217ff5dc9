import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';

/** An uploaded document whose file is stored in the documents service. */
export interface KeptUpload {
  /** Channel, such as KSeF, through which an upload came. Undefined for a document that a caller uploaded. */
  readonly origin: ChannelOrigin | undefined;
}

/** Access to uploaded documents in the documents service. */
export interface Documents {
  /**
   * Returns an upload if its content is stored, and makes sure that the content is kept until it is analyzed. Returns
   * undefined if the content is not stored.
   * @throws DomainError not_found if the organization has no such upload, unavailable
   */
  keepUploaded(organizationId: string, uploadId: string, context: RequestContext): Promise<KeptUpload | undefined>;
  /**
   * Extracts the content of an uploaded document. A repeated call returns the same result.
   * @throws DomainError not_found, unavailable, deadline
   */
  extract(
    upload: { readonly organizationId: string; readonly uploadId: string },
    tenant: TenantFacts,
    call: { readonly context: RequestContext; readonly signal?: AbortSignal },
  ): Promise<ExtractDocumentResponse>;
}
