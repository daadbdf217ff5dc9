import { createHash, timingSafeEqual } from 'node:crypto';
import { SNIFFED_BYTES, sniffMediaType } from '@invoicecontrol/extraction/media-type';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { createCounted } from '@invoicecontrol/metering/counted-create';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { longerThan, requireFittingHeader, requireReservedType, shorterThan } from '../domain/upload.js';
import type { ContentHeader, Reserved } from '../domain/upload.js';
import { uploadReceived, uploadRefused } from '../telemetry.js';
import { hashOf } from './token.js';
import type { ContentStore, Receiving, Upload, UploadStore } from './uploads.js';

/** Name of the usage counter for the stored bytes of uploads (documents reference, section 14). */
export const UPLOAD_BYTES_METER = 'upload_bytes';

/**
 * Interval at which a PUT request with an uploaded file renews its lease: a third of the duration of the lease. The
 * lease is renewed only while bytes arrive, so that another PUT request may take over from a stalled PUT request.
 */
const RENEW_EACH_MS = 20_000;
/** Number of seconds that a caller must wait while another PUT request stores the bytes of the same upload. */
const RETRY_AFTER_SECONDS = 5;

/** The organization, or the upload token, that authorizes a PUT request. */
export type Right = { readonly organizationId: string } | { readonly token: string };

interface Deps {
  readonly uploads: UploadStore;
  readonly contents: ContentStore;
  readonly usage: UsageCounters;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Input {
  readonly uploadId: string;
  readonly right: Right;
  readonly header: ContentHeader;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Stores the content of a reserved upload as it arrives. Only one PUT request at a time may store the content of an
 * upload. Refusals follow the order of the HTTP and security reference, and each leaves the reservation unchanged.
 * @throws DomainError unauthenticated, not_found, wrong_state, in_progress, unsupported_media_type, too_large, invalid,
 *   usage_exceeded
 */
export type ReceiveUpload = (input: Input) => Promise<void>;

export const receiveUpload =
  (deps: Deps): ReceiveUpload =>
  async ({ uploadId, right, header, chunks }) => {
    const upload = await findAllowed(deps, uploadId, right);
    requireOpen(upload, deps.clock.now());
    requireFittingHeader(upload, header);
    const receiving = await deps.uploads.claim(uploadId);
    if (receiving === undefined) {
      requireOpen((await deps.uploads.find(uploadId, undefined)) ?? upload, deps.clock.now());
      throw inProgress('Another PUT of this upload is in progress. Wait until that PUT has finished.');
    }
    await storeContent(deps, receiving, { chunks, monthlyLimit: upload.monthlyLimit });
  };

/**
 * Finds the organization for whose upload a token is valid.
 * @throws DomainError unauthenticated, not_found
 */
export type AuthorizeUpload = (uploadId: string, token: string) => Promise<string>;

export const authorizeUpload =
  (deps: Pick<Deps, 'uploads'>): AuthorizeUpload =>
  async (uploadId, token) =>
    (await findAllowed(deps, uploadId, { token })).organizationId;

async function findAllowed({ uploads }: Pick<Deps, 'uploads'>, uploadId: string, right: Right): Promise<Upload> {
  const upload = await uploads.find(uploadId, 'token' in right ? undefined : right.organizationId);
  if (upload === undefined) throw notFound('upload');
  if ('token' in right && !isTokenOf(upload, right.token)) {
    throw new DomainError(
      'unauthenticated',
      'The token in the URL does not belong to this upload. Use upload_url as it was returned, or an API key.',
    );
  }
  return upload;
}

function isTokenOf({ tokenHash }: Upload, token: string): boolean {
  return tokenHash !== undefined && timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(tokenHash));
}

/**
 * Checks that an upload can still receive the bytes of its file.
 * @throws DomainError wrong_state
 */
function requireOpen({ content, expiresAt }: Upload, now: Date): void {
  if (content !== undefined) {
    throw new DomainError('wrong_state', 'The file of this upload was already received. Reserve another upload.');
  }
  if (expiresAt <= now) {
    throw new DomainError(
      'wrong_state',
      'The reservation of this upload has expired. Reserve another upload for the file.',
    );
  }
}

interface NewContent {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Number of uploaded bytes that the plan of the organization allows in a month. Undefined if there is no limit. */
  readonly monthlyLimit: number | undefined;
}

/**
 * Stores the content of a claimed upload and counts its bytes. After a failure, no bytes remain.
 * @throws DomainError in_progress if another PUT request has taken over the upload, too_large, invalid, usage_exceeded
 */
export async function storeContent(
  deps: Pick<Deps, 'contents' | 'usage' | 'clock' | 'logger'>,
  receiving: Receiving,
  content: NewContent,
): Promise<void> {
  let mediaType: string;
  try {
    mediaType = await store(deps, receiving, content);
  } catch (error) {
    uploadRefused();
    await discard(deps, receiving);
    throw error;
  }
  uploadReceived(mediaType, receiving.upload.byteSize);
}

async function store(
  { contents, usage, clock }: Pick<Deps, 'contents' | 'usage' | 'clock'>,
  receiving: Receiving,
  { chunks, monthlyLimit }: NewContent,
): Promise<string> {
  const { upload, fileId, lease } = receiving;
  const hash = createHash('sha256');
  const checked = checkedContent(upload, chunks);
  let renewedAt = performance.now();
  const hashed = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of checked.chunks) {
      if (performance.now() - renewedAt > RENEW_EACH_MS) {
        if (!(await lease.renew())) throw takenOver();
        renewedAt = performance.now();
      }
      hash.update(chunk);
      yield chunk;
    }
  };
  await contents.write(fileId, hashed());
  const receivedAt = clock.now();
  const month = usageMonth(receivedAt);
  const content = { sha256: hash.digest('hex'), mediaType: checked.mediaType(), receivedAt };
  const { created } = await createCounted(
    { usage, clock },
    {
      mark: {
        organizationId: upload.organizationId,
        month,
        meter: UPLOAD_BYTES_METER,
        amount: upload.byteSize,
        at: receivedAt,
      },
      limit: monthlyLimit,
      insert: async () => ((await receiving.commit(content, month)) ? content : undefined),
    },
  );
  if (created === undefined) throw takenOver();
  return created.mediaType;
}

