import { createHash } from 'node:crypto';
import { DomainError, notFound } from '@invoicecontrol/errors';
import type { AuditBuffer } from '@invoicecontrol/retention/audit';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Content, ContentStore, StoredUpload, Upload, UploadStore } from './uploads.js';

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
  /**
   * Returns an upload of the organization.
   * @throws DomainError not_found
   */
  get(organizationId: string, uploadId: string): Promise<Upload>;
  /**
   * Returns an upload of the organization whose content is stored.
   * @throws DomainError not_found, also for an upload without content
   */
  stored(organizationId: string, uploadId: string): Promise<StoredUpload>;
  /**
   * Returns the content of an upload as it was sent. If the whole document is read, its hash is verified before the
   * first byte is returned.
   * @throws DomainError not_found, range_unsatisfiable
   */
  read(organizationId: string, uploadId: string, range: ByteRange | undefined): AsyncIterable<Uint8Array>;
  /** Records in the audit trail that a caller read the original document of an invoice. */
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
          `The requested range is outside the document, which has ${byteSize} bytes. Request a range within the document.`,
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
