import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ScanRow } from '../domain/scan.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Far more than the rows of the largest request, of 16 MiB, unpack to. */
const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Rows as they are stored while their scan runs. Packed, a request of 10 MiB stays below the 16 MB of a document
 * whatever its texts are; repeated words shrink to a tenth.
 */
export async function packRows(rows: readonly ScanRow[]): Promise<Buffer> {
  return compress(JSON.stringify(rows));
}

export async function unpackRows(packed: Buffer): Promise<readonly ScanRow[]> {
  const json = await decompress(packed, { maxOutputLength: UNPACKED_BYTES_MAX });
  return JSON.parse(json.toString()) as ScanRow[];
}
