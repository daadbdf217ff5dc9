import type { Resource } from '../../http/description/route.js';
import { createCheckout, createPortalSession, getSubscription, receivePaddleNotification } from './billing.js';

/** Routes that call the billing service. */
export const billingResources: readonly Resource[] = [
  {
    tag: 'billing',
    description:
      'The subscription of the organization, which is bought and changed on the pages of the payment provider.',
    routes: [createCheckout, getSubscription, createPortalSession, receivePaddleNotification],
  },
];
