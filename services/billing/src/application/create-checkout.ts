import { events } from '@invoicecontrol/contracts/events';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import { hasOpenSubscription } from '../domain/account.js';
import {
  alreadySubscribed,
  checkoutItems,
  hashOfReference,
  newCheckoutReference,
  readCheckoutRequest,
} from '../domain/checkout.js';
import type { CheckoutItem } from '../domain/checkout.js';
import type { Prices } from '../domain/prices.js';
import { checkoutEnded } from '../telemetry.js';
import type { Accounts, Checkouts } from './stores.js';

export interface CheckoutDeps {
  readonly accounts: Pick<Accounts, 'ensure' | 'find'>;
  readonly checkouts: Pick<Checkouts, 'insert'>;
  /** Prices of the plans at the payment provider. Undefined where no plan is sold. */
  readonly prices: Prices | undefined;
  readonly successUrl: string;
  readonly clock: Clock;
}

export interface CheckoutInput {
  readonly organizationId: string;
  readonly planCode: string;
  readonly billingInterval: string;
  readonly additionalLegalEntities: number;
  /** Status of the subscription as the organization service knows it. The operator may have set this status. */
  readonly subscriptionStatus: string;
}

const CLOSED_STATUSES: ReadonlySet<string> = new Set(['', 'none', 'canceled']);

/**
 * Returns the options for the hosted checkout (specification 2.13, endpoint 17), without a call to the payment
 * provider. The request is stored with the hash of a new reference, which later links a subscription to the
 * organization.
 * @throws DomainError invalid; wrong_state while a subscription is not canceled, or if no plan is sold
 */
export const createCheckout =
  ({ accounts, checkouts, prices, successUrl, clock }: CheckoutDeps) =>
  async (
    input: CheckoutInput,
    context: RequestContext,
  ): Promise<{ items: readonly CheckoutItem[]; successUrl: string; checkoutReference: string }> => {
    const { organizationId, subscriptionStatus } = input;
    if (prices === undefined) {
      checkoutEnded('not_sold');
      throw noPlanSold();
    }
    const request = readCheckoutRequest(input);
    const account = await accounts.find(organizationId);
    const isSubscribed =
      account === undefined || account.subscriptions.length === 0
        ? !CLOSED_STATUSES.has(subscriptionStatus)
        : hasOpenSubscription(account);
    if (isSubscribed) {
      checkoutEnded('already_subscribed');
      throw alreadySubscribed();
    }
    // The API key proved that the organization exists. The billing account is created together with the checkout, so
    // that it exists when the first payment notification arrives.
    if (account === undefined) await accounts.ensure(organizationId);
    const line = {
      action: 'billing.checkout_requested',
      target: `organization:${organizationId}`,
      outcome: 'SUCCEEDED',
    } as const;
    const checkoutReference = newCheckoutReference();
    await checkouts.insert(
      {
        id: uuidv7(),
        organizationId,
        ...request,
        referenceHash: hashOfReference(checkoutReference),
        actorId: context.actor.id,
        createdAt: clock.now(),
      },
      [auditAnnouncement(events.billingAuditRecorded, context, line)],
    );
    checkoutEnded('created');
    return { items: checkoutItems(prices, request), successUrl, checkoutReference };
  };

function noPlanSold(): DomainError {
  return new DomainError(
    'wrong_state',
    'No plan can be bought in this installation, because its operator has not set the prices of the payment provider.',
  );
}
