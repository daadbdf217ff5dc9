import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AnalyzeRowsRequest } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Far more than the rows of the largest request, of 16 MiB, unpack to. */
const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Rows as they are stored while their scan runs: the bytes in which they travel on to analysis. Packed, a request of
 * 10 MiB stays below the 16 MB of a document whatever its texts are; repeated words shrink to a tenth.
 */
export async function packRows(rows: readonly Row[]): Promise<Buffer> {
  return compress(AnalyzeRowsRequest.encode(AnalyzeRowsRequest.create({ rows: [...rows] })).finish());
}

export async function unpackRows(packed: Buffer): Promise<readonly Row[]> {
  return AnalyzeRowsRequest.decode(await decompress(packed, { maxOutputLength: UNPACKED_BYTES_MAX })).rows;
}
