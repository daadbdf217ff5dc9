import { usageMonth } from '@invoicecontrol/metering/usage-month';
import type { UsageCounters } from '@invoicecontrol/metering/usage';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { v7 as uuidv7 } from 'uuid';
import { requireReservable } from '../domain/upload.js';
import { UPLOAD_BYTES_METER } from './receive-upload.js';
import { hashOf, newToken } from './token.js';
import type { ReservedUpload, UploadStore } from './uploads.js';

interface Deps {
  readonly uploads: UploadStore;
  readonly usage: UsageCounters;
  readonly clock: Clock;
  readonly ttlMs: number;
}

interface Input {
  readonly organizationId: string;
  readonly mediaType: string;
  readonly byteSize: number;
  readonly monthlyLimit: number | undefined;
}

/**
 * Reserves an upload. The token of the upload authorizes one PUT request, and only the hash of the token is stored.
 * Bytes are counted when they are stored, but a reservation that already exceeds the quota is refused immediately.
 * @throws DomainError invalid for a type or size that is not accepted, usage_exceeded
 */
export type ReserveUpload = (input: Input) => Promise<{ upload: ReservedUpload; token: string }>;

export const reserveUpload =
  ({ uploads, usage, clock, ttlMs }: Deps): ReserveUpload =>
  async ({ organizationId, mediaType, byteSize, monthlyLimit }) => {
    requireReservable({ mediaType, byteSize });
    const createdAt = clock.now();
    const mark = {
      organizationId,
      month: usageMonth(createdAt),
      meter: UPLOAD_BYTES_METER,
      amount: byteSize,
      at: createdAt,
    };
    await usage.requireRoom(mark, monthlyLimit);
    const token = newToken();
    const upload = {
      uploadId: uuidv7(),
      organizationId,
      mediaType,
      byteSize,
      tokenHash: hashOf(token),
      monthlyLimit,
      isRequested: false,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + ttlMs),
    };
    await uploads.insert(upload);
    return { upload, token };
  };
