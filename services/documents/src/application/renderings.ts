import type { FailureReason } from '@invoicecontrol/extraction/reading';

/** A new rendering: its kind, and the document with its organization. */
export interface NewRendering {
  /** The same for the same page of the same document at the same width, or for the same view. */
  readonly key: string;
  readonly organizationId: string;
  readonly uploadId: string;
  readonly createdAt: Date;
}

/** A rendering that can be read. */
export interface StoredRendering {
  readonly fileId: string;
  readonly mediaType: string;
  readonly byteSize: number;
  /** Hex, lower case. */
  readonly sha256: string;
}

/** Reason why a document cannot be rendered, and a sentence about it. */
export interface RenderingFailure {
  readonly reason: FailureReason;
  readonly message: string;
}

/** A cache with bounds: what is not found is rendered again. */
export interface RenderingStore {
  find(
    organizationId: string,
    key: string,
    now: Date,
  ): Promise<{ readonly rendering: StoredRendering } | { readonly failure: RenderingFailure } | undefined>;
  /**
   * Removes the oldest of the organization where it would have too many, then stores.
   * @throws DomainError unavailable when it was removed before it was stored
   */
  store(
    made: NewRendering,
    content: { readonly mediaType: string; readonly sha256: string; readonly content: Uint8Array },
  ): Promise<StoredRendering>;
  storeFailure(made: NewRendering, failure: RenderingFailure): Promise<void>;
  read(rendering: StoredRendering): AsyncIterable<Uint8Array>;
  /** Removes those that have expired, a bounded number. @returns how many */
  removeExpired(now: Date): Promise<number>;
  /** Removes those of an organization that are stored; the sweep removes what is being stored. */
  removeOf(organizationId: string): Promise<void>;
}
