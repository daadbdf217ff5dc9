/** The API of the payment provider; nothing but reconciling and the portal needs it. */
export interface ProviderApi {
  /** Every subscription, page by page, as the provider shows it. @throws ProviderUnavailable */
  subscriptions(signal: AbortSignal): AsyncIterable<unknown>;
  /** One subscription as it is now. @throws ProviderUnavailable */
  subscription(subscriptionId: string): Promise<unknown>;
  /** A link to the customer's page. @throws UnknownAtProvider, ProviderUnavailable */
  createPortalSession(customerId: string, subscriptionIds: readonly string[]): Promise<string>;
}

/** The provider cannot be reached, refuses, or answers what cannot be read. */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUnavailable';
  }
}

/** The provider answers that it does not have what is asked for. */
export class UnknownAtProvider extends ProviderUnavailable {}
