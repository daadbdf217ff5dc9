import type {
  ConnectionFailed,
  CredentialEnding,
  InboxInvoicesRefused,
  InboxPaused,
  SubmissionChanged,
} from '@invoicecontrol/contracts/ksef/v1/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { companyNameOf, notifyAboutKsef, notifyAboutRefusal } from '../../application/notifications.js';

type NotifyDeps = Parameters<typeof notifyAboutKsef>[0] & { readonly clock: Clock };

/** Error codes of KSeF submissions that a person has ended. No mail is sent about submissions with these codes. */
const CHOSEN: ReadonlySet<string> = new Set(['CANCELED', 'CONNECTION_DISABLED']);

/** Handles the event `connection_failed` of the ksef service: notifies people that the KSeF token no longer works. */
export function onKsefConnectionFailed(deps: NotifyDeps): (event: ConnectionFailed) => Promise<void> {
  return async (event) => {
    const { eventId, organizationId, eventTime: at = deps.clock.now() } = event;
    const { connectionId: ksefConnectionId, environment, message } = event;
    const notice = { kind: 'KSEF_CONNECTION_FAILED', ksefConnectionId, environment, message } as const;
    await notifyAboutKsef(deps)({ eventId, organizationId, at, notice });
  };
}

/**
 * Handles the event `credential_ending` of the ksef service: notifies people that a certificate expires, or that KSeF
 * will stop accepting tokens.
 */
export function onKsefCredentialEnding(deps: NotifyDeps): (event: CredentialEnding) => Promise<void> {
  return async (event) => {
    const { eventId, organizationId, eventTime: at = deps.clock.now() } = event;
    const { connectionId: ksefConnectionId, companyId, environment, authentication, expiryTime: endsAt } = event;
    if (endsAt === undefined) throw new TypeError('The event about a KSeF certificate or token states no expiry time.');
    const companyName = await companyNameOf(deps, organizationId, companyId);
    const notice = {
      kind: 'KSEF_CREDENTIAL_ENDING',
      ksefConnectionId,
      environment,
      companyName,
      authentication,
      endsAt,
    } as const;
    await notifyAboutKsef(deps)({ eventId, organizationId, at, notice });
  };
}

/**
 * Handles the event `inbox_paused` of the ksef service: notifies people that purchase invoices are no longer received.
 */
export function onKsefInboxPaused(deps: NotifyDeps): (event: InboxPaused) => Promise<void> {
  return async (event) => {
    const { eventId, organizationId, eventTime: at = deps.clock.now() } = event;
    const { connectionId: ksefConnectionId, companyId, environment, message } = event;
    const companyName = await companyNameOf(deps, organizationId, companyId);
    const notice = { kind: 'KSEF_INBOX_PAUSED', ksefConnectionId, environment, companyName, message } as const;
    await notifyAboutKsef(deps)({ eventId, organizationId, at, notice });
  };
}

/**
 * Handles the event `inbox_invoices_refused` of the ksef service: notifies people of purchase invoices that could not
 * be stored.
 */
export function onKsefInvoicesRefused(deps: NotifyDeps): (event: InboxInvoicesRefused) => Promise<void> {
  return async (event) => {
    const { eventId, organizationId, eventTime: at = deps.clock.now() } = event;
    const { connectionId: ksefConnectionId, companyId, environment } = event;
    const companyName = await companyNameOf(deps, organizationId, companyId);
    const refusals = event.refusals.map(({ ksefNumber, reason }) => ({ ksefNumber, reason }));
    const notice = { kind: 'KSEF_INVOICES_REFUSED', ksefConnectionId, environment, companyName, refusals } as const;
    await notifyAboutKsef(deps)({ eventId, organizationId, at, notice });
  };
}

/**
 * Handles the event `submission_changed` of the ksef service: notifies people of an invoice that was submitted but
 * could not be registered.
 */
export function onKsefSubmissionChanged(deps: NotifyDeps): (event: SubmissionChanged) => Promise<void> {
  return async (event) => {
    const { eventId, organizationId, eventTime: at = deps.clock.now(), status, errorCode = '' } = event;
    if ((status !== 'REJECTED' && status !== 'FAILED') || CHOSEN.has(errorCode)) return;
    const { connectionId: ksefConnectionId, submissionId, invoiceId } = event;
    const isByKsef = status === 'REJECTED';
    const notice = {
      kind: 'KSEF_SUBMISSION_REFUSED',
      ksefConnectionId,
      submissionId,
      invoiceId,
      isByKsef,
      errorCode,
      eventId,
    } as const;
    await notifyAboutRefusal(deps)({ organizationId, at, notice });
  };
}
