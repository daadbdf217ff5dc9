import type { Resource } from '../../http/description/route.js';
import { getDelivery, listDeliveries, replayDelivery } from './deliveries.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.js';

/** Routes that call the webhooks service. */
export const webhookResources: readonly Resource[] = [
  {
    tag: 'webhooks',
    description: 'Webhooks that receive signed events, and the record of each delivery.',
    // The webhook delivery routes precede the routes of one webhook, because otherwise `deliveries` would be read as a
    // webhook id.
    routes: [
      createWebhook,
      listWebhooks,
      testWebhook,
      listDeliveries,
      getDelivery,
      replayDelivery,
      rotateWebhookSecret,
      replayWebhook,
      getWebhook,
      updateWebhook,
      deleteWebhook,
    ],
  },
];
