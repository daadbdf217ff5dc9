import { FA3_BYTES_MAX, unreadFa3 } from '@invoicecontrol/compliance/fa3-document';
import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { UploadReader } from './read-uploads.js';

/** The facts of a stored invoice that sending it to KSeF requires. */
export interface StoredFa3 extends Fa3Description {
  /** Base64. */
  readonly sha256: string;
  readonly byteSize: number;
}

/** Describes documents away from this process. */
export interface Fa3Describer {
  /** @throws DomainError unprocessable for one that takes too long or too much, unavailable when too many wait */
  describeFa3(request: {
    /** Organizations take turns while documents wait. */
    readonly organizationId: string;
    readonly byteSize: number;
    /** The bytes of the document, from their begin each time it is called. */
    bytes(): AsyncIterable<Uint8Array>;
  }): Promise<Fa3Description>;
}

/**
 * Describes a stored document as FA(3). Of one above the limit of KSeF nothing is read.
 * @throws DomainError not_found; as the describer does
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
