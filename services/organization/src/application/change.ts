import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Notification } from '../domain/notification.js';

/**
 * Records that are stored with the new state of an organization in one write: the actor, the audit entries, the events
 * and the mails to send.
 */
export interface Change {
  readonly context: RequestContext;
  readonly audit: readonly AuditLine[];
  /**
   * Organization whose audit trail gets the audit entries. Absent if it is the changed organization itself. A change to
   * an API key of a test organization is recorded in the audit trail of the organization that the test organization
   * belongs to.
   */
  readonly auditedIn?: string;
  readonly events?: readonly Announcement[];
  readonly notifications?: readonly Notification[];
}

/** Action for the audit trail with its target, such as `api_key.created` and `api_key:0192...`. */
export interface AuditLine {
  readonly action: AuditAction;
  readonly target: string;
}

export type AuditAction =
  | 'organization.created'
  | 'organization.updated'
  | 'organization.base_currency_changed'
  | 'organization.reference_validation_changed'
  | 'organization.four_eyes_changed'
  | 'organization.four_eyes_off_requested'
  | 'organization.four_eyes_off_withdrawn'
  | 'organization.plan_changed'
  | 'organization.subscription_changed'
  | 'organization.reference_validation_reduced'
  | 'organization.deleted'
  | 'organization.restored'
  | 'organization.purged'
  | 'company.created'
  | 'company.updated'
  | 'company.removed'
  | 'member.created'
  | 'member.invited'
  | 'member.accepted'
  | 'member.updated'
  | 'member.removed'
  | 'api_key.created'
  | 'api_key.updated'
  | 'api_key.revoked'
  | 'session.created'
  | 'session.ended'
  | 'view.created'
  | 'view.updated'
  | 'view.deleted';
