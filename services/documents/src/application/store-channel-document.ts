import { createHash } from 'node:crypto';
import { SNIFFED_BYTES, sniffMediaType } from '@invoicecontrol/extraction/media-type';
import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { isSameOrigin } from '@invoicecontrol/values/channel-origin';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import { firstBytesOf, isOfType, requireReservable } from '../domain/upload.js';
import { inProgress, storeContent, UPLOAD_BYTES_METER } from './receive-upload.js';
import type { ContentStore, StoredUpload, UploadStore } from './uploads.js';

interface Deps {
  readonly uploads: UploadStore;
  readonly contents: ContentStore;
  readonly usage: UsageCounters;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time in milliseconds after which data that a crashed call left behind may be removed. */
  readonly ttlMs: number;
}

interface Input {
  readonly organizationId: string;
  /**
   * Upload id of a document from a channel such as KSeF. The caller derives the upload id from the company and from the
   * id of the document in the channel.
   */
  readonly uploadId: string;
  readonly origin: ChannelOrigin;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** Number of uploaded bytes that the plan of the organization allows in a month. Undefined if there is no limit. */
  readonly monthlyLimit: number | undefined;
}

/**
 * Stores a document that was received through a channel and keeps it permanently (ADR 0123). The document is stored
 * only once: a repeated call with the same bytes returns the stored document, even if the quota is used up.
 * @throws DomainError invalid for a type or size that is not accepted, already_exists if other bytes are stored under
 *   the id, not_found if the id belongs to another organization, in_progress while another call stores it,
 *   usage_exceeded
 */
export type StoreChannelDocument = (
  input: Input,
) => Promise<{ readonly upload: StoredUpload; readonly created: boolean }>;

export const storeChannelDocument =
  (deps: Deps): StoreChannelDocument =>
  async (input) => {
    const { uploads, usage, clock, ttlMs } = deps;
    const { organizationId, uploadId, origin, mediaType, content, monthlyLimit } = input;
    const byteSize = content.length;
    requireReservable({ mediaType, byteSize });
    requireType(mediaType, content);
    const known = await storedBefore(deps, input);
    if (known !== undefined) return { upload: known, created: false };
    const now = clock.now();
    const mark = { organizationId, month: usageMonth(now), meter: UPLOAD_BYTES_METER, amount: byteSize, at: now };
    await usage.requireRoom(mark, monthlyLimit);
    const expiresAt = new Date(now.getTime() + ttlMs);
    const document = { uploadId, organizationId, origin, mediaType, byteSize, createdAt: now, expiresAt };
    const receiving = await uploads.claimOfChannel(document);
    if (receiving === 'IN_PROGRESS') {
      throw inProgress('Another call is storing this document. Repeat the call when that one has ended.');
    }
    if (receiving === 'TAKEN') {
      const upload = await storedBefore(deps, input);
      if (upload !== undefined) return { upload, created: false };
      // The upload id that the caller derived for a document belongs to another organization, or to an upload that was
      // removed, so the caller learns only that there is no such upload.
      throw notFound('upload');
    }
    await storeContent(deps, receiving, { chunks: once(content), monthlyLimit });
    const upload = await storedBefore(deps, input);
    if (upload === undefined) throw new Error(`document ${uploadId} was stored and is missing`);
    return { upload, created: true };
  };

/**
 * Checks that the content of the document has the type that its channel (KSeF) states.
 * @throws DomainError invalid
 */
function requireType(mediaType: string, content: Uint8Array): void {
  const sniffed = sniffMediaType(content.subarray(0, SNIFFED_BYTES));
  if (isOfType(mediaType, sniffed)) return;
  throw invalidField('content', `Must be of the type ${mediaType}: ${firstBytesOf(sniffed)}.`);
}

/**
 * Finds a document from a channel such as KSeF that an earlier call stored.
 * @throws DomainError already_exists if other content is stored under the id
 */
async function storedBefore(
  { uploads }: Pick<Deps, 'uploads'>,
  { organizationId, uploadId, origin, content }: Input,
): Promise<StoredUpload | undefined> {
  const upload = await uploads.find(uploadId, organizationId);
  if (upload === undefined) return undefined;
  if (upload.content === undefined || !isSameOrigin(upload.origin, origin)) {
    throw new DomainError(
      'already_exists',
      'The id of the document belongs to another upload. Derive the id from the content of the document.',
    );
  }
  if (upload.content.sha256 !== createHash('sha256').update(content).digest('hex')) {
    throw new DomainError(
      'already_exists',
      `The document ${origin.externalId} is already stored with different content, and a stored document never changes. Compare the stored and the sent document with the original.`,
    );
  }
  return upload;
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}