/** Passes on the bytes of an uploaded file, and fails if their number or type is not exactly as reserved. */
function checkedContent(
  reserved: Reserved,
  chunks: AsyncIterable<Uint8Array>,
): { readonly chunks: AsyncIterable<Uint8Array>; mediaType(): string } {
  let mediaType: string | undefined;
  const check = async function* (): AsyncIterable<Uint8Array> {
    let bytes = 0;
    let head: Buffer | undefined = Buffer.alloc(0);
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > reserved.byteSize) throw longerThan(reserved);
      if (head === undefined) {
        yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < SNIFFED_BYTES && bytes < reserved.byteSize) continue;
      mediaType = requireReservedType(reserved, sniffMediaType(head));
      yield head;
      head = undefined;
    }
    if (bytes < reserved.byteSize) throw shorterThan(reserved, bytes);
  };
  return {
    chunks: check(),
    mediaType() {
      if (mediaType === undefined)
        throw new TypeError('The file of the upload was not received to its end. Send the file again.');
      return mediaType;
    },
  };
}

/** Removes the stored bytes of an upload. Bytes that cannot be removed now are left to the sweep. */
async function discard(
  { contents, logger }: Pick<Deps, 'contents' | 'logger'>,
  { upload, fileId, release }: Receiving,
): Promise<void> {
  try {
    await contents.delete(fileId);
    await release();
  } catch (error) {
    logger.warn(
      { error, uploadId: upload.uploadId },
      'what an interrupted upload left could not be removed; the sweep retries',
    );
  }
}

function takenOver(): DomainError {
  return inProgress('This PUT stalled, so another PUT of this upload has taken over. Wait until that one has ended.');
}

export function inProgress(sentence: string): DomainError {
  return new DomainError('in_progress', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
