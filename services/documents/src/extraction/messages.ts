import type { Fa3Description } from '@invoicecontrol/compliance/fa3-document';
import type { Confirmed, ConfirmationCheck, SealTrust } from '@invoicecontrol/compliance/ksef-confirmation';
import type { ValidationMode } from '@invoicecontrol/compliance/validation';
import type { Examination } from '@invoicecontrol/extraction/examine-document';
import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { OwnCompany } from '@invoicecontrol/extraction/reading';
import type { RenderingOutcome, RenderingTarget } from '@invoicecontrol/extraction/rendering/rendering';

/** Argument of a child process that gets only XML, and therefore loads no library for other documents. */
export const XML_ONLY = '--xml-only';

/** A document that a child process must read, with the options for reading it. */
export interface ReadingTask {
  readonly kind: 'READ';
  readonly mediaType: DocumentMediaType;
  readonly mode: ValidationMode;
  readonly companies: readonly OwnCompany[];
}

/** A document that a child process must render. */
export interface RenderingTask {
  readonly kind: 'RENDER';
  readonly mediaType: DocumentMediaType;
  readonly target: RenderingTarget;
}

/** A document that a child process must check for faults that KSeF would refuse. */
export interface Fa3Task {
  readonly kind: 'FA3';
  readonly mediaType: 'application/xml';
}

/** A KSeF confirmation that a child process must check. */
export interface ConfirmationTask {
  readonly kind: 'CONFIRMATION';
  readonly mediaType: 'application/xml';
  readonly confirmed: Confirmed;
  readonly trust: SealTrust;
}

/** A document in which a child process must look for a contact. */
export interface ContactTask {
  readonly kind: 'CONTACT';
  readonly mediaType: DocumentMediaType;
  readonly contact: string;
}

export type Task = ReadingTask | RenderingTask | Fa3Task | ConfirmationTask | ContactTask;

interface Results {
  readonly READ: Examination;
  readonly RENDER: RenderingOutcome;
  readonly FA3: Fa3Description;
  readonly CONFIRMATION: ConfirmationCheck;
  readonly CONTACT: boolean;
}

/** Result type for each type of task of a process that reads documents. */
export type ResultOf<T extends Task> = Results[T['kind']];

/**
 * Messages from the parent to the child process that reads documents: a task, the bytes of its document piece by piece,
 * and the end of the bytes.
 */
export type ToChild =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/**
 * Messages that the child process that reads documents sends: that it is ready, that text must be recognised from
 * images (which may take longer), the result of the task, or a defect. A defect is a bug in this product and not a
 * fault in the document.
 */
export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'recognises' }
  | { readonly kind: 'result'; readonly result: ResultOf<Task> }
  | { readonly kind: 'defect'; readonly message: string };
