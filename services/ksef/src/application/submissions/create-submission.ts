import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection } from '../../domain/connection.js';
import { polishDayOf, requireSendable, requireSender } from '../../domain/preconditions.js';
import { givenUp } from '../../domain/submission-steps.js';
import { queued, submissionId, takenUpAgain, warningsOf } from '../../domain/submission.js';
import type { Submission, SubmittedDocument } from '../../domain/submission.js';
import { duplicatePrevented } from '../../telemetry.js';
import type { ConnectionStore } from '../connections/stores.js';
import type { Documents, Invoices, SubmissionStore } from './stores.js';
import { submissionAudit, submissionChanged } from './submission-events.js';

export interface SubmissionDeps {
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly submissions: SubmissionStore;
  readonly invoices: Invoices;
  readonly documents: Documents;
  readonly clock: Clock;
}

interface Asked {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly invoiceId: string;
}

/**
 * Queues an invoice (endpoint 15). A KSeF submission that is queued, in progress or accepted is returned unchanged. A
 * refused submission is resumed.
 * @returns whether this call queued the submission
 * @throws DomainError not_found, wrong_state with the reason; in this case nothing is stored and KSeF is not called
 */
export const createSubmission =
  (deps: SubmissionDeps) =>
  (asked: Asked, context: RequestContext): Promise<{ submission: Submission; isQueued: boolean }> =>
    retryOnConflict(async () => {
      const { connections, submissions, clock } = deps;
      const { organizationId, connectionId, invoiceId } = asked;
      const connection = await connections.find(organizationId, connectionId);
      if (connection === undefined) throw notFound('KSeF connection');
      const id = submissionId(connectionId, invoiceId);
      const stored = await submissions.find(organizationId, connectionId, id);
      if (stored !== undefined && stored.status !== 'REJECTED' && stored.status !== 'FAILED') {
        duplicatePrevented('REPEATED_REQUEST');
        return { submission: stored, isQueued: false };
      }
      const document = await requireDocument(deps, connection, invoiceId, context);
      const now = clock.now();
      if (stored !== undefined) {
        const again = takenUpAgain(stored, now);
        const events = [...submissionChanged(stored, again), submissionAudit('created', id, context)];
        const warnings = warningsOf(document, connection.contextNip);
        const queuedBy = { warnings, grant: context.grant };
        return { submission: await submissions.save(stored, again, events, queuedBy), isQueued: true };
      }
      const { companyId, environment } = connection;
      const submission: Submission = {
        ...queued(now),
        ...asked,
        id,
        version: 1,
        companyId,
        environment,
        document,
        warnings: warningsOf(document, connection.contextNip),
        grant: context.grant,
        createdAt: now,
        updatedAt: now,
      };
      const events = [...submissionChanged(submission, submission, true), submissionAudit('created', id, context)];
      if (await submissions.insert(submission, events)) return { submission, isQueued: true };
      const first = await submissions.find(organizationId, connectionId, id);
      if (first === undefined) throw notFound('submission');
      duplicatePrevented('REPEATED_REQUEST');
      return { submission: first, isQueued: false };
    });

/** Checks that the invoice meets all conditions for sending it to KSeF. */
async function requireDocument(
  { invoices, documents, clock }: SubmissionDeps,
  connection: Connection,
  invoiceId: string,
  context: RequestContext,
): Promise<SubmittedDocument> {
  const { organizationId, companyId } = connection;
  requireSender(connection);
  const invoice = await invoices.find(organizationId, invoiceId, context);
  if (invoice.companyId !== companyId) {
    throw new DomainError(
      'wrong_state',
      'The invoice and the KSeF connection belong to different companies. Submit the invoice with the KSeF connection of its own company.',
    );
  }
  const { documentId } = invoice;
  if (documentId === undefined) {
    throw new DomainError(
      'wrong_state',
      'The invoice has no document. Upload its FA(3) file and submit the invoice from that upload.',
    );
  }
  if (!invoice.isPass) {
    throw new DomainError(
      'wrong_state',
      'The current decision about the invoice is not PASS. Review the findings of the invoice, then submit it.',
    );
  }
  const facts = await documents.facts(organizationId, documentId, context);
  requireSendable(facts, polishDayOf(clock.now()));
  const { hash, byteSize, sellerNip, kind, number, issueDate } = facts;
  return { uploadId: documentId, hash, byteSize, sellerNip, kind, number, issueDate };
}

/**
 * Cancels a KSeF submission that is still QUEUED.
 * @throws DomainError not_found, wrong_state
 */
export const cancelSubmission =
  ({ submissions, clock }: Pick<SubmissionDeps, 'submissions' | 'clock'>) =>
  (organizationId: string, connectionId: string, id: string, context: RequestContext): Promise<Submission> =>
    retryOnConflict(async () => {
      const submission = await submissions.find(organizationId, connectionId, id);
      if (submission === undefined) throw notFound('submission');
      if (submission.status === 'FAILED' && submission.errorCode === CANCELED.code) return submission;
      if (submission.status !== 'QUEUED') {
        throw new DomainError(
          'wrong_state',
          `The KSeF submission is ${submission.status}; only a QUEUED submission can be canceled. To change an invoice that KSeF has accepted, issue a corrective invoice.`,
        );
      }
      const timing = { now: clock.now(), waitFactor: 1, requestMs: 0, random: 0 };
      const canceled = givenUp(submission, CANCELED, timing);
      const events = [...submissionChanged(submission, canceled), submissionAudit('canceled', id, context)];
      return submissions.save(submission, canceled, events);
    });

const CANCELED = { code: 'CANCELED', message: 'The submission was canceled.' } as const;
