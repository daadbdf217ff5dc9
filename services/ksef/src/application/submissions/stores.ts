import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Attempt } from '../../domain/attempts.js';
import type { DocumentFacts } from '../../domain/preconditions.js';
import type { Progress, Submission, SubmissionStatus, UnfinishedSubmissions } from '../../domain/submission.js';

// Store and service operations that the KSeF submission use cases need.

export interface SubmissionFilter {
  readonly connectionId?: string | undefined;
  readonly companyId?: string | undefined;
  readonly status: SubmissionStatus | undefined;
  readonly invoiceId: string | undefined;
}

export interface SubmissionStore {
  /** Stores a KSeF submission. Returns false if the submission already exists. */
  insert(submission: Submission, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string, submissionId: string): Promise<Submission | undefined>;
  /** Lists the KSeF submissions that match, newest first. */
  list(organizationId: string, filter: SubmissionFilter, page: PageRequest): Promise<Page<Submission>>;
  attempts(organizationId: string, connectionId: string, submissionId: string): Promise<readonly Attempt[] | undefined>;
  /**
   * Stores a change to a KSeF submission and cancels the claim of any worker on it.
   * @param queued warnings and grant of the request that queued the submission again; undefined for other changes
   * @throws VersionConflict if the submission has changed since it was read
   */
  save(
    submission: Submission,
    progress: Progress,
    events: readonly Announcement[],
    queued?: Pick<Submission, 'warnings' | 'grant'>,
  ): Promise<Submission>;
  /** Checks whether the KSeF connection has a submission that is not final. */
  hasOpenSubmissions(organizationId: string, connectionId: string): Promise<boolean>;
  /**
   * Checks whether any KSeF submission has unfinished work, including a session to close or a confirmation to fetch.
   */
  hasUnfinishedWork(organizationId: string, connectionId: string): Promise<boolean>;
  /** Makes all unsent submissions to KSeF due now, regardless of what they are waiting for. */
  wakeUnsent(organizationId: string, connectionId: string): Promise<void>;
  /** Makes submissions to KSeF due now that are waiting for a change of their connection or for another KSeF token. */
  wake(organizationId: string, connectionId: string): Promise<void>;
}

/**
 * A KSeF submission that this process has claimed. No other process may change the submission until the claim is
 * released.
 */
export interface SubmissionClaim {
  readonly submission: Submission;
  readonly attempts: readonly Attempt[];
  keepAlive(onLost: () => void): { stop(): void };
  /**
   * Stores the next state of the claimed KSeF submission.
   * @throws VersionConflict if the claim is no longer valid
   */
  save(
    progress: Progress,
    attempts: readonly Attempt[],
    events: readonly Announcement[],
    wait?: ConnectionWait,
  ): Promise<SubmissionClaim>;
  /** Releases the claim on the KSeF submission. The stored time of its next step stays the same. */
  release(): Promise<void>;
  /**
   * Releases the claim on the KSeF submission until a later time. Its version and the time of its last change stay the
   * same.
   */
  wait(dueAt: Date, wait: ConnectionWait): Promise<void>;
}

/** Reason why a submission is waiting for its KSeF connection. A change of the connection wakes it. */
export interface ConnectionWait {
  readonly isForConnection: boolean;
}

export interface SubmissionQueue {
  /** Returns due KSeF submissions without a claim, starting with the one that has been due the longest. */
  due(limit: number, busyConnectionIds: readonly string[]): Promise<readonly DueSubmission[]>;
  claim(due: DueSubmission): Promise<SubmissionClaim | undefined>;
  /** Makes submissions to KSeF due now that are waiting for a change of their connection or for another KSeF token. */
  wake(organizationId: string, connectionId: string): Promise<void>;
  /** Summarizes the KSeF submissions that have remaining work, at most the first 10,000 of them. */
  summarizeUnfinished(): Promise<UnfinishedSubmissions>;
  /** Returns the time in seconds for which the longest due KSeF submission has waited for a worker. */
  lagSeconds(): Promise<number>;
  /**
   * Returns KSeF submissions without a claim that were due before the given time, starting with the one that has been
   * due the longest.
   */
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

/** Confirmations of receipt (UPO) for submitted invoices, exactly as KSeF sent them. */
export interface ConfirmationStore {
  /** Stores a confirmation of receipt from KSeF. An existing confirmation is not replaced. */
  keep(confirmation: StoredConfirmation): Promise<void>;
  find(organizationId: string, submissionId: string): Promise<StoredConfirmation | undefined>;
}

export interface StoredConfirmation {
  readonly submissionId: string;
  readonly organizationId: string;
  readonly ksefNumber: string;
  readonly xml: Buffer;
  /**
   * Electronic seal of the KSeF confirmation of an invoice. Absent if the confirmation was stored before seals were
   * kept.
   */
  readonly seal?: KeptSeal | undefined;
  readonly storedAt: Date;
}

/** Electronic seal of a valid confirmation from KSeF. */
export interface KeptSeal {
  /** SHA-256 fingerprint of the certificate that sealed a KSeF confirmation, in hexadecimal digits with colons. */
  readonly fingerprint: string;
  /**
   * False if the seal of a KSeF confirmation is valid but no configured certificate belongs to the holder of the seal.
   */
  readonly isHolderKnown: boolean;
}

/** Asks the organization service which organizations exist. */
export interface Organizations {
  /**
   * Checks whether an organization exists. A deleted organization does not count as existing, although it may be
   * restored.
   */
  exists(organizationId: string): Promise<boolean>;
}

/** Invoices and their decisions, from the analysis service. */
export interface Invoices {
  /**
   * Returns an invoice with its current decision.
   * @throws DomainError not_found
   */
  find(organizationId: string, invoiceId: string, context: RequestContext): Promise<DecidedInvoice>;
}

export interface DecidedInvoice {
  readonly companyId: string;
  /** Id of the upload with the invoice document. Undefined if the invoice has no document. */
  readonly documentId: string | undefined;
  /** True when the current decision on the invoice is PASS. */
  readonly isPass: boolean;
}

/** Documents from the documents service, which is the only service that parses them. */
export interface Documents {
  /**
   * Returns the fields of an FA(3) document that KSeF needs.
   * @throws DomainError wrong_state if the document was deleted or cannot be read
   */
  facts(organizationId: string, uploadId: string, context: RequestContext): Promise<DocumentFacts>;
  /** Returns the uploaded invoice document as bytes. */
  read(organizationId: string, uploadId: string, context: RequestContext): Promise<Buffer>;
  /**
   * Checks a confirmation of receipt from KSeF.
   * @returns the fault of the confirmation, or its seal if signature, number and hash are correct
   */
  checkConfirmation(
    confirmation: Pick<Submission, 'organizationId' | 'environment'> & {
      readonly xml: Buffer;
      readonly ksefNumber: string;
      readonly hash: string;
    },
    context: RequestContext,
  ): Promise<{ readonly fault: string } | { readonly seal: KeptSeal }>;
}
