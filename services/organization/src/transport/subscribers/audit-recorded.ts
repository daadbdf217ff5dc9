import type { AuditRecorded } from '@invoicecontrol/contracts/audit/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { readActor } from '@invoicecontrol/runtime/request-context';
import { v5 as uuidv5 } from 'uuid';
import type { AuditTrail } from '../../application/audit-trail.js';

const AUDIT_EVENT_NAMESPACE = '2d3f4a0b-8a54-4f0e-9d0b-5f8f6f1c7e21';

/**
 * Handles the event `audit_recorded` of every service that publishes it. The audit trail of a deleted organization is
 * kept.
 */
export function onAuditRecorded({
  auditTrail,
  clock,
}: {
  auditTrail: AuditTrail;
  clock: Clock;
}): (event: AuditRecorded) => Promise<void> {
  return ({ eventId, eventTime, organizationId, actorType, actorId, action, target, outcome, requestId, ip }) =>
    auditTrail.add(organizationId, {
      id: uuidv5(eventId, AUDIT_EVENT_NAMESPACE),
      createdAt: eventTime ?? clock.now(),
      actor: readActor(actorType, actorId),
      action,
      target,
      outcome,
      requestId,
      ip,
    });
}
