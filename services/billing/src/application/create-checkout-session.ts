import { DomainError } from '@invoicecontrol/errors';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { createCheckout } from './create-checkout.js';
import type { CheckoutDeps, CheckoutInput } from './create-checkout.js';
import { ProviderUnavailable } from './provider-api.js';
import type { ProviderApi } from './provider-api.js';

export interface CheckoutSessionDeps extends CheckoutDeps {
  readonly api: Pick<ProviderApi, 'createTransaction'>;
  readonly logger: Logger;
}

/**
 * Returns the address of the payment provider's page on which the plan is paid. The reference that links the subscription
 * to the organization goes to the provider directly, so that no browser sees it.
 * @throws DomainError as createCheckout; foreign_failure if the provider does not respond
 */
export const createCheckoutSession =
  ({ api, logger, ...deps }: CheckoutSessionDeps) =>
  async (input: CheckoutInput, context: RequestContext): Promise<string> => {
    const { items, checkoutReference } = await createCheckout(deps)(input, context);
    const customData = { organization_id: input.organizationId, checkout_reference: checkoutReference };
    return api.createTransaction(items, customData).catch((error: unknown) => {
      if (!(error instanceof ProviderUnavailable)) throw error;
      logger.warn({ error }, 'the payment provider gave no checkout page');
      throw new DomainError(
        'foreign_failure',
        'The payment provider does not respond right now. Nothing was bought; retry the request in a moment.',
        { cause: error },
      );
    });
  };
