import { createHash } from 'node:crypto';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Content, ContentStore, StoredUpload, Upload, UploadStore } from './uploads.js';

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

interface Deps {
  readonly uploads: Pick<UploadStore, 'find'>;
  readonly contents: Pick<ContentStore, 'read'>;
  readonly audit: Pick<AuditBuffer, 'record'>;
}

export interface UploadReader {
  /** @throws DomainError not_found */
  get(organizationId: string, uploadId: string): Promise<Upload>;
  /** @throws DomainError not_found, also for an upload without its bytes */
  stored(organizationId: string, uploadId: string): Promise<StoredUpload>;
  /**
   * The bytes as they were uploaded. Of a whole document the hash is verified before its first byte is given out.
   * @throws DomainError not_found, range_unsatisfiable
   */
  read(organizationId: string, uploadId: string, range: ByteRange | undefined): AsyncIterable<Uint8Array>;
  /** Notes in the audit trail that the original of an invoice was read. */
  noteReading(organizationId: string, invoiceId: string, context: RequestContext): void;
}

export function uploadReader({ uploads, contents, audit }: Deps): UploadReader {
  const stored: UploadReader['stored'] = async (organizationId, uploadId) => {
    const upload = await uploads.find(uploadId, organizationId);
    if (upload?.content === undefined) throw notFound('document');
    return upload;
  };
  return {
    async get(organizationId, uploadId) {
      const upload = await uploads.find(uploadId, organizationId);
      if (upload === undefined) throw notFound('upload');
      return upload;
    },
    stored,
    async *read(organizationId, uploadId, range) {
      const { byteSize, content } = await stored(organizationId, uploadId);
      if (range === undefined) {
        await verify(contents, content);
        yield* contents.read(content.fileId);
        return;
      }
      const { first, last } = range;
      if (first < 0 || last < first || last >= byteSize) {
        throw new DomainError(
          'range_unsatisfiable',
          `The range is outside the document, which has ${byteSize} bytes. Request a range within it.`,
        );
      }
      yield* contents.read(content.fileId, range);
    },
    noteReading(organizationId, invoiceId, context) {
      audit.record(organizationId, context, {
        action: 'document.read',
        target: `invoice:${invoiceId}`,
        outcome: 'SUCCEEDED',
      });
    },
  };
}

async function verify(contents: Pick<ContentStore, 'read'>, { fileId, sha256 }: Content): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of contents.read(fileId)) hash.update(piece);
  if (hash.digest('hex') !== sha256)
    throw new Error(`the stored bytes of file ${fileId} are not those that were received`);
}
