import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { SubmissionServiceDefinition, SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type {
  Attempt as WireAttempt,
  Submission as WireSubmission,
} from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { notFound } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { requireConnection } from '../../application/connections/disable-connection.js';
import { cancelSubmission, createSubmission } from '../../application/submissions/create-submission.js';
import type { SubmissionDeps } from '../../application/submissions/create-submission.js';
import type { ConfirmationStore } from '../../application/submissions/stores.js';
import type { Attempt } from '../../domain/attempts.js';
import { nextStep, shownSession, warningSentences } from '../../domain/submission.js';
import type { Submission } from '../../domain/submission.js';
import { verificationLink } from '../../domain/verification-link.js';

export interface SubmissionServiceDeps extends SubmissionDeps {
  readonly confirmations: ConfirmationStore;
}

/** Implements the gRPC service invoicecontrol.ksef.v1.SubmissionService. */
export function submissionService(deps: SubmissionServiceDeps): Binding {
  const { connections, submissions, confirmations } = deps;
  const create = createSubmission(deps);
  const cancel = cancelSubmission(deps);
  const require = async (organizationId: string, connectionId: string, submissionId: string): Promise<Submission> => {
    const found = await submissions.find(organizationId, connectionId, submissionId);
    if (found === undefined) throw notFound('submission');
    return found;
  };
  return bind(SubmissionServiceDefinition, {
    async createSubmission({ organizationId, connectionId, invoiceId }, context) {
      const { submission, isQueued } = await create({ organizationId, connectionId, invoiceId }, context);
      return { submission: encode(submission), queued: isQueued };
    },
    async listSubmissions({ organizationId, connectionId, status, invoiceId, ...page }) {
      await requireConnection(connections, organizationId, connectionId);
      const filter = { connectionId, status: optionalEnumName(SubmissionStatus, status), invoiceId };
      const { items, nextPageToken } = await submissions.list(organizationId, filter, readPageRequest(page));
      return { submissions: items.map(encode), nextPageToken };
    },
    async listAllSubmissions({ organizationId, companyId, status, invoiceId, ...page }) {
      const filter = { companyId, status: optionalEnumName(SubmissionStatus, status), invoiceId };
      const { items, nextPageToken } = await submissions.list(organizationId, filter, readPageRequest(page));
      return { submissions: items.map(encode), nextPageToken };
    },
    async getSubmission({ organizationId, connectionId, submissionId }) {
      return { submission: encode(await require(organizationId, connectionId, submissionId)) };
    },
    async listAttempts({ organizationId, connectionId, submissionId }) {
      const attempts = await submissions.attempts(organizationId, connectionId, submissionId);
      if (attempts === undefined) throw notFound('submission');
      return { attempts: attempts.map(encodeAttempt) };
    },
    async cancelSubmission({ organizationId, connectionId, submissionId }, context) {
      return { submission: encode(await cancel(organizationId, connectionId, submissionId, context)) };
    },
    async getConfirmation({ organizationId, connectionId, submissionId }) {
      await require(organizationId, connectionId, submissionId);
      const stored = await confirmations.find(organizationId, submissionId);
      if (stored === undefined) throw notFound('confirmation');
      return { xml: stored.xml, ksefNumber: stored.ksefNumber };
    },
  });
}

function encode(submission: Submission): WireSubmission {
  const { id, companyId, connectionId, invoiceId, status, ksefNumber, upoReferenceNumber } = submission;
  const { errorCode, errorMessage, submittedAt, completedAt, createdAt, updatedAt, environment, document } = submission;
  const session = shownSession(submission);
  return {
    submissionId: id,
    companyId,
    connectionId,
    invoiceId,
    status: SubmissionStatus[status],
    sessionReferenceNumber: session?.referenceNumber,
    invoiceReferenceNumber: session?.invoiceReferenceNumber,
    ksefNumber,
    upoReferenceNumber,
    errorCode,
    errorMessage,
    submittedTime: submittedAt,
    completedTime: completedAt,
    createdTime: createdAt,
    updatedTime: updatedAt,
    nextStep: nextStep(submission),
    warnings: submission.warnings.map((code) => ({ code, message: warningSentences[code] })),
    verificationUrl: status === 'ACCEPTED' ? verificationLink(environment, document) : undefined,
  };
}

function encodeAttempt({ sessionReferenceNumber, startedAt, steps }: Attempt): WireAttempt {
  return {
    sessionReferenceNumber,
    startedTime: startedAt,
    steps: steps.map(({ name, at, code }) => ({ name, time: at, code })),
  };
}
