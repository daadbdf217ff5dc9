import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { receivedThrough } from '../../domain/inbox.js';
import type { Inbox } from '../../domain/inbox.js';
import type { InboxChange } from '../../domain/inbox-steps.js';
import { waitingRefusals } from '../../domain/kept-refusals.js';

/** Returns the event for the current KSeF inbox state. It is stored in the same write as that state. */
export function inboxChanged(inbox: Inbox): Announcement {
  const { id: connectionId, companyId, environment, isEnabled: enabled, from: fromDate } = inbox;
  const receivedThroughTime = receivedThrough(inbox);
  return announce(events.ksefInboxChanged, {
    connectionId,
    companyId,
    environment,
    enabled,
    fromDate,
    receivedThroughTime,
  });
}

/**
 * Returns the events of a KSeF inbox step. Each inbox run causes at most one event about new invoices, a paused inbox
 * causes one event until it continues, and one event names all invoices that were refused for the first time.
 */
export function stepEvents(before: Inbox, { inbox, ended = [], hasNews = false }: InboxChange): Announcement[] {
  const { id: connectionId, companyId, environment } = inbox;
  const isPaused = (one: Inbox): boolean => one.roles.some((role) => role.isPaused);
  const message = ended.find(({ errorMessage }) => errorMessage !== undefined)?.errorMessage;
  const known = new Set(before.refused.map(({ ksefNumber }) => ksefNumber));
  const refusals = waitingRefusals(inbox).filter(({ ksefNumber }) => !known.has(ksefNumber));
  return [
    ...(refusals.length > 0
      ? [
          announce(events.ksefInboxInvoicesRefused, {
            connectionId,
            companyId,
            environment,
            refusals: refusals.map(({ ksefNumber, reason }) => ({ ksefNumber, reason })),
          }),
        ]
      : []),
    ...(hasNews ? [inboxChanged(inbox)] : []),
    ...(message !== undefined && isPaused(inbox) && !isPaused(before)
      ? [announce(events.ksefInboxPaused, { connectionId, companyId, environment, message })]
      : []),
  ];
}

/**
 * Returns the audit event for a KSeF inbox that a person enabled or disabled, or in which a person dismissed a refused
 * invoice.
 */
export function inboxAudit(
  act: 'inbox_enabled' | 'inbox_disabled' | 'refused_invoice_dismissed',
  connectionId: string,
  context: RequestContext,
): Announcement {
  return auditAnnouncement(events.ksefAuditRecorded, context, {
    action: `ksef_connection.${act}`,
    target: `ksef_connection:${connectionId}`,
    outcome: 'SUCCEEDED',
  });
}
