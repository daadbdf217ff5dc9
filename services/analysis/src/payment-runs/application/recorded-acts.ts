import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { AuditLine } from '@invoicecontrol/retention/audit';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

type Act = 'checked' | 'downloaded' | 'rechecked' | 'line_released' | 'reported';

/** Returns the entry for the audit trail about an action on a payment run. */
export function actOn(runId: string, act: Act): AuditLine {
  return { action: `payment_run.${act}`, target: `payment_run:${runId}`, outcome: 'SUCCEEDED' };
}

/**
 * Returns the audit event of an action that changes a payment run or one of its lines. The event is stored in the same
 * write as the change.
 */
export function recordedAct(runId: string, act: Act, context: RequestContext): Announcement {
  return auditAnnouncement(events.analysisAuditRecorded, context, actOn(runId, act));
}
