import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Progress, Submission } from '../../domain/submission.js';

/**
 * Returns the event for a new KSeF submission state, which is stored in the same write. Returns no event if users see
 * no change.
 */
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

/** Returns the audit event for a KSeF submission that a person requested or cancelled. */
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
