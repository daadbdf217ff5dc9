import type { FailureReason } from '@invoicecontrol/extraction/reading';

/** A new rendering (picture or view) of a document, with the organization that owns the document. */
export interface NewRendering {
  /**
   * Key that identifies the rendering of a document. The key is the same for the same page of the same document at the
   * same width, or for the same view.
   */
  readonly key: string;
  readonly organizationId: string;
  readonly uploadId: string;
  readonly createdAt: Date;
}

/** A stored picture of a document page, or a view, whose bytes can be read. */
export interface StoredRendering {
  readonly fileId: string;
  readonly mediaType: string;
  readonly byteSize: number;
  /** SHA-256 hash of the rendered document page, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Reason why a document cannot be rendered, and a sentence that explains the reason. */
export interface RenderingFailure {
  readonly reason: FailureReason;
  readonly message: string;
}

/** Cache of rendered document pages, with a limited size. A page that is not in the cache is rendered again. */
export interface RenderingStore {
  find(
    organizationId: string,
    key: string,
    now: Date,
  ): Promise<{ readonly rendering: StoredRendering } | { readonly failure: RenderingFailure } | undefined>;
  /**
   * Stores a new rendering of a document. If the organization would then have too many renderings, the oldest are
   * removed first.
   * @throws DomainError unavailable if the rendering was removed before it was stored
   */
  store(
    made: NewRendering,
    content: { readonly mediaType: string; readonly sha256: string; readonly content: Uint8Array },
  ): Promise<StoredRendering>;
  storeFailure(made: NewRendering, failure: RenderingFailure): Promise<void>;
  read(rendering: StoredRendering): AsyncIterable<Uint8Array>;
  /**
   * Removes a limited number of expired document renderings.
   * @returns the number of removed renderings
   */
  removeExpired(now: Date): Promise<number>;
  /**
   * Removes the stored document renderings of an organization. The sweep removes renderings that are still being
   * stored.
   */
  removeOf(organizationId: string): Promise<void>;
}
