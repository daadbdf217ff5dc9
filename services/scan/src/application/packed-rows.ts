import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AnalyzeRowsRequest } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Maximum size of the rows of a history scan after decompression, far more than the largest request of 16 MiB needs.
 */
const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Compresses the rows of a history scan, encoded as the analysis service receives them. They are stored in this form
 * while the history scan runs. Even the compressed rows of a request of 10 MiB stay below the 16 MB limit of a database
 * document, whatever their texts are. Repeated words are compressed to a tenth of their size.
 */
export async function packRows(rows: readonly Row[]): Promise<Buffer> {
  return compress(AnalyzeRowsRequest.encode(AnalyzeRowsRequest.create({ rows: [...rows] })).finish());
}

export async function unpackRows(packed: Buffer): Promise<readonly Row[]> {
  return AnalyzeRowsRequest.decode(await decompress(packed, { maxOutputLength: UNPACKED_BYTES_MAX })).rows;
}
