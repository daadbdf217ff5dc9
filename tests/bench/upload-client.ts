import { setTimeout as delay } from 'node:timers/promises';

/** The gateway to which a benchmark uploads files, with the API key that authorizes the uploads. */
export interface UploadTarget {
  /** Origin of the gateway to which files are uploaded, such as `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly key: string;
}

/** File that a client of the benchmark uploads. */
export interface UploadedFile {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface Reservation {
  readonly upload_id: string;
  readonly upload_url: string;
}

/** Times for which a client waits during an upload, measured from the PUT request on. */
export interface UploadTimes {
  readonly putMs: number;
  readonly analyzeMs: number;
  /** HTTP status of the last response about the upload. */
  readonly status: number;
}

/**
 * Status codes after which the client requests the decision on a document again, because the service is still working
 * or is busy.
 */
const LATER: readonly number[] = [503, 504];
const PAUSE_MS = 1_000;
/**
 * Maximum number of requests for the decision on one document. Each request waits for 20 s. Analyzing an uploaded
 * document may take a minute, and it may have to wait for documents that were uploaded earlier.
 */
const ATTEMPTS_MAX = 10;

/** Reserves an upload with the given number of bytes. @throws Error if the gateway refuses the upload */
export async function reserve(
  { origin, key }: UploadTarget,
  mediaType: string,
  byteSize: number,
): Promise<Reservation> {
  const response = await fetch(`${origin}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ mediaType, byteSize }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`an upload was not reserved: ${response.status} ${text}`);
  return JSON.parse(text) as Reservation;
}

/** Sends the bytes of a reserved upload. @returns the status of the response */
export async function putContent(
  { origin }: UploadTarget,
  { upload_url }: Reservation,
  { mediaType, bytes }: UploadedFile,
): Promise<number> {
  const response = await fetch(new URL(upload_url, origin), {
    method: 'PUT',
    headers: { 'content-type': mediaType },
    body: bytes as Uint8Array<ArrayBuffer>,
  });
  await response.arrayBuffer();
  return response.status;
}

/**
 * Requests the decision on an uploaded document, and repeats the request if a response says that the decision will be
 * available later.
 * @returns the status of the last response
 */
export async function analyzeUpload(
  { origin, key }: UploadTarget,
  { upload_id }: Reservation,
  attemptsMax = ATTEMPTS_MAX,
): Promise<number> {
  let status = 0;
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const response = await fetch(`${origin}/v1/invoices/from-upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ upload_id }),
    });
    await response.arrayBuffer();
    ({ status } = response);
    if (!LATER.includes(status)) break;
    await delay(PAUSE_MS);
  }
  return status;
}

/**
 * Uploads a document, from its reservation to its decision; times are measured from the PUT request on. Ends with the
 * first unsuccessful response.
 */
export async function upload(target: UploadTarget, file: UploadedFile): Promise<UploadTimes> {
  const reservation = await reserve(target, file.mediaType, file.bytes.length);
  const beganMs = performance.now();
  const status = await putContent(target, reservation, file);
  const storedMs = performance.now();
  if (status !== 204) return { putMs: storedMs - beganMs, analyzeMs: 0, status };
  const decided = await analyzeUpload(target, reservation);
  return { putMs: storedMs - beganMs, analyzeMs: performance.now() - storedMs, status: decided };
}
