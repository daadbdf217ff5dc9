import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { Page, PageRequest } from '../domain/page.js';
import type { AuditAction } from './change.js';

/** One change that was made: who, what, when, from where. Carries no secret and no body. */
export interface AuditEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly target: string;
  readonly outcome: 'SUCCEEDED';
  readonly requestId: string;
  readonly ip: string | undefined;
}

/** The append-only record of what was changed. */
export interface AuditTrail {
  list(organizationId: string, page: PageRequest): Promise<Page<AuditEvent>>;
}
