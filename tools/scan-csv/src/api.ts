import { ApiError, NetworkError } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { chunkBody, chunkKey } from './chunks.js';
import type { Chunk } from './chunks.js';

/**
 * Time limit in milliseconds for reading the severities of finding types. The summary does not wait longer for them,
 * because they only sort its findings.
 */
const SEVERITIES_TIMEOUT_MS = 10_000;

export type ScanResult = Schemas['Scan'];

export type Outcome =
  | { readonly kind: 'scanned'; readonly scan: ScanResult; readonly wasSentBefore: boolean }
  /** The history scan request had no new rows, because every externalId was imported before. */
  | { readonly kind: 'nothing-new' };

/**
 * Sends one chunk of rows as a history scan, and repeats the request until it gets a final response.
 * @throws ApiError, NetworkError; if `signal` aborts, its reason
 */
export async function createScan(
  api: Client,
  chunk: Chunk,
  companyId: string | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const body = chunkBody(chunk, companyId);
  try {
    const { data, headers } = await api.post('/scans', { body, idempotencyKey: chunkKey(body), signal });
    if (!Array.isArray((data as Partial<ScanResult> | undefined)?.skippedRows)) {
      throw new NetworkError('The response is not a scan. Check --base-url.');
    }
    return { kind: 'scanned', scan: data, wasSentBefore: headers.get('idempotency-replayed') === 'true' };
  } catch (error) {
    const isConflict = error instanceof ApiError && error.status === 409 && error.retryAfterSeconds === undefined;
    // The key of a request always has the same body (chunkKey), so a 409 response is not about a reused
    // Idempotency-Key. If all rows have an externalId, the response means that all rows were imported before.
    if (isConflict && chunk.rows.every(({ externalId }) => externalId !== undefined)) return { kind: 'nothing-new' };
    throw error;
  }
}

/**
 * The possible severities of each finding type, least severe first. Empty if the service does not return them.
 */
export async function findingSeverities(
  api: Client,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(SEVERITIES_TIMEOUT_MS)]);
    const { data } = await api.get('/finding-types', { signal: soon });
    return new Map(data.items.map(({ type, severities }) => [type, severities]));
  } catch {
    // If the severities of the finding types cannot be read, the summary is printed without them.
    return new Map();
  }
}

/** Returns the message of an API error, with the error code and the request id that support needs. */
export function failureSentence(error: ApiError | NetworkError): string {
  if (error instanceof NetworkError) return error.message;
  return error.code === undefined
    ? `The service returned status ${error.status} and no message. Check --base-url.`
    : `${error.message} (${error.code}, request ${error.requestId})`;
}
