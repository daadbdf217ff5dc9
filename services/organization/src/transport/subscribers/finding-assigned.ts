import type { FindingAssigned } from '@invoicecontrol/contracts/analysis/v1/events';
import { Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { notifyAssignee } from '../../application/notifications.js';

type NotifyDeps = Parameters<typeof notifyAssignee>[0] & { readonly clock: Clock };

/** Handles analysis `finding_assigned`. */
export function onFindingAssigned(deps: NotifyDeps): (event: FindingAssigned) => Promise<void> {
  return ({ eventId, eventTime, organizationId, assigneeUserId, findingId, invoiceId, type, severity, summary }) =>
    notifyAssignee(deps, {
      eventId,
      organizationId,
      assignedAt: eventTime ?? deps.clock.now(),
      assigneeUserId,
      findingId,
      invoiceId,
      type,
      severity: nameOf(severity),
      summary,
    });
}

function nameOf(severity: Severity): string {
  switch (severity) {
    case Severity.INFO:
      return 'INFO';
    case Severity.LOW:
      return 'LOW';
    case Severity.MEDIUM:
      return 'MEDIUM';
    case Severity.HIGH:
      return 'HIGH';
    case Severity.CRITICAL:
      return 'CRITICAL';
    case Severity.UNSPECIFIED:
    case Severity.UNRECOGNIZED:
      return 'unknown';
    default:
      return severity satisfies never;
  }
}
