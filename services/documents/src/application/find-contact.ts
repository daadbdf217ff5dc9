import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { UploadReader } from './read-uploads.js';

/** Searches the texts of documents in separate processes. */
export interface ContactFinder {
  /**
   * Tells whether a document contains a contact, such as a phone number.
   * @throws DomainError unprocessable if it takes too much time or memory, unavailable if too many documents are
   *   waiting
   */
  findContact(request: {
    /** Organization that owns the searched document. Organizations take turns while documents are waiting. */
    readonly organizationId: string;
    readonly byteSize: number;
    readonly mediaType: DocumentMediaType;
    readonly contact: string;
    /** Returns the bytes of the searched document from the beginning on each call. */
    bytes(): AsyncIterable<Uint8Array>;
  }): Promise<boolean>;
}

/**
 * Tells whether a stored document carries a contact. Nothing is stored, because each contact is asked about once.
 * @throws DomainError not_found, and the errors of the finder
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
