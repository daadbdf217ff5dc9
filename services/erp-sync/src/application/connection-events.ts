import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { AuditLine } from '@invoicecontrol/retention/audit';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection, ConnectionError, ConnectionStatus } from '../domain/connection.js';
import { productOf } from '../providers/registry.js';

/** Fields of `connection_changed` besides the connection. */
interface StatusChange {
  readonly status: ConnectionStatus;
  /** Undefined for a new connection. */
  readonly previousStatus: ConnectionStatus | undefined;
  /** The fault that led to ERROR. */
  readonly error?: ConnectionError;
  /** True when a person gave consent in the browser; the owners are told. */
  readonly isByConsent?: boolean;
  /** The company in the ERP, as the ERP names it. */
  readonly tenantName?: string | undefined;
}

/** `connection_changed`, for the write that changes the status. */
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

/** The line of the audit trail about an act on a connection. */
export function auditLine(act: Act, connectionId: string): AuditLine {
  return { action: `erp_connection.${act}`, target: `erp_connection:${connectionId}`, outcome: 'SUCCEEDED' };
}

/** {@link auditLine} for the write that makes the act true. */
export function auditEvent(act: Act, connectionId: string, context: RequestContext): Announcement {
  return auditAnnouncement(events.erpSyncAuditRecorded, context, auditLine(act, connectionId));
}
