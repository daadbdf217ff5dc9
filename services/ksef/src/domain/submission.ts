import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { v5 as uuidV5 } from 'uuid';
import type { Environment } from './connection.js';

/**
 * Status of a KSeF submission. A submission with the status QUEUED, SENDING or PROCESSING continues by itself. The
 * other statuses are final.
 */
export type SubmissionStatus = 'QUEUED' | 'SENDING' | 'PROCESSING' | 'ACCEPTED' | 'REJECTED' | 'FAILED';

/**
 * Fields of the submitted document, which are stored before any call to KSeF. The hash and the size identify the bytes
 * that are sent.
 */
export interface SubmittedDocument {
  readonly uploadId: string;
  /** SHA-256 hash of the submitted document in base64. */
  readonly hash: string;
  readonly byteSize: number;
  readonly sellerNip: string;
  /** Kind of the submitted invoice, from its field RodzajFaktury. */
  readonly kind: string;
  /** Number of the submitted invoice, from its field P_2. */
  readonly number: string;
  /** Issue date of the submitted invoice (field P_1) as `YYYY-MM-DD`. */
  readonly issueDate: string;
}

/** An interactive session that was opened for a KSeF submission. */
export interface SubmissionSession {
  readonly referenceNumber: string;
  readonly validUntil: Date;
  /** AES key and initialization vector. Absent when no more documents will be sent in the KSeF session. */
  readonly key: SealedValue | undefined;
  /** Time just before the submitted document was last sent in the KSeF session. It is stored before the call. */
  readonly sentAt: Date | undefined;
  /** Number of times that the document was sent in the current KSeF session and may have arrived. */
  readonly sends: number;
  /** Number of searches in KSeF for the document after a send that got no response. */
  readonly looks: number;
  readonly invoiceReferenceNumber: string | undefined;
  /** True if the KSeF session is no longer used for sending documents. */
  readonly isAbandoned: boolean;
  readonly isClosed: boolean;
  /** True if the KSeF session was opened before the submission was resumed. */
  readonly isEarlier?: true;
}

/** Fields that every KSeF submission has, regardless of its status. */
interface Course {
  /** KSeF sessions in which the document was sent, oldest first. They are kept when the submission is resumed. */
  readonly sessions: readonly SubmissionSession[];
  /** Number of consecutive failures of the next call to KSeF. */
  readonly failures: number;
  /** Number of polls of an invoice that KSeF is processing, or of a KSeF confirmation. */
  readonly polls: number;
  /** Number of consecutive failures to list the invoices of a KSeF session. Absent if listing has not failed. */
  readonly listFailures?: number | undefined;
  /** Number of new KSeF sessions opened after a 405 status, and after a 435 status. */
  readonly restarts: { readonly session: number; readonly key: number };
  readonly submittedAt: Date | undefined;
  /** Time of the next step of the KSeF submission. Undefined if no step remains. */
  readonly dueAt: Date | undefined;
}

/**
 * Initial values of the fields that are set only when KSeF has decided about the submission or the ksef service has
 * abandoned it.
 */
export const UNDECIDED = {
  ksefNumber: undefined,
  errorCode: undefined,
  errorMessage: undefined,
  upoReferenceNumber: undefined,
  completedAt: undefined,
} as const;
type Undecided = typeof UNDECIDED;

interface OpenProgress extends Course, Undecided {
  readonly status: 'QUEUED' | 'SENDING' | 'PROCESSING';
}

interface AcceptedProgress extends Course, Omit<Undecided, 'ksefNumber' | 'upoReferenceNumber' | 'completedAt'> {
  readonly status: 'ACCEPTED';
  readonly ksefNumber: string;
  /** Reference number of the KSeF confirmation of a submission. Absent until the confirmation is stored. */
  readonly upoReferenceNumber: string | undefined;
  readonly completedAt: Date;
}

interface RefusedProgress extends Course, Omit<Undecided, 'errorCode' | 'errorMessage' | 'completedAt'> {
  readonly status: 'REJECTED' | 'FAILED';
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly completedAt: Date;
}

/** Progress of a KSeF submission. Each change is stored in one write. */
export type Progress = OpenProgress | AcceptedProgress | RefusedProgress;

/**
 * A warning about a submitted document. Warnings do not stop the KSeF submission. OTHER_SELLER means that the document
 * names another seller than the NIP of the KSeF connection. KSeF accepts the document if that seller has granted a
 * permission, which the ksef service cannot see, and otherwise refuses it with status 410.
 */
