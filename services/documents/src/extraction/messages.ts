import type { ValidationMode } from '@invoicecontrol/compliance/validation';
import type { Examination } from '@invoicecontrol/extraction/examine-document';
import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { OwnCompany } from '@invoicecontrol/extraction/reading';

/** What a child is to read, and how. */
export interface Task {
  readonly mediaType: DocumentMediaType;
  readonly mode: ValidationMode;
  readonly companies: readonly OwnCompany[];
}

/** From the parent: a task, its bytes piece by piece, and their end. */
export type ToChild =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/**
 * From the child: that it is warm, that the document has to be recognised from pictures (which may take longer), and how it ended. A
 * defect is a fault of ours, not of the document.
 */
export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'recognises' }
  | { readonly kind: 'result'; readonly result: Examination }
  | { readonly kind: 'defect'; readonly message: string };
