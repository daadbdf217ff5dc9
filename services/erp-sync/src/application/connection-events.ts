import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { AuditLine } from '@invoicecontrol/retention/audit';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import { productOf } from '../providers/registry.js';

/** Fields of `connection_changed` in addition to the ERP connection. */
interface StatusChange {
  readonly status: ConnectionStatus;
  /** Previous status. Undefined for a new ERP connection. */
  readonly previousStatus: ConnectionStatus | undefined;
  /** The fault that caused the status ERROR of the ERP connection. */
  readonly error?: ConnectionError;
  /**
   * True if a user gave the OAuth consent in the browser. In this case, the owners of the organization are notified.
   */
  readonly isByConsent?: boolean;
  /** Name that the company of an ERP connection has in the ERP. */
  readonly tenantName?: string | undefined;
}

/** Returns the event `connection_changed` for the write that changes the status of an ERP connection. */
export function connectionChanged(
  { id, companyId, provider }: Pick<Connection, 'id' | 'companyId' | 'provider'>,
  { status, previousStatus, error, isByConsent = false, tenantName }: StatusChange,
): Announcement {
  const { title, credentials } = productOf(provider);
  return announce(events.connectionChanged, {
    connectionId: id,
    companyId,
    provider,
    providerName: title,
    needsConsent: credentials === undefined,
    status,
    previousStatus,
    errorCode: error?.code,
    errorMessage: error?.message,
    byConsent: isByConsent,
    tenantName,
  });
}

type Act = 'created' | 'reauthorized' | 'updated' | 'deleted' | 'tested' | 'sync_started';

/** Returns the audit event for an action on an ERP connection. */
export function auditLine(act: Act, connectionId: string): AuditLine {
  return { action: `erp_connection.${act}`, target: `erp_connection:${connectionId}`, outcome: 'SUCCEEDED' };
}

/**
 * Returns the audit event of an action on an ERP connection ({@link auditLine}), which is stored in the same write as
 * the action.
 */
export function auditEvent(act: Act, connectionId: string, context: RequestContext): Announcement {
  return auditAnnouncement(events.erpSyncAuditRecorded, context, auditLine(act, connectionId));
}
