import { describeFa3, FA3_BYTES_MAX, unreadFa3 } from '@invoicecontrol/compliance/fa3-document';
import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { UploadReader } from './read-uploads.js';

/** What the sending of a stored invoice to KSeF needs to know. */
export interface StoredFa3 extends Fa3Description {
  /** Base64. */
  readonly sha256: string;
  readonly byteSize: number;
}

/**
 * Describes a stored document as FA(3). Of one above the limit of KSeF nothing is read.
 * @throws DomainError not_found
 */
export const describeStoredFa3 =
  ({ reader }: { readonly reader: Pick<UploadReader, 'stored' | 'read'> }) =>
  async (organizationId: string, uploadId: string): Promise<StoredFa3> => {
    const { byteSize, content } = await reader.stored(organizationId, uploadId);
    const facts = { sha256: Buffer.from(content.sha256, 'hex').toString('base64'), byteSize };
    if (content.mediaType !== 'application/xml') return { ...facts, ...unreadFa3('NOT_FA3') };
    if (byteSize > FA3_BYTES_MAX) return { ...facts, ...unreadFa3() };
    const pieces: Uint8Array[] = [];
    for await (const piece of reader.read(organizationId, uploadId, undefined)) pieces.push(piece);
    return { ...facts, ...describeFa3(Buffer.concat(pieces)) };
  };
