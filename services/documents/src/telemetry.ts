import type { FailureReason } from '@invoicecontrol/extraction/reading';
import { count, record, reportGauges } from '@invoicecontrol/runtime/telemetry';
import { inWords } from '@invoicecontrol/runtime/telemetry/in-words';
import type { Death } from './extraction/child-process.js';

/** Counts an upload whose content was stored. */
export function uploadReceived(mediaType: string, bytes: number): void {
  count('invoicecontrol.uploads', { outcome: 'received' });
  count('invoicecontrol.upload.bytes', { format: formatOf(mediaType) }, bytes);
}

/** Counts a PUT request of an upload that began but did not succeed. */
export function uploadRefused(): void {
  count('invoicecontrol.uploads', { outcome: 'refused' });
}

/**
 * Counts an upload reservation that expired without content, or content that was removed because its analysis was not
 * requested.
 */
export function uploadEnded(outcome: 'ABANDONED' | 'UNUSED'): void {
  count('invoicecontrol.uploads', { outcome: inWords(outcome) });
}

/** Counts a document that was read, or the reason why it could not be read. */
export function documentExtracted(mediaType: string, outcome: FailureReason | 'READ', seconds: number): void {
  const attributes = { format: formatOf(mediaType), outcome: inWords(outcome) };
  record('invoicecontrol.extraction.duration', seconds, attributes);
}

/** Records how long an electronic invoice was checked against the rules of its profile. */
export function documentValidated(profile: string | null, ms: number): void {
  record('invoicecontrol.validation.duration', ms / 1_000, { profile: inWords(profile ?? 'NONE') });
}

/** Counts a rendered page, its words or a view, or the reason why it could not be rendered. Cached renderings are not counted. */
export function documentRendered(target: 'PAGE' | 'WORDS' | 'VIEW', outcome: string, seconds: number): void {
  const attributes = { target: inWords(target), outcome: inWords(outcome) };
  record('invoicecontrol.rendering.duration', seconds, attributes);
}

/** Counts a document reading process that was killed or exited. */
export function childKilled(reason: Death): void {
  count('invoicecontrol.children.killed', { reason: inWords(reason) });
}

/** Reports the number of documents that are waiting for a child process. */
export function reportWaiting(waiting: () => number): () => void {
  return reportGauges(['invoicecontrol.jobs.due'], async () => [
    { attributes: { 'job.name': 'extractions' as const }, values: { 'invoicecontrol.jobs.due': waiting() } },
  ]);
}

function formatOf(mediaType: string): 'pdf' | 'xml' | 'image' | 'other' {
  if (mediaType === 'application/pdf') return 'pdf';
  if (mediaType.endsWith('xml')) return 'xml';
  return mediaType.startsWith('image/') ? 'image' : 'other';
}
