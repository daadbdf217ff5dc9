/** API of the payment provider. Only reconciliation, the portal and linking by the operator use it. */
export interface ProviderApi {
  /**
   * Returns every subscription, page by page, as the provider shows it.
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
   * Returns a link to the portal page of the customer.
   * @throws UnknownAtProvider, ProviderUnavailable
   */
  createPortalSession(customerId: string, subscriptionIds: readonly string[]): Promise<string>;
}

/** The provider cannot be reached, or its response is not conclusive. The same call may succeed later. */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUnavailable';
  }
}

/** The provider does not have the requested object. */
export class UnknownAtProvider extends ProviderUnavailable {}

/** The provider refuses the API key, or refuses it for this call. */
export class KeyRefused extends ProviderUnavailable {}
