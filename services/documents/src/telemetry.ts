import { count, reportGauges } from '@invoicecontrol/runtime/telemetry';
import type { Death } from './extraction/child-process.js';

/** The bytes of an upload are stored. */
export function uploadReceived(bytes: number): void {
  count('documents.uploads', { outcome: 'RECEIVED' });
  count('documents.upload_bytes', {}, bytes);
}

/** A PUT had begun and came to nothing. */
export function uploadRefused(): void {
  count('documents.uploads', { outcome: 'REFUSED' });
}

/** A reservation ended without its bytes, or bytes were removed whose analysis nobody requested. */
export function uploadEnded(outcome: 'ABANDONED' | 'UNUSED'): void {
  count('documents.uploads', { outcome });
}

/** A document was read, or why not. */
export function documentExtracted(outcome: string, seconds: number): void {
  count('documents.extractions', { outcome });
  count('documents.extraction_seconds', { outcome }, seconds);
}

/** A page was drawn or an invoice shown as a page, or why not; what the cache had is not counted. */
export function documentRendered(target: 'PAGE' | 'VIEW', outcome: string, seconds: number): void {
  count('documents.renderings', { target, outcome });
  count('documents.rendering_seconds', { target, outcome }, seconds);
}

/** A process that read a document was killed, or ended. */
export function childKilled(reason: Death): void {
  count('documents.children_killed', { reason });
}

/** Reports the number of documents that wait for a process. */
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
