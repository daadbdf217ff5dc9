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

/** Of the steps of one attempt. */
const STEPS_MAX = 1_000;
const WARNINGS_MAX = 10;

export const submissionStatus = z.enum(['QUEUED', 'SENDING', 'PROCESSING', 'ACCEPTED', 'REJECTED', 'FAILED']);

const warning = shown.record<SubmissionWarning>()({
  code: shown.text(
    'code',
    'OTHER_SELLER',
    'OTHER_SELLER: the document names another seller than the NIP of the connection.',
  ),
  message: shown.text('message', 'The document names another seller.', 'What KSeF may refuse it for.'),
});

/** A submission as it is answered (specification 2.12), with what happens next. */
export const submission = shown.record<Submission>('KsefSubmission')({
  id: shown.id('submissionId', EXAMPLE_IDS.submission, 'The id of the submission.'),
  companyId: shown.id('companyId', EXAMPLE_IDS.company, 'The company of the connection.'),
  connectionId: shown.id('connectionId', EXAMPLE_IDS.connection, 'The connection that it is submitted with.'),
  invoiceId: shown.id('invoiceId', EXAMPLE_IDS.invoice, 'The invoice.'),
  status: shown.name(
    submissionStatus.describe(
      'QUEUED: nothing was sent. SENDING: a session is open, or about to be. PROCESSING: KSeF has the document. ACCEPTED, REJECTED by KSeF and FAILED are final.',
    ),
    SubmissionStatus,
    'status',
    'PROCESSING',
  ),
  sessionReferenceNumber: shown.textOrNull(
    'sessionReferenceNumber',
    '20260314-SO-2F1E0D9C8B-7A6B5C4D3E-6B',
    'The session of KSeF, of the last attempt.',
  ),
  invoiceReferenceNumber: shown.textOrNull(
    'invoiceReferenceNumber',
    '20260314-EE-1A2B3C4D5E-6F7A8B9C0D-21',
    'The document within its session.',
  ),
  ksefNumber: shown.textOrNull('ksefNumber', null, 'The number under which KSeF has registered the invoice.'),
  upoReferenceNumber: shown.textOrNull(
    'upoReferenceNumber',
    null,
    'Of the confirmation of receipt; set when `/upo` has it.',
  ),
  errorCode: shown.textOrNull(
    'errorCode',
    null,
    'Why it was not accepted: KSEF_ and the status of the invoice (KSEF_410, KSEF_415, KSEF_430, KSEF_440, KSEF_450: REJECTED), KSEF_AUTH_, KSEF_HTTP_ or KSEF_API_ and what KSeF answered, ' +
      'or CANCELED, CONNECTION_DISABLED, DECISION_CHANGED, DOCUMENT_CHANGED: `errorMessage` says whether it was ever sent.',
  ),
  errorMessage: shown.textOrNull('errorMessage', null, 'Why it was not accepted, at most 1,000 characters.'),
  submittedAt: shown.instantOrNull('submittedTime', EXAMPLE_INSTANT, 'When KSeF had taken the document.'),
  completedAt: shown.instantOrNull('completedTime', null, 'When it became ACCEPTED, REJECTED or FAILED.'),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When it was first requested.'),
  updatedAt: shown.instant('updatedTime', EXAMPLE_INSTANT, 'The last change.'),
  nextStep: shown.text(
    'nextStep',
    'KSeF has the invoice and examines it, which can take hours. The answer is fetched by itself; do not issue the invoice in another way. An administrator must store a new token if the connection turns to ERROR.',
    'What happens next, and who has to act.',
  ),
  verificationUrl: shown.textOrNull(
    'verificationUrl',
    null,
    'The link of the QR code of an accepted invoice. Null before.',
  ),
  warnings: shown.list(warning, 'warnings', 'What KSeF may refuse the document for. It is sent all the same.', {
    itemsMax: WARNINGS_MAX,
    example: [],
  }),
});

const step = shown.record<AttemptStep>()({
  name: shown.text('name', 'open', 'The step: open, send, status, close or confirmation.'),
  at: shown.instant('time', EXAMPLE_INSTANT, 'When it was done.'),
  code: shown.orNull(
    z.int(),
    'code',
    201,
    'The HTTP status of open, send and close; of status and confirmation that of the invoice or session at KSeF. Null: no answer, and whether a document that was sent arrived is not known.',
  ),
});

/** One session and what became of its steps. */
export const attempt = shown.record<Attempt>('KsefSubmissionAttempt')({
  sessionReferenceNumber: shown.textOrNull(
    'sessionReferenceNumber',
    '20260314-SO-2F1E0D9C8B-7A6B5C4D3E-6B',
    'The session of KSeF. Null: none was opened.',
  ),
  startedAt: shown.instant('startedTime', EXAMPLE_INSTANT, 'When it began.'),
  steps: shown.list(step, 'steps', 'What was done, oldest first.', {
    itemsMax: STEPS_MAX,
    example: [
      { name: 'open', at: EXAMPLE_INSTANT, code: 201 },
      { name: 'send', at: EXAMPLE_INSTANT, code: 202 },
    ],
  }),
});

/** The name of a confirmation: a KSeF number has letters, digits and hyphens, and no other character reaches a header. */
export function confirmationFileName(ksefNumber: string): string {
  return `UPO_${ksefNumber.replaceAll(/[^0-9A-Za-z-]/g, '')}.xml`;
}
