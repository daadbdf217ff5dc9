import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Upload, UploadStore } from './uploads.js';

interface Deps {
  readonly uploads: Pick<UploadStore, 'find' | 'request'>;
  readonly clock: Clock;
  readonly unusedMs: number;
}

/**
 * Permits the analysis of an upload, which its caller has requested, and prolongs the time for which the unused upload is
 * kept. The time then begins again as for a new upload, so that an accepted request still finds its document later. Once the analysis
 * begins, the upload is kept permanently.
 * @throws DomainError not_found
 */
export type KeepUpload = (organizationId: string, uploadId: string) => Promise<Upload>;

export const keepUpload =
  ({ uploads, clock, unusedMs }: Deps): KeepUpload =>
  async (organizationId, uploadId) => {
    await uploads.request(organizationId, uploadId, new Date(clock.now().getTime() + unusedMs));
    const upload = await uploads.find(uploadId, organizationId);
    if (upload === undefined) throw notFound('upload');
    return upload;
  };
