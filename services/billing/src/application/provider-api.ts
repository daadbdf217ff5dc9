/** API of the payment provider. It is used only for reconciliation, the portal and linking by the operator. */
export interface ProviderApi {
  /**
   * Returns every subscription, page by page, as shown by the payment provider.
   * @throws ProviderUnavailable
   */
  subscriptions(signal: AbortSignal): AsyncIterable<unknown>;
  /**
   * Returns the current state of a subscription.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  subscription(subscriptionId: string): Promise<unknown>;
  /**
   * Returns the e-mail address of a customer.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  customerEmail(customerId: string): Promise<string>;
  /**
   * Returns a link to the customer's portal page.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  createPortalSession(customerId: string, subscriptionIds: readonly string[]): Promise<string>;
}

/**
 * Error that is thrown if the payment provider cannot be reached, or that its response is not conclusive. The same call
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

/** Error that the payment provider refuses the API key, in general or for this call. */
export class KeyRefused extends ProviderUnavailable {}
