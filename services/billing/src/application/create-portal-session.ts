import { events } from '@invoicecontrol/contracts/events';
import { DomainError } from '@invoicecontrol/errors';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { currentSubscription } from '../domain/account.js';
import type { ChangeAccount } from './change-account.js';
import { ProviderUnavailable, UnknownAtProvider } from './provider-api.js';
import type { ProviderApi } from './provider-api.js';
import type { Accounts } from './stores.js';

export interface PortalDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly changeAccount: ChangeAccount;
  readonly api: ProviderApi;
  readonly logger: Logger;
}

/** Maximum number of subscriptions that the payment provider accepts in one request. */
const PORTAL_SUBSCRIPTIONS_MAX = 25;

/**
 * Returns a link to the payment provider's page for payment method, invoices and cancellation.
 * @throws DomainError wrong_state without a customer; not_found if the provider has no such customer; foreign_failure
 *   if the provider does not respond
 */
export const createPortalSession =
  ({ accounts, changeAccount, api, logger }: PortalDeps) =>
  async (organizationId: string, context: RequestContext): Promise<string> => {
    const account = await accounts.find(organizationId);
    const customerId = account && currentSubscription(account)?.customerId;
    if (customerId === undefined) {
      throw new DomainError(
        'wrong_state',
        'The organization has no subscription yet. Start a subscription with POST /v1/billing/checkout.',
      );
    }
    const open = account?.subscriptions.filter((one) => one.status !== 'canceled' && one.customerId === customerId);
    const ids = (open ?? []).slice(0, PORTAL_SUBSCRIPTIONS_MAX).map(({ id }) => id);
    const url = await api.createPortalSession(customerId, ids).catch((error: unknown) => {
      if (!(error instanceof ProviderUnavailable)) throw error;
      logger.warn({ error }, 'the payment provider gave no portal session');
      if (error instanceof UnknownAtProvider) {
        throw new DomainError(
          'not_found',
          'The payment provider has no customer for this subscription. Ask support to check who pays for it.',
          { cause: error },
        );
      }
      throw new DomainError(
        'foreign_failure',
        'The payment provider does not respond right now. Nothing has changed; retry the request in a moment.',
        { cause: error },
      );
    });
    const line = {
      action: 'billing.portal_opened',
      target: `organization:${organizationId}`,
      outcome: 'SUCCEEDED',
    } as const;
    await changeAccount(
      organizationId,
      (known) =>
        known && {
          account: { ...known },
          events: [auditAnnouncement(events.billingAuditRecorded, context, line)],
          result: undefined,
        },
    );
    return url;
  };
