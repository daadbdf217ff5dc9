import type { Lease } from '@invoicecontrol/runtime/mongo/claims';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { Reserved } from '../domain/upload.js';

export interface ReservedUpload extends Reserved {
  readonly uploadId: string;
  readonly organizationId: string;
  /** SHA-256 of the token that authorizes its PUT; undefined for a document of a channel, which no PUT may change. */
  readonly tokenHash: string | undefined;
  /** The plan's limit of stored bytes in a month, when it was reserved; undefined means none. */
  readonly monthlyLimit: number | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The channel through which the document came; undefined for an upload by a caller. */
  readonly origin?: ChannelOrigin | undefined;
  readonly content?: undefined;
}

/** An upload whose bytes are stored. */
export interface StoredUpload extends Omit<ReservedUpload, 'content'> {
  readonly content: Content;
  /** Time when the bytes are removed as unused; undefined once their analysis has begun, and for a document of a channel. */
  readonly removeAt: Date | undefined;
}

export type Upload = ReservedUpload | StoredUpload;

/** The stored bytes of an upload. */
export interface Content {
  readonly fileId: string;
  /** Hex, lower case. */
  readonly sha256: string;
  /** Media type that was detected from the bytes. */
  readonly mediaType: string;
  readonly receivedAt: Date;
}

/** A PUT, or a call that stores a document of a channel, in progress. Only its holder may store the content. */
export interface Receiving {
  readonly upload: ReservedUpload;
  /** Id under which the bytes are stored. */
  readonly fileId: string;
  readonly lease: Lease;
  /** Makes the bytes the content; false when another PUT has taken over. */
  commit(content: Omit<Content, 'fileId'>, countedMonth: string): Promise<boolean>;
  /** Lets another PUT begin; the bytes of this one are gone. */
  release(): Promise<void>;
}

/** Remains of broken PUTs, and of an upload that was not used. */
export interface Remains {
  readonly uploadId: string;
  readonly fileIds: readonly string[];
  /** Reason to remove the upload itself; undefined when it stays. */
  readonly ended: 'ABANDONED' | 'UNUSED' | undefined;
}

/** A document of a channel before its bytes are stored. */
export type ChannelDocument = Omit<ReservedUpload, 'tokenHash' | 'monthlyLimit' | 'content'> & {
  readonly origin: ChannelOrigin;
};

export interface UploadStore {
  insert(upload: ReservedUpload): Promise<void>;
  /**
   * Finds an upload. A document of a channel exists from the time when its bytes are stored.
   * @param organizationId undefined where a token authorizes, which the caller checks
   */
  find(uploadId: string, organizationId: string | undefined): Promise<Upload | undefined>;
  /** Claims a reservation for one PUT; undefined when it has its bytes, has expired, or another PUT is at work. */
  claim(uploadId: string): Promise<Receiving | undefined>;
  /**
   * Claims a document of a channel for one call that stores its bytes: a new one, or one that a broken call left.
   * @returns IN_PROGRESS while another call stores it, TAKEN when its bytes are stored or its id is that of another upload
   */
  claimOfChannel(document: ChannelDocument): Promise<Receiving | 'IN_PROGRESS' | 'TAKEN'>;
  /** Ends the reservations that were made until then. */
  expireOf(organizationId: string, until: Date): Promise<void>;
  /** Keeps a received upload from being removed as unused until then. */
  keepUntil(organizationId: string, uploadId: string, until: Date): Promise<void>;
  /** Keeps a received upload for good; false when it was already removed. */
  keep(organizationId: string, uploadId: string): Promise<boolean>;
  /** Received uploads that nobody has used in time become remains; a bounded number. */
  endUnused(now: Date): Promise<void>;
  /** Uploads that are due for a look of the sweep, a bounded number. */
  due(now: Date): Promise<readonly string[]>;
  /**
   * Makes sure that no PUT whose lease has lapsed comes back, and says what it left; undefined while one is at work. The
   * sweep looks at the upload again, should it crash before the end.
   */
  takeRemains(uploadId: string, now: Date): Promise<Remains | undefined>;
  /** Removes the reservation, or its broken PUTs, after the bytes were removed. */
  removeRemains(remains: Remains, now: Date): Promise<void>;
  /** Returns the oldest remains that are due and not removed, with the time since when they are due. */
  oldestDue(before: Date): Promise<{ readonly uploadId: string; readonly since: Date } | undefined>;
  /** Stored bytes with a mark of the month that were received in that time. */
  countedBytes(
    organizationId: string,
    month: string,
    time: { readonly from: Date | undefined; readonly to: Date },
  ): Promise<number>;
}

/** The bytes of files. */
export interface ContentStore {
  /** Stores bytes as they come. */
  write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** A range, both ends included; the whole file without one. */
  read(fileId: string, range?: { readonly first: number; readonly last: number }): AsyncIterable<Uint8Array>;
  /** Removes what there is of a file. */
  delete(fileId: string): Promise<void>;
}
