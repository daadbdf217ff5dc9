import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import type { FindingAssigned } from '@invoicecontrol/contracts/analysis/v1/events';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { notifyAssignee } from '../../application/notifications.js';

type NotifyDeps = Parameters<typeof notifyAssignee>[0] & { readonly clock: Clock };

/** Handles the event `finding_assigned` of the analysis service. */
export function onFindingAssigned(deps: NotifyDeps): (event: FindingAssigned) => Promise<void> {
  return ({ eventId, eventTime, organizationId, assigneeUserId, findingId, invoiceId, type, severity, summary }) =>
    notifyAssignee(deps)({
      eventId,
      organizationId,
      assignedAt: eventTime ?? deps.clock.now(),
      assigneeUserId,
      findingId,
      invoiceId,
      type,
      severity: optionalEnumName(Severity, severity) ?? 'unknown',
      summary,
    });
}
