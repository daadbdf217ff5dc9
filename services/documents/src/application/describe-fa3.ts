import { FA3_BYTES_MAX, unreadFa3 } from '@invoicecontrol/compliance/fa3-document';
import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { UploadReader } from './read-uploads.js';

/** Fields of a stored invoice that are needed to send it to KSeF. */
export interface StoredFa3 extends Fa3Description {
  /** SHA-256 hash of the stored FA(3) invoice file, in base64. */
  readonly sha256: string;
  readonly byteSize: number;
}

/** Reads from FA(3) invoices, in separate processes, the facts that are needed to send them to KSeF. */
export interface Fa3Describer {
  /**
   * Returns the fields of an FA(3) document that KSeF needs.
   * @throws DomainError unprocessable if it takes too much time or memory, unavailable if too many documents are
   * waiting
   */
  describeFa3(request: {
    /**
     * Organization that owns the FA(3) document. Waiting documents of the organization with the fewest documents in
     * progress are processed first.
     */
    readonly organizationId: string;
    readonly byteSize: number;
    /** Returns the bytes of the FA(3) document from the beginning on each call. */
    bytes(): AsyncIterable<Uint8Array>;
  }): Promise<Fa3Description>;
}

/**
 * Describes a stored document as FA(3). A document above the KSeF size limit is not read.
 * @throws DomainError not_found, and the errors of the process that describes it
 */
export type DescribeStoredFa3 = (organizationId: string, uploadId: string) => Promise<StoredFa3>;

export const describeStoredFa3 =
  ({
    reader,
    documents,
  }: {
    readonly reader: Pick<UploadReader, 'stored' | 'read'>;
    readonly documents: Fa3Describer;
  }): DescribeStoredFa3 =>
  async (organizationId, uploadId) => {
    const { byteSize, content } = await reader.stored(organizationId, uploadId);
    const facts = { sha256: Buffer.from(content.sha256, 'hex').toString('base64'), byteSize };
    if (content.mediaType !== 'application/xml') return { ...facts, ...unreadFa3('NOT_FA3') };
    if (byteSize > FA3_BYTES_MAX) return { ...facts, ...unreadFa3() };
    const bytes = () => reader.read(organizationId, uploadId, undefined);
    return { ...facts, ...(await documents.describeFa3({ organizationId, byteSize, bytes })) };
  };
