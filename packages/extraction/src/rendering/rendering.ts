import type { FailureReason } from '../reading.js';

/** A picture of a page, from 1, at most so many pixels wide; or the invoice of the document's XML as a page to read. */
export type RenderingTarget =
  { readonly kind: 'PAGE'; readonly page: number; readonly width: number } | { readonly kind: 'VIEW' };

/** A picture or view of a document for a person. */
export interface Rendering {
  readonly mediaType: 'image/png' | 'text/html';
  readonly content: Uint8Array;
}

export type RenderingOutcome =
  | { readonly rendering: Rendering }
  /** The document has only so many pages; of XML none. */
  | { readonly missing: 'PAGE'; readonly pages: number }
  /** There is no XML in the document. */
  | { readonly missing: 'VIEW' }
  | { readonly failure: { readonly reason: FailureReason; readonly message: string } };
