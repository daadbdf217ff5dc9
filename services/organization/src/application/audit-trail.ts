import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';

/** Audited action with its actor, target, time and origin. An audit entry contains no secret and no request body. */
export interface AuditEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly actor: Actor;
  /** Name of the action, such as `api_key.created`. Each service has its own actions. */
  readonly action: string;
  readonly target: string;
  /** Outcome of the audited action: SUCCEEDED or REFUSED. */
  readonly outcome: string;
  readonly requestId: string;
  readonly ip: string | undefined;
}

/** Conditions on the entries in a list of the audit trail. Absent conditions do not restrict the list. */
export interface AuditFilter {
  readonly actorId?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly outcome?: string | undefined;
}

/** Store of the audit trail, to which entries can only be added. */
export interface AuditTrail {
  /**
   * Stores an audit event that another service published. The call may be repeated, because the id is derived from the
   * event.
   */
  add(organizationId: string, event: AuditEvent): Promise<void>;
  list(organizationId: string, query: AuditFilter & PageRequest): Promise<Page<AuditEvent>>;
}
