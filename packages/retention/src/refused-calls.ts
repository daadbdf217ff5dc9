import { randomUUID } from 'node:crypto';
import type { AuditRecorded } from '@invoicecontrol/contracts/audit/v1/events';
import { events } from '@invoicecontrol/contracts/events';
import type { EventType } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RefusedCall } from '@invoicecontrol/runtime/refused-calls';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { EventPublisher } from '@invoicecontrol/runtime/nats/publish';

/** An entry of the audit trail about a refused call. */
export interface RefusedCallEntry {
  readonly action: 'rpc.refused';
  readonly target: string;
  readonly outcome: 'REFUSED';
}

/** Returns what the audit trail says about a refused call. */
export function refusedCallEntry({ rpc, reason }: Pick<RefusedCall, 'rpc' | 'reason'>): RefusedCallEntry {
  return { action: 'rpc.refused', target: `rpc:${rpc} ${reason}`, outcome: 'REFUSED' };
}

/**
 * Returns a function that publishes the audit event of a refused call in the name of the service that refused it. The
 * event is published at once, because a refused call changes no document with which the event could be stored (ADR
 * 0146).
 * @returns undefined for a service without audit events
 */
export function refusedCallPublisher(
  service: string,
  { bus, clock }: { readonly bus: Bus; readonly clock: Clock },
): ((refused: RefusedCall) => Promise<void>) | undefined {
  const catalogue: readonly EventType[] = Object.values(events);
  const type = catalogue.find((one) => one.service === service && one.name === 'audit_recorded') as
    EventType<AuditRecorded> | undefined;
  if (type === undefined) return undefined;
  let publisher: Promise<EventPublisher> | undefined;
  return async (refused) => {
    const { organizationId, caller, requestId } = refused;
    const body = { ...refusedCallEntry(refused), actorType: 'SYSTEM', actorId: caller, requestId, ip: undefined };
    const aggregate = { id: randomUUID(), organizationId, version: 1 };
    const opened = await (publisher ??= eventPublisher(bus, service));
    for (const event of envelopes(aggregate, [announce(type, body)], clock.now())) await opened.publish(event);
  };
}
