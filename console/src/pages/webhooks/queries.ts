import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { useList } from '../../lists.js';

export type Delivery = Schemas['Delivery'];
export type DeliveryWithAttempts = Schemas['DeliveryWithAttempts'];
export type Webhook = Schemas['Webhook'];
export type WebhookWithUse = Schemas['WebhookWithUse'];

export const WEBHOOKS = 'webhooks';

/** The types of events that a webhook can receive. */
export const eventTypes = [
  'invoice.analysis.completed',
  'invoice.analysis.failed',
  'scan.completed',
  'finding.created',
  'finding.reviewed',
  'payment_run.checked',
  'ksef.submission.accepted',
  'ksef.submission.refused',
  'erp.run.failed',
] as const;

export const deliveryStatuses = [
  'PENDING',
  'DELIVERED',
  'FAILED',
  'CANCELED',
  'SKIPPED',
] as const satisfies readonly Delivery['status'][];

export function useWebhooks() {
  return useList([WEBHOOKS, 'list'], (query, signal) => client.get('/webhooks', { query, signal }));
}

export function useWebhook(webhookId: string) {
  return useQuery({
    queryKey: [WEBHOOKS, webhookId],
    queryFn: async ({ signal }) => (await client.get('/webhooks/{webhookId}', { path: { webhookId }, signal })).data,
  });
}

/** Reads deliveries, newest first, of one webhook or of all. */
export function useDeliveries(webhookId: string | undefined, status: Delivery['status'] | undefined) {
  return useList([WEBHOOKS, 'deliveries', webhookId, status], (page, signal) => {
    const query = {
      ...page,
      ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
      ...(status === undefined ? {} : { status }),
    };
    return client.get('/webhooks/deliveries', { query, signal });
  });
}

export function useDelivery(deliveryId: string) {
  return useQuery({
    queryKey: [WEBHOOKS, 'delivery', deliveryId],
    queryFn: async ({ signal }) =>
      (await client.get('/webhooks/deliveries/{deliveryId}', { path: { deliveryId }, signal })).data,
  });
}
