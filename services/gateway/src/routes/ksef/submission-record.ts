import { enumName } from '@invoicecontrol/contracts/enum-name';
import { SubmissionStatus } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import type { Attempt, Submission } from '@invoicecontrol/contracts/ksef/v1/submission_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant } from '../../http/description/fields.js';

/** Of the steps of one attempt. */
const STEPS_MAX = 1_000;
const WARNINGS_MAX = 10;

export const submissionStatus = z.enum(['QUEUED', 'SENDING', 'PROCESSING', 'ACCEPTED', 'REJECTED', 'FAILED']);

const orNull = (what: string) => z.string().nullable().describe(what);
const instantOrNull = (what: string) => shownInstant().nullable().describe(what);

/** A submission as it is answered (specification 2.12), with what happens next. */
export const submission = z
  .object({
    id: shownId().describe('The id of the submission.'),
    companyId: shownId().describe('The company of the connection.'),
    connectionId: shownId().describe('The connection that it is submitted with.'),
    invoiceId: shownId().describe('The invoice.'),
    status: submissionStatus.describe(
      'QUEUED: nothing was sent. SENDING: a session is open, or about to be. PROCESSING: KSeF has the document. ACCEPTED, REJECTED by KSeF and FAILED are final.',
    ),
    sessionReferenceNumber: orNull('The session of KSeF, of the last attempt.'),
    invoiceReferenceNumber: orNull('The document within its session.'),
    ksefNumber: orNull('The number under which KSeF has registered the invoice.'),
    upoReferenceNumber: orNull('Of the confirmation of receipt; set when `/upo` has it.'),
    errorCode: orNull(
      'Why it was not accepted: KSEF_ and the status of the invoice (KSEF_410, KSEF_415, KSEF_430, KSEF_440, KSEF_450: REJECTED), KSEF_AUTH_, KSEF_HTTP_ or KSEF_API_ and what KSeF answered, ' +
        'or CANCELED, CONNECTION_DISABLED, DECISION_CHANGED, DOCUMENT_CHANGED: `errorMessage` says whether it was ever sent.',
    ),
    errorMessage: orNull('Why it was not accepted, at most 1,000 characters.'),
    submittedAt: instantOrNull('When KSeF had taken the document.'),
    completedAt: instantOrNull('When it became ACCEPTED, REJECTED or FAILED.'),
    createdAt: shownInstant().describe('When it was first requested.'),
    updatedAt: shownInstant().describe('The last change.'),
    nextStep: z.string().describe('What happens next, and who has to act.'),
    verificationUrl: orNull('The link of the QR code of an accepted invoice. Null before.'),
    warnings: z
      .array(
        z.object({
          code: z.string().describe('OTHER_SELLER: the document names another seller than the NIP of the connection.'),
          message: z.string().describe('What KSeF may refuse it for.'),
        }),
      )
      .max(WARNINGS_MAX)
      .describe('What KSeF may refuse the document for. It is sent all the same.'),
  })
  .meta({ id: 'KsefSubmission' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.submission,
      companyId: EXAMPLE_IDS.company,
      connectionId: EXAMPLE_IDS.connection,
      invoiceId: EXAMPLE_IDS.invoice,
      status: 'PROCESSING',
      sessionReferenceNumber: '20260314-SO-2F1E0D9C8B-7A6B5C4D3E-6B',
      invoiceReferenceNumber: '20260314-EE-1A2B3C4D5E-6F7A8B9C0D-21',
      ksefNumber: null,
      upoReferenceNumber: null,
      errorCode: null,
      errorMessage: null,
      submittedAt: EXAMPLE_INSTANT,
      completedAt: null,
      createdAt: EXAMPLE_INSTANT,
      updatedAt: EXAMPLE_INSTANT,
      nextStep:
        'KSeF has the invoice and examines it, which can take hours. The answer is fetched by itself; do not issue the invoice in another way. An administrator must store a new token if the connection turns to ERROR.',
      verificationUrl: null,
      warnings: [],
    },
  });

/** One session and what became of its steps. */
export const attempt = z
  .object({
    sessionReferenceNumber: orNull('The session of KSeF. Null: none was opened.'),
    startedAt: shownInstant().describe('When it began.'),
    steps: z
      .array(
        z.object({
          name: z.string().describe('The step: open, send, status, close or confirmation.'),
          at: shownInstant().describe('When it was done.'),
          code: z
            .int()
            .nullable()
            .describe(
              'The HTTP status of open, send and close; of status and confirmation that of the invoice or session at KSeF. Null: no answer, and whether a document that was sent arrived is not known.',
            ),
        }),
      )
      .max(STEPS_MAX)
      .describe('What was done, oldest first.'),
  })
  .meta({ id: 'KsefSubmissionAttempt' })
  .register(examples, {
    example: {
      sessionReferenceNumber: '20260314-SO-2F1E0D9C8B-7A6B5C4D3E-6B',
      startedAt: EXAMPLE_INSTANT,
      steps: [
        { name: 'open', at: EXAMPLE_INSTANT, code: 201 },
        { name: 'send', at: EXAMPLE_INSTANT, code: 202 },
      ],
    },
  });

export function presentSubmission(message: Submission): z.infer<typeof submission> {
  const showNullable = (instant: Date | undefined) => (instant === undefined ? null : showInstant(instant));
  return {
    id: message.submissionId,
    companyId: message.companyId,
    connectionId: message.connectionId,
    invoiceId: message.invoiceId,
    status: enumName(SubmissionStatus, message.status),
    sessionReferenceNumber: message.sessionReferenceNumber ?? null,
    invoiceReferenceNumber: message.invoiceReferenceNumber ?? null,
    ksefNumber: message.ksefNumber ?? null,
    upoReferenceNumber: message.upoReferenceNumber ?? null,
    errorCode: message.errorCode ?? null,
    errorMessage: message.errorMessage ?? null,
    submittedAt: showNullable(message.submittedTime),
    completedAt: showNullable(message.completedTime),
    createdAt: showInstant(message.createdTime),
    updatedAt: showInstant(message.updatedTime),
    nextStep: message.nextStep,
    verificationUrl: message.verificationUrl ?? null,
    warnings: message.warnings.map(({ code, message: sentence }) => ({ code, message: sentence })),
  };
}

/** The name of a confirmation: a KSeF number has letters, digits and hyphens, and no other character reaches a header. */
export function confirmationFileName(ksefNumber: string): string {
  return `UPO_${ksefNumber.replaceAll(/[^0-9A-Za-z-]/g, '')}.xml`;
}

export function presentAttempt(message: Attempt): z.infer<typeof attempt> {
  return {
    sessionReferenceNumber: message.sessionReferenceNumber ?? null,
    startedAt: showInstant(message.startedTime),
    steps: message.steps.map(({ name, time, code }) => ({ name, at: showInstant(time), code: code ?? null })),
  };
}
