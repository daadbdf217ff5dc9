import type { FailureReason } from '../reading.js';

/**
 * A picture of a page (counted from 1) with a maximum width in pixels, the words of a page with their positions, or the
 * XML invoice of the document as an HTML page.
 */
export type RenderingTarget =
  | { readonly kind: 'PAGE'; readonly page: number; readonly width: number }
  | { readonly kind: 'WORDS'; readonly page: number }
  | { readonly kind: 'VIEW' };

/** A picture of a document page, its words as JSON, or an HTML view of the document, for people. */
export interface Rendering {
  readonly mediaType: 'image/png' | 'application/json' | 'text/html';
  readonly content: Uint8Array;
}

export type RenderingOutcome =
  | { readonly rendering: Rendering }
  /** Outcome for a page that the document does not have. An XML document has no pages at all. */
  | { readonly missing: 'PAGE'; readonly pages: number }
  /** Outcome for a document without XML, which has no HTML view. */
  | { readonly missing: 'VIEW' }
  | { readonly failure: { readonly reason: FailureReason; readonly message: string } };
