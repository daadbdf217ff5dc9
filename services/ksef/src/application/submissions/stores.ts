import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Attempt } from '../../domain/attempts.js';
import type { DocumentFacts } from '../../domain/preconditions.js';
import type { Progress, Submission, SubmissionStatus, SubmissionWarning } from '../../domain/submission.js';

// The operations of submitting on the stores and on other services.

export interface SubmissionFilter {
  readonly status: SubmissionStatus | undefined;
  readonly invoiceId: string | undefined;
}

export interface SubmissionStore {
  /** Stores a submission; false when it already exists. */
  insert(submission: Submission, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string, submissionId: string): Promise<Submission | undefined>;
  list(
    organizationId: string,
    connectionId: string,
    filter: SubmissionFilter,
    page: PageRequest,
  ): Promise<Page<Submission>>;
  attempts(organizationId: string, connectionId: string, submissionId: string): Promise<readonly Attempt[] | undefined>;
  /** Changes a submission, and takes it from the worker that may have it. @throws VersionConflict when another change came between */
  save(
    submission: Submission,
    progress: Progress,
    events: readonly Announcement[],
    warnings?: readonly SubmissionWarning[],
  ): Promise<Submission>;
  /** Tells whether any submission is not final. */
  hasOpenSubmissions(organizationId: string, connectionId: string): Promise<boolean>;
  /** Tells whether any submission has unfinished work, also a session to close or a confirmation to fetch. */
  hasUnfinishedWork(organizationId: string, connectionId: string): Promise<boolean>;
  /** Makes those due of which nothing was sent, whatever they wait for. */
  wakeUnsent(organizationId: string, connectionId: string): Promise<void>;
  /** Makes those due that wait for their connection, or for another token of it. */
  wake(organizationId: string, connectionId: string): Promise<void>;
}

/** A submission that this process alone may go on with. */
export interface SubmissionClaim {
  readonly submission: Submission;
  readonly attempts: readonly Attempt[];
  keepAlive(onLost: () => void): { stop(): void };
  /** @throws VersionConflict when the claim holds no longer */
  save(
    progress: Progress,
    attempts: readonly Attempt[],
    events: readonly Announcement[],
    wait?: ConnectionWait,
  ): Promise<SubmissionClaim>;
  /** Gives the claim back; the submission is due as it was stored last. */
  release(): Promise<void>;
  /** Gives the claim back until later. It is no change: version and time of the last change stay. */
  wait(dueAt: Date, wait: ConnectionWait): Promise<void>;
}

/** Tells whether a submission waits for its connection, which wakes it. */
export interface ConnectionWait {
  readonly isForConnection: boolean;
}

export interface SubmissionQueue {
  /** Due ones that nobody has, the longest due first. */
  due(limit: number, busyConnectionIds: readonly string[]): Promise<readonly DueSubmission[]>;
  claim(due: DueSubmission): Promise<SubmissionClaim | undefined>;
  /** Makes those due that wait for their connection, or for another token of it. */
  wake(organizationId: string, connectionId: string): Promise<void>;
  /** Submissions with something left to do, by their status. */
  countUnfinished(): Promise<Readonly<Partial<Record<SubmissionStatus, number>>>>;
  /** Returns for how long the submission that has been due longest waits for a worker, in seconds. */
  lagSeconds(): Promise<number>;
  /** Those that were due before and that nobody has, the longest due first. */
  dueBefore(before: Date, limit: number): Promise<readonly WaitingSubmission[]>;
}

export interface DueSubmission {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
}

export interface WaitingSubmission extends DueSubmission {
  readonly status: SubmissionStatus;
  readonly dueSince: Date;
}

/** Confirmations of receipt as KSeF gave them. */
export interface ConfirmationStore {
  /** The first one stays. */
  keep(confirmation: StoredConfirmation): Promise<void>;
  find(organizationId: string, submissionId: string): Promise<StoredConfirmation | undefined>;
}

export interface StoredConfirmation {
  readonly submissionId: string;
  readonly organizationId: string;
  readonly ksefNumber: string;
  readonly xml: Buffer;
  /** Absent of one that was stored before seals were kept. */
  readonly seal?: KeptSeal | undefined;
  readonly storedAt: Date;
}

/** The seal of a valid confirmation. */
export interface KeptSeal {
  /** SHA-256 of its certificate, in hexadecimal digits with colons. */
  readonly fingerprint: string;
  /** False when the seal is valid, but no configured certificate identifies its holder. */
  readonly isHolderKnown: boolean;
}

/** The tenants of the organization service. */
export interface Organizations {
  /** False for one that is deleted, and may be restored. */
  exists(organizationId: string): Promise<boolean>;
}

/** The invoices of the analysis service. */
export interface Invoices {
  /** @throws DomainError not_found */
  find(organizationId: string, invoiceId: string, context: RequestContext): Promise<DecidedInvoice>;
}

export interface DecidedInvoice {
  readonly companyId: string;
  /** Upload of the invoice; undefined when it has no document. */
  readonly documentId: string | undefined;
  /** The decision now. */
  readonly isPass: boolean;
}

/** The documents of the documents service, which alone parses them. */
export interface Documents {
  /** @throws DomainError wrong_state for one that is gone, or that cannot be read */
  facts(organizationId: string, uploadId: string, context: RequestContext): Promise<DocumentFacts>;
  /** The bytes as they were uploaded. */
  read(organizationId: string, uploadId: string, context: RequestContext): Promise<Buffer>;
  /** Checks a confirmation. @returns its fault, or its seal when signature, number and hash are right */
  checkConfirmation(
    confirmation: Pick<Submission, 'organizationId' | 'environment'> & {
      readonly xml: Buffer;
      readonly ksefNumber: string;
      readonly hash: string;
    },
    context: RequestContext,
  ): Promise<{ readonly fault: string } | { readonly seal: KeptSeal }>;
}
