import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type {
  Attempt,
  AttemptStep,
  Submission,
  SubmissionWarning,
} from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { z } from 'zod';
import * as shown from '../../http/description/shown.js';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';

/** Maximum number of steps in one attempt to submit an invoice to KSeF. */
const STEPS_MAX = 1_000;
const WARNINGS_MAX = 10;

export const submissionStatus = z.enum(['QUEUED', 'SENDING', 'PROCESSING', 'ACCEPTED', 'REJECTED', 'FAILED']);

const warning = shown.record<SubmissionWarning>()({
  code: shown.text(
    'OTHER_SELLER',
    'The code of the warning, such as OTHER_SELLER (the seller in the document has a different NIP than the connection).',
  ),
  message: shown.text(
    'The document names a different seller.',
    'The message that explains why KSeF may refuse the document.',
  ),
});

/** A KSeF submission as shown to callers (specification 2.12), with its next step. */
export const submission = shown.record<Submission>('KsefSubmission')({
  id: shown.id(EXAMPLE_IDS.submission, 'The id of the KSeF submission.', 'submissionId'),
  companyId: shown.id(EXAMPLE_IDS.company, 'The id of the company that the KSeF connection belongs to.'),
  connectionId: shown.id(EXAMPLE_IDS.connection, 'The id of the KSeF connection with which the invoice is submitted.'),
  invoiceId: shown.id(EXAMPLE_IDS.invoice, 'The id of the submitted invoice.'),
  status: shown.name(
    submissionStatus.describe(
      'The status of the submission: QUEUED (nothing was sent), SENDING (a session is open or about to be opened), PROCESSING (KSeF has the document), ACCEPTED, REJECTED (KSeF refused the document) or FAILED. ACCEPTED, REJECTED and FAILED are final.',
    ),
    SubmissionStatus,
    'PROCESSING',
  ),
  sessionReferenceNumber: shown.textOrNull(
    '20260314-SO-2F1E0D9C8B-7A6B5C4D3E-6B',
    'The reference number of the KSeF session of the last attempt, or null if there was none.',
  ),
  invoiceReferenceNumber: shown.textOrNull(
    '20260314-EE-1A2B3C4D5E-6F7A8B9C0D-21',
    'The reference number of the document within its KSeF session, or null if there is none.',
  ),
  ksefNumber: shown.textOrNull(
    null,
    'The number under which KSeF registered the invoice, or null if KSeF has not registered the invoice.',
  ),
  upoReferenceNumber: shown.textOrNull(
    null,
    'The reference number of the confirmation of receipt. Null until `/upo` returns the confirmation.',
  ),
  errorCode: shown.textOrNull(
    null,
    'The error code of a submission that was not accepted, or null if there is none. The prefix KSEF_ is followed by the invoice status in KSeF (the submission is REJECTED with KSEF_410, KSEF_415, KSEF_430, KSEF_440 and KSEF_450); the prefixes KSEF_AUTH_, KSEF_HTTP_ and KSEF_API_ are followed by the code that KSeF returned. For CANCELED, CONNECTION_DISABLED, DECISION_CHANGED, DOCUMENT_CHANGED and REQUEST_OUTDATED, `errorMessage` states whether the document was ever sent.',
  ),
  errorMessage: shown.textOrNull(
    null,
    'The reason why the KSeF submission was not accepted, with at most 1,000 characters. Null if there is none.',
  ),
  submittedAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when KSeF received the document, or null if KSeF has not received the document.',
    'submittedTime',
  ),
  completedAt: shown.instantOrNull(
    null,
    'The time when the submission became ACCEPTED, REJECTED or FAILED, or null if the submission is not complete.',
    'completedTime',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the KSeF submission was first requested.', 'createdTime'),
  updatedAt: shown.instant(EXAMPLE_INSTANT, 'The time when the KSeF submission last changed.', 'updatedTime'),
  nextStep: shown.text(
    'KSeF has the invoice and is examining it, which can take hours. The result is fetched automatically. Do not issue the invoice in another way. If the connection status changes to ERROR, an administrator must save a new token or certificate.',
    'A sentence that states the next step of the KSeF submission and who must take it.',
  ),
  verificationUrl: shown.textOrNull(
    null,
    'The verification link for the QR code of an accepted invoice, or null if the invoice has not been accepted.',
  ),
  warnings: shown.list(
    warning,
    'The warnings about reasons for which KSeF may refuse the document. The document is sent despite a warning.',
    {
      itemsMax: WARNINGS_MAX,
      example: [],
    },
  ),
});

const step = shown.record<AttemptStep>()({
  name: shown.text(
    'open',
    'The name of one step of submitting the invoice to KSeF: open, send, status, close or confirmation.',
  ),
  at: shown.instant(
    EXAMPLE_INSTANT,
    'The time when the step of the attempt to submit the invoice to KSeF took place.',
    'time',
  ),
  code: shown.orNull(
    z.int(),
    201,
    'The status code of the step of submitting the invoice to KSeF: the HTTP status for open, send and close; the status of the invoice or session in KSeF for status and confirmation. Null if there was no response; it is then not known whether a document that was sent has arrived.',
  ),
});

/** Attempt to submit an invoice in one KSeF session, with the results of its steps. */
export const attempt = shown.record<Attempt>('KsefSubmissionAttempt')({
  sessionReferenceNumber: shown.textOrNull(
    '20260314-SO-2F1E0D9C8B-7A6B5C4D3E-6B',
    'The reference number of the KSeF session, or null if no session was opened.',
  ),
  startedAt: shown.instant(EXAMPLE_INSTANT, 'The time when the attempt to submit the invoice began.', 'startedTime'),
  steps: shown.list(step, 'The steps of the attempt to submit the invoice, oldest first.', {
    itemsMax: STEPS_MAX,
    example: [
      { name: 'open', at: EXAMPLE_INSTANT, code: 201 },
      { name: 'send', at: EXAMPLE_INSTANT, code: 202 },
    ],
  }),
});

/**
 * Returns the file name of a KSeF confirmation. A KSeF number consists of letters, digits and hyphens, so it is safe in
 * a header.
 */
export function confirmationFileName(ksefNumber: string): string {
  return `UPO_${ksefNumber.replaceAll(/[^0-9A-Za-z-]/g, '')}.xml`;
}
