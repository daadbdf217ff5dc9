import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';

/** One act: who, what, when, from where. Contains no secret and no request body. */
export interface AuditEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly actor: Actor;
  /** Audited action, for example `api_key.created`; other services have actions of their own. */
  readonly action: string;
  readonly target: string;
  /** SUCCEEDED or REFUSED. */
  readonly outcome: string;
  readonly requestId: string;
  readonly ip: string | undefined;
}

/** The append-only audit trail. */
export interface AuditTrail {
  /** Stores an act that another service published. Idempotent: the id is derived from the event. */
  add(organizationId: string, event: AuditEvent): Promise<void>;
  list(organizationId: string, page: PageRequest): Promise<Page<AuditEvent>>;
}