export type SubmissionWarning = 'OTHER_SELLER';

/** A submission of an invoice to KSeF (specification 2.12). */
export type Submission = Progress & {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly connectionId: string;
  readonly invoiceId: string;
  readonly environment: Environment;
  readonly document: SubmittedDocument;
  /** Warnings at the time when the KSeF submission was last queued. */
  readonly warnings: readonly SubmissionWarning[];
  /**
   * Grant of the caller who last queued the KSeF submission. The worker proves with it that the organization wants the
   * invoice to be sent. Undefined if an earlier release queued the submission.
   */
  readonly grant: Buffer | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Summary of the KSeF submissions with remaining work, for metrics. */
export interface UnfinishedSubmissions {
  readonly byStatus: Readonly<Partial<Record<SubmissionStatus, number>>>;
  /** Number of KSeF submissions that were sent and have no result yet, and the time when the first of them was sent. */
  readonly unknown: { readonly count: number; readonly since: Date | undefined };
  readonly openSessions: number;
}

/**
 * Returns the KSeF session that users see: the last session that has the document, or the last session if none has it.
 */
export function shownSession({ sessions }: Pick<Progress, 'sessions'>): SubmissionSession | undefined {
  return sessions.findLast(({ invoiceReferenceNumber }) => invoiceReferenceNumber !== undefined) ?? sessions.at(-1);
}

/**
 * Checks whether two states of a KSeF submission look the same to users. Another poll of KSeF is not a visible change.
 */
export function isShownAlike(one: Progress, other: Progress): boolean {
  const shown = (progress: Progress): string => {
    const { status, ksefNumber, errorCode, errorMessage, upoReferenceNumber, submittedAt, completedAt } = progress;
    const session = shownSession(progress);
    const references = [session?.referenceNumber, session?.invoiceReferenceNumber, ksefNumber, upoReferenceNumber];
    return JSON.stringify([
      status,
      ...references,
      errorCode,
      errorMessage,
      submittedAt,
      completedAt,
      nextStep(progress),
    ]);
  };
  return shown(one) === shown(other);
}

/**
 * Returns the id of the submission of an invoice through a KSeF connection. The invoice and the connection determine
 * the id, so that a second request finds the first submission.
 */
export function submissionId(connectionId: string, invoiceId: string): string {
  return uuidV5(invoiceId, connectionId);
}

export function isFinal(status: SubmissionStatus): boolean {
  return status === 'ACCEPTED' || status === 'REJECTED' || status === 'FAILED';
}

/** Returns the KSeF session in which the document is sent or was last sent. */
export function currentSession({ sessions }: Pick<Progress, 'sessions'>): SubmissionSession | undefined {
  const last = sessions.at(-1);
  return last === undefined || last.isAbandoned || last.isClosed ? undefined : last;
}

/**
 * Checks whether the document may have reached KSeF since the submission was last resumed. Such a submission is tracked
 * until it is final, even if the KSeF connection can no longer be used.
 */
export function wasSent({ sessions }: Pick<Progress, 'sessions'>): boolean {
  return sessions.some(({ sends, isEarlier }) => sends > 0 && isEarlier !== true);
}

/** Returns the progress of a new KSeF submission. */
export function queued(now: Date): Progress {
  return {
    status: 'QUEUED',
    sessions: [],
    failures: 0,
    polls: 0,
    restarts: { session: 0, key: 0 },
    ...UNDECIDED,
    submittedAt: undefined,
    dueAt: now,
  };
}

/**
 * Maximum number of earlier sessions that a KSeF submission keeps, which is enough to recognise that a duplicate is an
 * earlier sending of the same submission. The oldest sessions are removed first, except sessions that are still open.
 */
export const SESSIONS_KEPT_MAX = 200;

/** Resumes a refused submission to KSeF. Its earlier sessions are kept. */
export function takenUpAgain({ sessions }: Pick<Progress, 'sessions'>, now: Date): Progress {
  const kept = sessions.filter(({ isClosed }, index) => !isClosed || index >= sessions.length - SESSIONS_KEPT_MAX);
  return { ...queued(now), sessions: kept.map((session) => ({ ...session, isAbandoned: true, isEarlier: true })) };
}

export function warningsOf(
  { sellerNip }: Pick<SubmittedDocument, 'sellerNip'>,
  contextNip: string,
): readonly SubmissionWarning[] {
  return sellerNip === contextNip ? [] : ['OTHER_SELLER'];
}

export const warningSentences: Readonly<Record<SubmissionWarning, string>> = {
  OTHER_SELLER:
    'The seller in the document is not the NIP of the KSeF connection. KSeF refuses such a document (410) unless the seller has granted the right to issue invoices on its behalf. Submit invoices issued by a supplier with the connection of that supplier.',
};

/** Describes the next step of a KSeF submission and states who must act. */
export function nextStep(progress: Progress): string {
  const { status, errorCode, upoReferenceNumber, dueAt } = progress;
  switch (status) {
    case 'QUEUED':
      return 'The invoice is waiting to be sent. No action is needed while the connection is CONNECTED; otherwise an administrator must test the connection, or save it with a new token or certificate.';
    case 'SENDING':
      if (currentSession(progress)?.sentAt !== undefined)
        return 'The invoice was sent to KSeF, but it is not known yet whether KSeF received it. The invoice is sent again only if KSeF does not have it. Do not issue the invoice in another way. No action is needed.';
      return 'The invoice is being sent. After an interruption it is sent again automatically, and it is never registered twice. No action is needed while the connection is CONNECTED; otherwise an administrator must test the connection, or save it with a new token or certificate.';
    case 'PROCESSING':
      return 'KSeF has the invoice and is examining it, which can take hours. The result is fetched automatically. Do not issue the invoice in another way. If the connection status changes to ERROR, an administrator must save a new token or certificate.';
    case 'ACCEPTED':
      if (upoReferenceNumber !== undefined)
        return 'The invoice is registered and its confirmation is stored. No action is needed.';
      return dueAt === undefined
        ? 'The invoice is registered, but KSeF returned no confirmation. Download the confirmation from KSeF with the KSeF number of the invoice.'
        : 'The invoice is registered. Its confirmation is fetched automatically. No action is needed.';
    case 'REJECTED':
      return nextStepAfterRejection(errorCode);
    case 'FAILED':
      return nextStepAfterFailure(errorCode);
  }
}

function nextStepAfterRejection(errorCode: string | undefined): string {
  if (errorCode === 'KSEF_440') {
    return 'KSeF already has a document with this seller, kind and number; `errorMessage` states whether it is a different file. Compare the two documents in KSeF. If they are the same invoice, it is registered and no action is needed; if this document is a different and correct invoice, its issuer must give it a new number.';
  }
  const correction =
    'The issuer must correct the invoice. Upload the corrected invoice and submit it from that upload.';
  // A document that breaks the schema of KSeF is refused before it is submitted.
  return errorCode === 'KSEF_450'
    ? `KSeF refused the content of the document. The document passed the check against the FA(3) schema, so it breaks a rule that is not part of the schema. The KSeF error message names the rule. ${correction}`
    : `KSeF refused the document. ${correction}`;
}

/** Error codes that mean a refused login to KSeF. Codes that begin with KSEF_AUTH_ have the same meaning. */
const TOKEN_CODES: ReadonlySet<string> = new Set(['KSEF_HTTP_401', 'KSEF_HTTP_403', 'KSEF_TOKEN_TOO_LONG']);

function nextStepAfterFailure(errorCode: string | undefined): string {
  if (errorCode === 'CONNECTION_DISABLED') {
    return 'The KSeF connection was disabled. An administrator can connect the company again and submit the invoice again.';
  }
  if (errorCode === 'CANCELED') return 'The KSeF submission was canceled. To send the invoice, submit it again.';
  if (errorCode === 'DECISION_CHANGED') {
    return 'The decision about the invoice is no longer PASS. Review its findings, then submit the invoice again.';
  }
  if (errorCode === 'DOCUMENT_CHANGED') {
    return 'The stored document is missing, or is not the document that was analyzed. Ask the operator of this installation.';
  }
  if (errorCode !== undefined && (TOKEN_CODES.has(errorCode) || errorCode.startsWith('KSEF_AUTH_'))) {
    return 'KSeF refused access; `errorMessage` states the reason. If the reason is the token, the certificate or their permissions, an administrator must save a token or certificate with permission to send invoices. Then test the connection and submit the invoice again; KSeF never registers it twice. Until then, do not issue the invoice in another way.';
  }
  return 'The invoice could not be submitted. An administrator can submit the invoice again; KSeF never registers it twice. Until then, do not issue the invoice in another way.';
}
