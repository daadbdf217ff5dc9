import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { Confirmed, ConfirmationCheck, SealTrust } from '@invoicecontrol/compliance/ksef-confirmation';
import type { ValidationMode } from '@invoicecontrol/compliance/validation';
import type { Examination } from '@invoicecontrol/extraction/examine-document';
import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { OwnCompany } from '@invoicecontrol/extraction/reading';
import type { RenderingOutcome, RenderingTarget } from '@invoicecontrol/extraction/rendering/rendering';

/** A document for a child to read, with the options of the reading. */
export interface ReadingTask {
  readonly kind: 'READ';
  readonly mediaType: DocumentMediaType;
  readonly mode: ValidationMode;
  readonly companies: readonly OwnCompany[];
}

/** A document for a child to render. */
export interface RenderingTask {
  readonly kind: 'RENDER';
  readonly mediaType: DocumentMediaType;
  readonly target: RenderingTarget;
}

/** A document for a child to check for faults that KSeF would refuse. */
export interface Fa3Task {
  readonly kind: 'FA3';
  readonly mediaType: 'application/xml';
}

/** A KSeF confirmation for a child to check. */
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

/** Messages from the parent to the child: a task, its bytes piece by piece, and the end of the bytes. */
export type ToChild =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/**
 * Messages from the child: it is warm, text must be recognised from images (which may take longer), or the result. A
 * defect is a bug of this product and not a fault of the document.
 */
export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'recognises' }
  | { readonly kind: 'result'; readonly result: ResultOf<Task> }
  | { readonly kind: 'defect'; readonly message: string };
