import type { Lease } from '@invoicecontrol/runtime/mongo/claims';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { Reserved } from '../domain/upload.js';

export interface ReservedUpload extends Reserved {
  readonly uploadId: string;
  readonly organizationId: string;
  /**
   * SHA-256 hash of the upload token that authorizes the PUT request. Undefined for a channel document, which no PUT
   * request may change.
   */
  readonly tokenHash: string | undefined;
  /** Monthly limit of stored bytes at the time of the upload reservation. Undefined if the plan has no limit. */
  readonly monthlyLimit: number | undefined;
  /**
   * True if the upload may be analyzed: a caller of its organization has requested this, or the upload needs no such
   * request because a channel delivered it or an earlier release stored it.
   */
  readonly isRequested: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Channel that delivered the document. Undefined for an upload by a caller. */
  readonly origin?: ChannelOrigin | undefined;
  readonly content?: undefined;
}

export interface StoredUpload extends Omit<ReservedUpload, 'content'> {
  readonly content: Content;
  /**
   * Time when the content of the upload is removed as unused. Undefined once its analysis has begun, and for a channel
   * document.
   */
  readonly removeAt: Date | undefined;
}

export type Upload = ReservedUpload | StoredUpload;

export interface Content {
  readonly fileId: string;
  /** SHA-256 hash of the uploaded content, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Media type that was detected from the content of an upload. */
  readonly mediaType: string;
  readonly receivedAt: Date;
}

/**
 * A PUT request with an uploaded file in progress, or a call that stores a channel document. Only this request or call
 * may store the content of the upload.
 */
export interface Receiving {
  readonly upload: ReservedUpload;
  /** Id under which the content of the upload is stored. */
  readonly fileId: string;
  readonly lease: Lease;
  /**
   * Makes the stored bytes the content of the upload. Returns false if another PUT request has taken over the upload.
   */
  commit(content: Omit<Content, 'fileId'>, countedMonth: string): Promise<boolean>;
  /**
   * Releases the claim on an upload, so that another PUT request can begin. The bytes of this request have been
   * removed.
   */
  release(): Promise<void>;
}

/** Data left by interrupted PUT requests, or by an upload that was not used. */
export interface Remains {
  readonly uploadId: string;
  readonly fileIds: readonly string[];
  /** Reason why the upload is removed together with its leftover data. Undefined if the upload is kept. */
  readonly ended: 'ABANDONED' | 'UNUSED' | undefined;
}

/** A document from a channel such as KSeF, before its content is stored. */
export type ChannelDocument = Omit<ReservedUpload, 'tokenHash' | 'monthlyLimit' | 'isRequested' | 'content'> & {
  readonly origin: ChannelOrigin;
};

export interface UploadStore {
  insert(upload: ReservedUpload): Promise<void>;
  /**
   * Finds an upload. A document from a channel such as KSeF is found only after its content was stored.
   * @param organizationId undefined if a token authorizes the call; the caller then checks the token
   */
  find(uploadId: string, organizationId: string | undefined): Promise<Upload | undefined>;
  /**
   * Claims an upload reservation for one PUT request. Undefined if the upload already has content, has expired, or
   * another PUT request is in progress.
   */
  claim(uploadId: string): Promise<Receiving | undefined>;
  /**
   * Claims a channel document for one call that stores its content. The document is new, or an interrupted call has
   * left its record.
   * @returns IN_PROGRESS while another call stores the document; TAKEN if its content is already stored or its id
   *   belongs to another upload
   */
  claimOfChannel(document: ChannelDocument): Promise<Receiving | 'IN_PROGRESS' | 'TAKEN'>;
  /** Expires the upload reservations that were made before a given time. */
  expireOf(organizationId: string, until: Date): Promise<void>;
  /**
   * Stores that the analysis of an upload was requested, and keeps a received upload at least until the given time, even
   * if it is not used.
   */
  request(organizationId: string, uploadId: string, until: Date): Promise<void>;
  /** Keeps a received upload permanently. Returns false if it was already removed. */
  keep(organizationId: string, uploadId: string): Promise<boolean>;
  /** Finds received uploads that were not used in time, up to a maximum number, and marks them for removal. */
  endUnused(now: Date): Promise<void>;
  /** Returns a limited number of uploads that the sweep must check. */
  due(now: Date): Promise<readonly string[]>;
  /**
   * Claims the data that an interrupted or unused upload has left, and returns a description of the data. A PUT request
   * with an expired lease can then no longer continue. Undefined while a PUT request is in progress. If the sweep
   * crashes before the data is removed, the next sweep checks the upload again.
   */
  takeRemains(uploadId: string, now: Date): Promise<Remains | undefined>;
  /** Removes the upload reservation, or the records of its interrupted PUT requests, after their bytes were removed. */
  removeRemains(remains: Remains, now: Date): Promise<void>;
  /** Returns the oldest leftover data of uploads that is due but not removed, with the time at which it became due. */
  oldestDue(before: Date): Promise<{ readonly uploadId: string; readonly since: Date } | undefined>;
  /** Counts stored bytes of uploads that are marked with the month and were received in the given period. */
  countedBytes(
    organizationId: string,
    month: string,
    time: { readonly from: Date | undefined; readonly to: Date },
  ): Promise<number>;
}

/** Store for the content of uploaded files. */
export interface ContentStore {
  /** Stores the bytes of an uploaded file while they arrive. */
  write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads a range of bytes of an uploaded file, including both ends, or the whole file if no range is given. */
  read(fileId: string, range?: { readonly first: number; readonly last: number }): AsyncIterable<Uint8Array>;
  /** Removes all stored bytes of an uploaded file. */
  delete(fileId: string): Promise<void>;
}
