import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { Confirmed, ConfirmationCheck, SealTrust } from '@invoicecontrol/compliance/ksef-confirmation';
import type { ValidationMode } from '@invoicecontrol/compliance/validation';
import type { Examination } from '@invoicecontrol/extraction/examine-document';
import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { OwnCompany } from '@invoicecontrol/extraction/reading';
import type { RenderingOutcome, RenderingTarget } from '@invoicecontrol/extraction/rendering/rendering';

/** A document that a child is to read, and how. */
export interface ReadingTask {
  readonly kind: 'READ';
  readonly mediaType: DocumentMediaType;
  readonly mode: ValidationMode;
  readonly companies: readonly OwnCompany[];
}

/** A document of which a child is to show something. */
export interface RenderingTask {
  readonly kind: 'RENDER';
  readonly mediaType: DocumentMediaType;
  readonly target: RenderingTarget;
}

/** A document of which a child is to say what KSeF would refuse. */
export interface Fa3Task {
  readonly kind: 'FA3';
  readonly mediaType: 'application/xml';
}

/** A confirmation of KSeF that a child is to check. */
export interface ConfirmationTask {
  readonly kind: 'CONFIRMATION';
  readonly mediaType: 'application/xml';
  readonly confirmed: Confirmed;
  readonly trust: SealTrust;
}

export type Task = ReadingTask | RenderingTask | Fa3Task | ConfirmationTask;

interface Results {
  readonly READ: Examination;
  readonly RENDER: RenderingOutcome;
  readonly FA3: Fa3Description;
  readonly CONFIRMATION: ConfirmationCheck;
}

/** Result of a task. */
export type ResultOf<T extends Task> = Results[T['kind']];

/** Messages from the parent: a task, its bytes piece by piece, and their end. */
export type ToChild =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/**
 * Messages from the child: it is warm, the document must be recognised from pictures (which may take longer), and the result. A defect is a
 * bug of this product, not a fault of the document.
 */
export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'recognises' }
  | { readonly kind: 'result'; readonly result: ResultOf<Task> }
  | { readonly kind: 'defect'; readonly message: string };
