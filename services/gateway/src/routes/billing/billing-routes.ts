import type { Resource } from '../../http/description/route.js';
import {
  createCheckout,
  createCheckoutSession,
  createPortalSession,
  getSubscription,
  receivePaddleNotification,
} from './billing.js';

/** Routes that call the billing service. */
export const billingResources: readonly Resource[] = [
  {
    tag: 'billing',
    description:
      'The paid subscription of an organization to this service. Customers buy and change the subscription on pages of the payment provider.',
    routes: [createCheckout, createCheckoutSession, getSubscription, createPortalSession, receivePaddleNotification],
  },
];
