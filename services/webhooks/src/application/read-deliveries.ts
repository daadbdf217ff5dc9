import { notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { newestPageOf } from '@invoicecontrol/runtime/page';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { Delivery, DeliveryWithAttempts } from '../domain/delivery.js';
import type { Deliveries, DeliveryFilter } from './stores.js';

/** Maximum number of webhook deliveries that a list shows over all pages (specification section 6). */
const LISTED_MAX = 100;
const DAY_MS = 24 * 3_600_000;
const PERCENTILE = 0.95;

export interface DeliveryReader {
  list(organizationId: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  /**
   * Returns a webhook delivery with its attempts.
   * @throws DomainError not_found
   */
  get(organizationId: string, id: string): Promise<DeliveryWithAttempts>;
  /** Summarizes the deliveries of a webhook that began in the last 24 hours. */
  lastDay(endpointId: string): Promise<{ delivered: number; failed: number; p95Ms: number | undefined }>;
}

export function deliveryReader({ deliveries, clock }: { deliveries: Deliveries; clock: Clock }): DeliveryReader {
  return {
    async list(organizationId, filter, page) {
      return newestPageOf(await deliveries.latest(organizationId, filter, LISTED_MAX), page);
    },
    async get(organizationId, id) {
      const delivery = await deliveries.find(organizationId, id);
      if (delivery === undefined) throw notFound('delivery');
      return delivery;
    },
    async lastDay(endpointId) {
      const since = new Date(clock.now().getTime() - DAY_MS);
      const { delivered, failed, durationsMs } = await deliveries.use(endpointId, since);
      return { delivered, failed, p95Ms: percentile(durationsMs) };
    },
  };
}

/** Returns the smallest response time that the response times of 95 % of the webhook deliveries do not exceed. */
export function percentile(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * PERCENTILE) - 1];
}
