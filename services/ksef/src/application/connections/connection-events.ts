import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';

type Act = 'created' | 'rotated' | 'tested' | 'disabled';

/** The line of the audit trail about an act on a connection, for the write that makes the act true. */
export function connectionAudit(act: Act, connectionId: string, context: RequestContext): Announcement {
  return auditAnnouncement(events.ksefAuditRecorded, context, {
    action: `ksef_connection.${act}`,
    target: `ksef_connection:${connectionId}`,
    outcome: 'SUCCEEDED',
  });
}
