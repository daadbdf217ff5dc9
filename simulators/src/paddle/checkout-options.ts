import { parseUrl } from '@invoicecontrol/values/url';
import { asObject, readItems } from './items.js';
import type { Item, Prices } from './items.js';
import { invalid } from './refusal.js';

/** Names of the checkout options that `Paddle.Checkout.open` accepts. */
const OPTIONS = [
  'items',
  'transactionId',
  'customer',
  'customerAuthToken',
  'savedPaymentMethodId',
  'customData',
  'settings',
  'discountId',
  'discountCode',
];
const CUSTOMER_OPTIONS = ['id', 'email', 'address', 'business'];
const SETTINGS = [
  'displayMode',
  'theme',
  'locale',
  'allowLogout',
  'showAddDiscounts',
  'showAddTaxId',
  'allowDiscountRemoval',
  'allowedPaymentMethods',
  'successUrl',
  'variant',
  'frameTarget',
  'frameStyle',
  'frameInitialHeight',
];

export interface CheckoutOptions {
  readonly items: readonly Item[];
  readonly email: string | undefined;
  readonly customData: Readonly<Record<string, unknown>>;
}

/**
 * Checks checkout options as the hosted checkout of Paddle does.
 * @throws ApiRefusal
 */
export function readCheckoutOptions(value: unknown, prices: Prices): CheckoutOptions {
  const options = asObject(value, 'options');
  refuseUnknown(options, OPTIONS, 'the checkout');
  if (options['transactionId'] !== undefined) throw invalid('transactionId: send items or a transaction, not both.');
  const items = readItems(options['items'], prices, 'priceId');
  const customData = asObject(options['customData'], 'customData');
  if (Object.keys(customData).length === 0) throw invalid('customData: needs at least one key.');
  if (options['settings'] !== undefined) {
    const settings = asObject(options['settings'], 'settings');
    refuseUnknown(settings, SETTINGS, 'settings');
    const { successUrl } = settings;
    if (successUrl !== undefined && (typeof successUrl !== 'string' || parseUrl(successUrl) === undefined)) {
      throw invalid('settings: successUrl must be a URL.');
    }
  }
  return { items, email: readEmail(options['customer']), customData };
}

function readEmail(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const customer = asObject(value, 'customer');
  refuseUnknown(customer, CUSTOMER_OPTIONS, 'customer');
  const { id, email } = customer;
  if (id !== undefined && email !== undefined) throw invalid('customer: send an id or an email, not both.');
  if (email === undefined) return undefined;
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid('customer: email is not valid.');
  return email;
}

function refuseUnknown(given: object, known: readonly string[], of: string): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw invalid(`${of} has no option ${unknown.join(', ')}.`);
}
