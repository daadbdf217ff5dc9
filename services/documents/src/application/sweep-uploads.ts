import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { StuckItem } from '@invoicecontrol/runtime/stuck-work';
import { uploadEnded } from '../telemetry.js';
import type { ContentStore, UploadStore } from './uploads.js';

interface Deps {
  readonly uploads: UploadStore;
  readonly contents: ContentStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Removes data left by interrupted PUT requests, reservations that expired without content, and content whose analysis
 * was never requested. An error with one upload does not delay other uploads.
 */
export const sweepUploads =
  ({ uploads, contents, clock, logger }: Deps) =>
  async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    await uploads.endUnused(now);
    for (const uploadId of await uploads.due(now)) {
      if (signal.aborted) return;
      try {
        const remains = await uploads.takeRemains(uploadId, now);
        if (remains === undefined) continue;
        for (const fileId of remains.fileIds) await contents.delete(fileId);
        await uploads.removeRemains(remains, now);
        if (remains.ended !== undefined) uploadEnded(remains.ended);
      } catch (error) {
        logger.warn({ error, uploadId }, 'what is left of an upload could not be removed');
      }
    }
  };

/** Notifies the operator of leftover data of uploads that is due for removal but still exists. */
export const stuckUploads =
  ({ uploads }: Pick<Deps, 'uploads'>) =>
  async (before: Date): Promise<readonly StuckItem[]> => {
    const oldest = await uploads.oldestDue(before);
    if (oldest === undefined) return [];
    return [
      {
        kind: 'upload',
        what: `upload ${oldest.uploadId}, the oldest of those that are due for removal`,
        since: oldest.since,
        why: 'the sweep of uploads does not run, or fails for this upload; the log of documents says why',
        resolution: 'kubectl rollout restart deployment/documents; docs/runbooks/uploads-and-extraction.md',
      },
    ];
  };
