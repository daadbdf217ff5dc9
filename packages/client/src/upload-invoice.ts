import type { Answer, Client, FileBytes, Schemas, UploadOptions } from './client-types.js';
import { NetworkError } from './errors.js';
import { pause } from './retry.js';

/** Time in seconds after which the API may respond that it is still analyzing an uploaded document. */
const WAIT_SECONDS = 20;
const FIRST_POLL_MS = 500;
const POLL_MS_MAX = 5_000;
const TOTAL_MS_MAX = 300_000;

type Calls = Pick<Client, 'get' | 'post' | 'sendFile'>;
type Accepted = Schemas['AcceptedAnalysis'];

/** Uploads a document and waits for its decision. See `Client.uploadInvoice`. */
export async function uploadInvoice(
  client: Calls,
  bytes: FileBytes,
  options: UploadOptions,
): Promise<Answer<Accepted>> {
  const { mediaType, companyId, purchaseOrderRef, totalMsMax = TOTAL_MS_MAX, signal, sleep = pause } = options;
  const call = signal === undefined ? {} : { signal };
  const byteSize = bytes instanceof Blob ? bytes.size : bytes.byteLength;
  const reserved = await client.post('/uploads', { body: { mediaType, byteSize }, ...call });
  const uploadId = reserved.data.upload_id;
  await client.sendFile(uploadId, bytes, { mediaType, ...call });

  const body = {
    upload_id: uploadId,
    ...(companyId === undefined ? {} : { company_id: companyId }),
    ...(purchaseOrderRef === undefined ? {} : { purchase_order_ref: purchaseOrderRef }),
  };
  // A repeated request for the analysis with the same body returns the same invoice, or the refusal of the same
  // document.
  const analyze = (headers: Record<string, string>) => client.post('/invoices/from-upload', { body, headers, ...call });
  const first = await analyze({ prefer: `respond-async, wait=${WAIT_SECONDS}` });
  if (isAccepted(first)) return first;

  let waitedMs = 0;
  for (let delayMs = FIRST_POLL_MS; waitedMs < totalMsMax; delayMs = Math.min(delayMs * 2, POLL_MS_MAX)) {
    await sleep(delayMs, signal);
    waitedMs += delayMs;
    const { data } = await client.get('/uploads/{uploadId}/status', { path: { uploadId }, ...call });
    if (data.status !== 'COMPLETED' && data.status !== 'FAILED') continue;
    const last = await analyze({});
    if (isAccepted(last)) return last;
  }
  throw new NetworkError(
    `The uploaded document ${uploadId} has no decision after ${totalMsMax / 1_000} seconds. Its analysis continues.`,
  );
}

function isAccepted(answer: Answer<object>): answer is Answer<Accepted> {
  return 'decision' in answer.data;
}
