import { InboxRole, InboxRunStatus, InboxRunTrigger } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import type { InboxRun, RefusedInvoice } from '@invoicecontrol/contracts/ksef/v1/inbox_service';
import type { Inbox, KeptRefusal } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import * as shown from '../../http/description/shown.js';

/** Maximum number of refused invoices in the response about a KSeF inbox, and in the record of one inbox run. */
const REFUSED_MAX = 100;

const ROLES = ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED'] as const;
const ROLE_MEANINGS =
  'SUBJECT2 (the buyer), SUBJECT3 (a third party, such as the recipient or a factor) or SUBJECT_AUTHORIZED (an authorized party, such as a bailiff or a tax representative)';
const NUMBER_EXAMPLE = '5265877635-20260314-0A1B2C3D4E5F-7C';
const REASON_EXAMPLE =
  'The file in the package differs from the file that KSeF registered: its SHA-256 hash differs from the stated hash.';

const keptRefusal = shown.record<KeptRefusal>('KsefKeptRefusal')({
  ksefNumber: shown.text(
    NUMBER_EXAMPLE,
    'The KSeF number of the refused invoice, or the name of its file in the package if that name is not a KSeF number.',
  ),
  role: shown.word(
    z.enum(ROLES).describe(`The role of the company in the refused invoice: ${ROLE_MEANINGS}.`),
    'SUBJECT2',
  ),
  reason: shown.text(REASON_EXAMPLE, 'The reason for the last refusal of the invoice.'),
  firstAttemptAt: shown.instant(
    EXAMPLE_INSTANT,
    'The time when the KSeF inbox first refused the invoice.',
    'firstAttemptTime',
  ),
  lastAttemptAt: shown.instant(
    EXAMPLE_INSTANT,
    'The time when the KSeF inbox last refused the invoice.',
    'lastAttemptTime',
  ),
});

/** The inbox of a KSeF connection as shown to callers (KSeF reference, section 19). */
export const inbox = shown.record<Inbox>('KsefInbox')({
  enabled: shown.flag(true, 'Whether purchase invoices of the company are received from KSeF.'),
  from: shown.orNull(
    z.string().meta({ format: 'date' }),
    '2026-03-01',
    'The first day from which invoices are received, based on the date in Poland on which KSeF stored each invoice. Null if the inbox was never enabled.',
    'fromDate',
  ),
  receivedThrough: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time up to which the inbox has received every invoice that KSeF stored for the company as the buyer, or null if no period has been received completely yet.',
    'receivedThroughTime',
  ),
  lastRunAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the last inbox run ended, or null if no inbox run has ended.',
    'lastRunTime',
  ),
  lastErrorMessage: shown.textOrNull(
    null,
    'The message that explains why the last inbox run failed, or why the inbox currently receives nothing, and what must be changed. Null if there is no error.',
  ),
  invoicesReceived: shown.count(128, 'The number of invoices that the inbox has received so far.'),
  refused: shown.list(
    keptRefusal,
    'The invoices that KSeF delivered and the inbox could not store, oldest first. The inbox requests each of them again every night until the invoice is stored or dismissed. If a further invoice would be the 101st, the inbox pauses and loses nothing.',
    { itemsMax: REFUSED_MAX, example: [] },
  ),
});

const refusedInvoice = shown.record<RefusedInvoice>('KsefRefusedInvoice')({
  ksefNumber: shown.text(
    NUMBER_EXAMPLE,
    'The KSeF number of the invoice that was not stored, or the name of its file in the package if that name is not a KSeF number.',
  ),
  reason: shown.text(REASON_EXAMPLE, 'The reason why the invoice from KSeF was not stored.'),
});

/** A KSeF inbox run for one role (KSeF reference, section 19). */
export const inboxRun = shown.record<InboxRun>('KsefInboxRun')({
  id: shown.id(EXAMPLE_IDS.run, 'The id of the inbox run.', 'runId'),
  role: shown.name(
    z.enum(ROLES).describe(`The role of the company in the invoices of the inbox run: ${ROLE_MEANINGS}.`),
    InboxRole,
    'SUBJECT2',
  ),
  trigger: shown.name(
    z.enum(['SCHEDULE', 'MANUAL']).describe('The trigger of the inbox run: SCHEDULE or MANUAL (a request).'),
    InboxRunTrigger,
    'SCHEDULE',
  ),
  status: shown.name(
    z
      .enum(['RUNNING', 'SUCCEEDED', 'PARTIAL', 'FAILED'])
      .describe(
        'The status of the inbox run: RUNNING, SUCCEEDED (everything up to `through` was received), PARTIAL (some invoices were received, and the next run continues, or invoices were refused) or FAILED (nothing was received).',
      ),
    InboxRunStatus,
    'SUCCEEDED',
  ),
  from: shown.instant(
    '2026-03-14T09:15:00.000Z',
    'The start of the period of the inbox run. An invoice belongs to the period in which KSeF stored the invoice.',
    'fromTime',
  ),
  through: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time up to which the inbox run received every invoice. The next run begins at this time. Null if the run received no part of its period completely.',
    'throughTime',
  ),
  received: shown.count(3, 'The number of new invoices that the inbox run received.'),
  repeated: shown.count(
    1,
    'The number of invoices in the inbox run that had already been received. Receiving them again changed nothing.',
  ),
  refused: shown.list(
    refusedInvoice,
    'The first 100 invoices that KSeF delivered and the inbox run did not store, with the reasons.',
    { itemsMax: REFUSED_MAX, example: [] },
  ),
  errorMessage: shown.textOrNull(
    null,
    'The message that explains why the inbox run did not receive everything and what must be changed, or null if there was no error.',
  ),
  startedAt: shown.instant(EXAMPLE_INSTANT, 'The time when the inbox run started.', 'startedTime'),
  finishedAt: shown.instantOrNull(
    EXAMPLE_INSTANT,
    'The time when the inbox run ended, or null if the run is RUNNING.',
    'finishedTime',
  ),
});
