import type { CheckoutItem } from '../domain/checkout.js';

/**
 * API of the payment provider. It is used only for reconciliation, the pages of the provider and linking by the operator.
 */
export interface ProviderApi {
  /**
   * Returns every subscription at the payment provider, page by page.
   * @throws ProviderUnavailable
   */
  subscriptions(signal: AbortSignal): AsyncIterable<unknown>;
  /**
   * Returns the current state of a subscription at the payment provider.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  subscription(subscriptionId: string): Promise<unknown>;
  /**
   * Returns the e-mail address of a customer of the payment provider.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  customerEmail(customerId: string): Promise<string>;
  /**
   * Returns a link to a customer's portal page at the payment provider.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  createPortalSession(customerId: string, subscriptionIds: readonly string[]): Promise<string>;
  /**
   * Prepares a purchase at the payment provider. Nothing is bought until a buyer pays.
   * @param customData comes back with every notification about the subscription
   * @returns the address of the checkout page
   * @throws ProviderUnavailable
   */
  createTransaction(items: readonly CheckoutItem[], customData: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Error that is thrown if the payment provider cannot be reached, or if its response is not conclusive. The same call
 * may succeed later.
 */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUnavailable';
  }
}

/** Error that is thrown if the payment provider does not have the requested object. */
export class UnknownAtProvider extends ProviderUnavailable {}

/** Error that is thrown if the payment provider refuses the API key, in general or for the current call. */
export class KeyRefused extends ProviderUnavailable {}
