import type { Lease } from '@invoicecontrol/runtime/mongo/claims';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { Reserved } from '../domain/upload.js';

export interface ReservedUpload extends Reserved {
  readonly uploadId: string;
  readonly organizationId: string;
  /** SHA-256 of the token that authorizes the PUT. Undefined for a document of a channel, which no PUT may change. */
  readonly tokenHash: string | undefined;
  /** Monthly limit of stored bytes when the upload was reserved. Undefined if the plan has no limit. */
  readonly monthlyLimit: number | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Channel that delivered the document. Undefined for an upload by a caller. */
  readonly origin?: ChannelOrigin | undefined;
  readonly content?: undefined;
}

/** An upload whose bytes are stored. */
export interface StoredUpload extends Omit<ReservedUpload, 'content'> {
  readonly content: Content;
  /**
   * Time when the bytes are removed as unused. Undefined once their analysis has begun, and for a document of a
   * channel.
   */
  readonly removeAt: Date | undefined;
}

export type Upload = ReservedUpload | StoredUpload;

/** Stored content of an upload. */
export interface Content {
  readonly fileId: string;
  /** SHA-256 in lower-case hex. */
  readonly sha256: string;
  /** Media type detected from the bytes. */
  readonly mediaType: string;
  readonly receivedAt: Date;
}

/** A PUT in progress, or a call that stores a document of a channel. Only its holder may store the content. */
export interface Receiving {
  readonly upload: ReservedUpload;
  /** Id under which the bytes are stored. */
  readonly fileId: string;
  readonly lease: Lease;
  /** Makes the bytes the content of the upload. Returns false if another PUT has taken over. */
  commit(content: Omit<Content, 'fileId'>, countedMonth: string): Promise<boolean>;
  /** Releases the claim, so that another PUT can begin. The bytes of this PUT have been removed. */
  release(): Promise<void>;
}

/** Data that remains of interrupted PUTs, or of an upload that was not used. */
export interface Remains {
  readonly uploadId: string;
  readonly fileIds: readonly string[];
  /** Reason for removing the upload itself. Undefined if the upload stays. */
  readonly ended: 'ABANDONED' | 'UNUSED' | undefined;
}

/** A document of a channel before its bytes are stored. */
export type ChannelDocument = Omit<ReservedUpload, 'tokenHash' | 'monthlyLimit' | 'content'> & {
  readonly origin: ChannelOrigin;
};

export interface UploadStore {
  insert(upload: ReservedUpload): Promise<void>;
  /**
   * Finds an upload. A document of a channel exists once its bytes are stored.
   * @param organizationId undefined if a token authorizes the call; the caller then checks the token
   */
  find(uploadId: string, organizationId: string | undefined): Promise<Upload | undefined>;
  /**
   * Claims a reservation for one PUT. Undefined if the upload already has its bytes, has expired, or another PUT is in
   * progress.
   */
  claim(uploadId: string): Promise<Receiving | undefined>;
  /**
   * Claims a document of a channel for one call that stores its bytes. The document is new, or an interrupted call left
   * it.
   * @returns IN_PROGRESS while another call stores it; TAKEN if its bytes are stored or its id belongs to another
   * upload
   */
  claimOfChannel(document: ChannelDocument): Promise<Receiving | 'IN_PROGRESS' | 'TAKEN'>;
  /** Ends the reservations that were made before a time. */
  expireOf(organizationId: string, until: Date): Promise<void>;
  /** Prevents the removal of a received upload as unused until a time. */
  keepUntil(organizationId: string, uploadId: string, until: Date): Promise<void>;
  /** Keeps a received upload permanently. Returns false if it was already removed. */
  keep(organizationId: string, uploadId: string): Promise<boolean>;
  /** Marks received uploads that nobody has used in time for removal. The number per call is limited. */
  endUnused(now: Date): Promise<void>;
  /** Returns uploads that the sweep must check. The number per call is limited. */
  due(now: Date): Promise<readonly string[]>;
  /**
   * Takes over the remains of an upload so that no PUT with an expired lease can continue, and describes them.
   * Undefined while a PUT is in progress. If the sweep crashes before the end, it checks the upload again.
   */
  takeRemains(uploadId: string, now: Date): Promise<Remains | undefined>;
  /** Removes the reservation, or the records of its interrupted PUTs, after their bytes were removed. */
  removeRemains(remains: Remains, now: Date): Promise<void>;
  /** Returns the oldest remains that are due but not removed, with the time at which they became due. */
  oldestDue(before: Date): Promise<{ readonly uploadId: string; readonly since: Date } | undefined>;
  /** Counts stored bytes that are marked with the month and were received in the given time. */
  countedBytes(
    organizationId: string,
    month: string,
    time: { readonly from: Date | undefined; readonly to: Date },
  ): Promise<number>;
}

/** Stores the bytes of files. */
export interface ContentStore {
  /** Stores bytes as they arrive. */
  write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads a range, including both ends, or the whole file if no range is given. */
  read(fileId: string, range?: { readonly first: number; readonly last: number }): AsyncIterable<Uint8Array>;
  /** Removes all stored bytes of a file. */
  delete(fileId: string): Promise<void>;
}
