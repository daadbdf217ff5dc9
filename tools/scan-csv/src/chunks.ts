import { createHash } from 'node:crypto';
import type { Schemas } from '@invoicecontrol/client';
import type { ScanRow } from './scan-row.js';

/** A scan has at most so many rows (specification 2.9). */
const CHUNK_ROWS_MAX = 5_000;
/** The service reads bodies of up to 10 MiB; the frame around the rows and growth get some room. */
const CHUNK_BYTES_MAX = 8 * 1024 * 1024;

/** Rows that are sent in one request. */
export interface Chunk {
  readonly rows: readonly ScanRow[];
}

/**
 * Sorts by date and cuts. Rows are judged by what came before them, so several scans give the findings of one where
 * each holds what is later than the one before. Rows of one day keep the order of the file.
 */
export function planChunks(
  rows: readonly ScanRow[],
  rowsMax: number = CHUNK_ROWS_MAX,
  bytesMax: number = CHUNK_BYTES_MAX,
): Chunk[] {
  const sorted = [...rows].sort((a, b) =>
    a.issueDate === b.issueDate ? a.sourceRowNumber - b.sourceRowNumber : a.issueDate < b.issueDate ? -1 : 1,
  );
  const chunks: ScanRow[][] = [];
  let current: ScanRow[] = [];
  let bytes = 0;
  for (const row of sorted) {
    const rowBytes = Buffer.byteLength(JSON.stringify(row)) + 1;
    if (current.length === rowsMax || (current.length > 0 && bytes + rowBytes > bytesMax)) {
      chunks.push(current);
      current = [];
      bytes = 0;
    }
    current.push(row);
    bytes += rowBytes;
  }
  if (current.length > 0) chunks.push(current);
  return chunks.map((cut) => ({ rows: cut }));
}

/** The body of POST /scans. */
export function chunkBody(chunk: Chunk, companyId: string | undefined): Schemas['ScanRequest'] {
  return { ...(companyId === undefined ? {} : { companyId }), rows: chunk.rows };
}

/**
 * The Idempotency-Key of a chunk is made of all that is sent and nothing else: the rows with their lines, and the company.
 * The same command on the same file repeats the same keys, so an interrupted run goes on where it stopped; whatever
 * changes a row changes the key, so that a key never meets another body.
 */
export function chunkKey(body: Schemas['ScanRequest']): string {
  return `scan-csv-${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
}

/** Rows whose externalId an earlier row has: the service will skip them. */
export function repeatedExternalIds(chunks: readonly Chunk[]): ScanRow[] {
  const seen = new Set<string>();
  return chunks
    .flatMap(({ rows }) => rows)
    .filter(({ externalId }) => {
      if (externalId === undefined) return false;
      const isRepeated = seen.has(externalId);
      seen.add(externalId);
      return isRepeated;
    });
}
