import { randomUUID } from 'node:crypto';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RefusedCall } from '@invoicecontrol/runtime/refused-calls';
import { refusedCallEntry } from '@invoicecontrol/retention/refused-calls';
import type { AuditTrail } from '../application/audit-trail.js';

/** Adds a call that this service refused to the audit trail of the organization that the call named. */
export function onRefusedCall({
  auditTrail,
  clock,
}: {
  auditTrail: AuditTrail;
  clock: Clock;
}): (refused: RefusedCall) => Promise<void> {
  return (refused) =>
    auditTrail.add(refused.organizationId, {
      ...refusedCallEntry(refused),
      id: randomUUID(),
      createdAt: clock.now(),
      actor: { type: 'SYSTEM', id: refused.caller },
      requestId: refused.requestId,
      ip: undefined,
    });
}
