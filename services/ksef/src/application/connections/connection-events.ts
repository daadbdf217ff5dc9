import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

type Act = 'created' | 'rotated' | 'tested' | 'disabled';

/** Returns the audit event for an action on a KSeF connection. It is stored in the same write as the action. */
export function connectionAudit(act: Act, connectionId: string, context: RequestContext): Announcement {
  return auditAnnouncement(events.ksefAuditRecorded, context, {
    action: `ksef_connection.${act}`,
    target: `ksef_connection:${connectionId}`,
    outcome: 'SUCCEEDED',
  });
}
