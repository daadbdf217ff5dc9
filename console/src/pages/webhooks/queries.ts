import type { Schemas } from '@invoicecontrol/client/browser';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.js';
import { createdWithin } from '../../format/days.js';
import type { Days } from '../../format/days.js';
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

interface DeliveryFilters extends Days {
  /** Webhook whose deliveries are read. Undefined for the deliveries of all webhooks. */
  readonly webhookId: string | undefined;
  readonly status: Delivery['status'] | undefined;
  readonly eventType: (typeof eventTypes)[number] | undefined;
  /** Invoice that the events are about. An empty text means that the filter is not used. */
  readonly invoiceId: string;
}

/** Reads deliveries, newest first. */
export function useDeliveries({ webhookId, status, eventType, invoiceId, from, to }: DeliveryFilters) {
  return useList([WEBHOOKS, 'deliveries', webhookId, status, eventType, invoiceId, from, to], (page, signal) => {
    const query = {
      ...page,
      ...createdWithin({ from, to }),
      ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
      ...(status === undefined ? {} : { status }),
      ...(eventType === undefined ? {} : { event_type: eventType }),
      ...(invoiceId === '' ? {} : { invoice_id: invoiceId }),
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
