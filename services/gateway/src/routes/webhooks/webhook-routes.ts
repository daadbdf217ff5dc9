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

/** What the webhooks service answers. */
export const webhookResources: readonly Resource[] = [
  {
    tag: 'webhooks',
    description: 'Webhooks that receive signed events, and the record of each delivery.',
    // Deliveries before the routes of one webhook: `deliveries` is no id.
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
