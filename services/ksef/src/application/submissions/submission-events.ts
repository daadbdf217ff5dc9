import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Progress, Submission } from '../../domain/submission.js';

/** The event of a new state, for the write that makes it true; none when the state stays. */
export function submissionChanged(
  { id, connectionId, companyId, invoiceId, status: before }: Submission,
  { status, errorCode, ksefNumber }: Progress,
  isNew = false,
): Announcement[] {
  if (status === before && !isNew) return [];
  return [
    announce(events.submissionChanged, {
      submissionId: id,
      connectionId,
      companyId,
      invoiceId,
      status,
      errorCode,
      ksefNumber,
    }),
  ];
}

/** The line of the audit trail about a submission that somebody asked for, or took back. */
export function submissionAudit(
  act: 'created' | 'canceled',
  submissionId: string,
  context: RequestContext,
): Announcement {
  return auditAnnouncement(events.ksefAuditRecorded, context, {
    action: `ksef_submission.${act}`,
    target: `ksef_submission:${submissionId}`,
    outcome: 'SUCCEEDED',
  });
}
