import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';

/** One act: who, what, when, from where. Carries no secret and no body. */
export interface AuditEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly actor: Actor;
  /** For example `api_key.created`; other services have actions of their own. */
  readonly action: string;
  readonly target: string;
  /** SUCCEEDED or REFUSED. */
  readonly outcome: string;
  readonly requestId: string;
  readonly ip: string | undefined;
}

/** The append-only record of what was done. */
export interface AuditTrail {
  /** Keeps an act that another service announced; repeatable, its id is derived from the event. */
  add(organizationId: string, event: AuditEvent): Promise<void>;
  list(organizationId: string, page: PageRequest): Promise<Page<AuditEvent>>;
}
