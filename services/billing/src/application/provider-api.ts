/** The API of the payment provider; nothing but reconciling, the portal and the operator's linking needs it. */
export interface ProviderApi {
  /** Every subscription, page by page, as the provider shows it. @throws ProviderUnavailable */
  subscriptions(signal: AbortSignal): AsyncIterable<unknown>;
  /** One subscription as it is now. @throws UnknownAtProvider, ProviderUnavailable */
  subscription(subscriptionId: string): Promise<unknown>;
  /** The e-mail of a customer. @throws UnknownAtProvider, ProviderUnavailable */
  customerEmail(customerId: string): Promise<string>;
  /** A link to the customer's page. @throws UnknownAtProvider, ProviderUnavailable */
  createPortalSession(customerId: string, subscriptionIds: readonly string[]): Promise<string>;
}

/** The provider cannot be reached, or answers what proves nothing: the same call may succeed later. */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUnavailable';
  }
}

/** The provider says that it does not have what is asked for. */
export class UnknownAtProvider extends ProviderUnavailable {}

/** The provider says that it does not accept the key, or not for this call. */
export class KeyRefused extends ProviderUnavailable {}
