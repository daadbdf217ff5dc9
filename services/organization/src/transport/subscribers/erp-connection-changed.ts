import type { ConnectionChanged } from '@invoicecontrol/contracts/erp_sync/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { notifyAboutErp } from '../../application/notifications.js';
import type { ErpNotice } from '../../domain/notification.js';

type NotifyDeps = Parameters<typeof notifyAboutErp>[0] & { readonly clock: Clock };

/**
 * Handles the event `connection_changed` of the erp-sync service: sends a mail about a consent, and about an ERP
 * connection that requires action.
 */
export function onErpConnectionChanged(deps: NotifyDeps): (event: ConnectionChanged) => Promise<void> {
  return async (event) => {
    const notice = noticeOf(event);
    if (notice === undefined) return;
    const { eventId, organizationId, eventTime: at = deps.clock.now() } = event;
    await notifyAboutErp(deps)({ eventId, organizationId, at, notice });
  };
}

function noticeOf(event: ConnectionChanged): ErpNotice | undefined {
  const { connectionId, providerName, status, byConsent, tenantName } = event;
  if (status === 'ERROR') {
    return {
      kind: 'ERP_REAUTH_REQUIRED',
      connectionId,
      providerName,
      isByConsent: event.needsConsent,
      errorCode: event.errorCode ?? 'AUTH_FAILED',
      errorMessage: event.errorMessage ?? 'The ERP refuses the credentials.',
    };
  }
  return byConsent ? { kind: 'ERP_CONNECTED', connectionId, providerName, tenantName } : undefined;
}
