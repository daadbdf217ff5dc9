import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { UploadReader } from './read-uploads.js';

/** Searches the texts of documents for a contact of a supplier, in separate processes. */
export interface ContactFinder {
  /**
   * Checks whether a document contains a contact of a supplier, such as a phone number.
   * @throws DomainError unprocessable if it takes too much time or memory, unavailable if too many documents are
   *   waiting
   */
  findContact(request: {
    /**
     * Organization that owns the searched document. Waiting documents of the organization with the fewest documents in
     * progress are processed first.
     */
    readonly organizationId: string;
    readonly byteSize: number;
    readonly mediaType: DocumentMediaType;
    readonly contact: string;
    /** Returns the bytes of the searched document from the beginning on each call. */
    bytes(): AsyncIterable<Uint8Array>;
  }): Promise<boolean>;
}

/**
 * Checks whether a stored document states a contact of a supplier. The result is not stored, because each contact is
 * searched for only once.
 * @throws DomainError not_found, and the errors of the process that searches the document
 */
export type FindContact = (organizationId: string, uploadId: string, contact: string) => Promise<boolean>;

export const findContact =
  ({
    reader,
    documents,
  }: {
    readonly reader: Pick<UploadReader, 'stored' | 'read'>;
    readonly documents: ContactFinder;
  }): FindContact =>
  async (organizationId, uploadId, contact) => {
    const { byteSize, content } = await reader.stored(organizationId, uploadId);
    const mediaType = content.mediaType as DocumentMediaType;
    const bytes = () => reader.read(organizationId, uploadId, undefined);
    return documents.findContact({ organizationId, byteSize, mediaType, contact, bytes });
  };
