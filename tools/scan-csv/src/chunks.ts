import { createHash } from 'node:crypto';
import type { Schemas } from '@invoicecontrol/client';
import type { ScanRow } from '@invoicecontrol/ledger-csv/scan-row';

/** Maximum number of rows in a history scan (specification 2.9). */
const CHUNK_ROWS_MAX = 5_000;
/** Maximum size of a history scan request, below the 10 MiB limit of the service with a margin. */
const CHUNK_BYTES_MAX = 8 * 1024 * 1024;

/** The rows of one history scan request. */
export interface Chunk {
  readonly rows: readonly ScanRow[];
}

/**
 * Sorts the rows of a ledger by date and cuts them into history scan requests. Rows are analyzed with earlier rows as
 * history, so chunks in date order give the same findings as one scan. Rows of one day keep the order of the file.
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

/** Returns the body of a POST /scans request. */
export function chunkBody(chunk: Chunk, companyId: string | undefined): Schemas['ScanRequest'] {
  return { ...(companyId === undefined ? {} : { companyId }), rows: chunk.rows };
}

/**
 * The Idempotency-Key of a chunk is the hash of its body: rows, lines and company. The same command on the same file repeats
 * the same keys, so an interrupted run continues where it stopped; a changed row changes the key.
 */
export function chunkKey(body: Schemas['ScanRequest']): string {
  return `scan-csv-${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
}

/** Returns the ledger rows with the externalId of an earlier row, which the service skips. */
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
