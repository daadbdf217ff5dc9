import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';
import type { Death } from './extraction/child-process.js';

/** Counts an upload whose content was stored. */
export function uploadReceived(bytes: number): void {
  count('documents.uploads', { outcome: 'RECEIVED' });
  count('documents.upload_bytes', {}, bytes);
}

/** Counts a PUT request that began but did not succeed. */
export function uploadRefused(): void {
  count('documents.uploads', { outcome: 'REFUSED' });
}

/**
 * Counts an upload reservation that expired without content, or content that was removed because its analysis was not
 * requested.
 */
export function uploadEnded(outcome: 'ABANDONED' | 'UNUSED'): void {
  count('documents.uploads', { outcome });
}

/** Counts a document that was read, or the reason why it could not be read. */
export function documentExtracted(outcome: string, seconds: number): void {
  count('documents.extractions', { outcome });
  count('documents.extraction_seconds', { outcome }, seconds);
}

/** Counts a rendered page or view, or the reason why it could not be rendered. Cached renderings are not counted. */
export function documentRendered(target: 'PAGE' | 'VIEW', outcome: string, seconds: number): void {
  count('documents.renderings', { target, outcome });
  count('documents.rendering_seconds', { target, outcome }, seconds);
}

/** Counts a document reading process that was killed or exited. */
export function childKilled(reason: Death): void {
  count('documents.children_killed', { reason });
}

/** Reports the number of documents that are waiting for a process. */
export function reportWaiting(waiting: () => number): () => void {
  return reportGauges(
    {
      'documents.extractions_waiting': {
        unit: '1',
        description: 'Number of documents that wait for a process to read them.',
      },
    },
    async () => [{ attributes: {}, values: { 'documents.extractions_waiting': waiting() } }],
  );
}
