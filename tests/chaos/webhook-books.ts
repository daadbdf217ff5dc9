// Reads the records of the webhooks service from its database.
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { PublishedEvent } from './books.js';
import { LEASE_OVERDUE_MS } from './webhook-audit.js';
import type {
  DeliveryRecord,
  EndpointRecord,
  WebhookArrival,
  WebhookBooks,
  WebhookEventRecord,
} from './webhook-audit.js';

export interface WebhookBookReader {
  /** Returns the number of webhook deliveries that the chaos run has not completed. */
  pending(): Promise<number>;
  /** Claims on webhook deliveries that expired a minute ago and that no process has taken over: invariant I7. */
  lapsedClaims(): Promise<number>;
  /**
   * Reads the records of webhooks for the audit of a chaos run.
   * @param arrivals returns the requests that have arrived at the receivers. It is called after the database was read,
   *   so that its result includes every recorded attempt, and possibly a few later ones.
   */
  read(arrivals: () => readonly WebhookArrival[], published: readonly PublishedEvent[]): Promise<WebhookBooks>;
  close(): Promise<void>;
}

export async function openWebhookBooks({ mongodbUrl }: { readonly mongodbUrl: string }): Promise<WebhookBookReader> {
  const mongo = await connectMongo({ url: mongodbUrl, databaseName: 'webhooks', appName: 'audit' });
  const all = <T>(name: string): Promise<T[]> =>
    mongo.db
      .collection(name)
      .find({}, { projection: { recentEvents: 0, secrets: 0, lastExcerpt: 0 } })
      .toArray() as Promise<unknown> as Promise<T[]>;
  return {
    pending: () => mongo.db.collection('deliveries').countDocuments({ state: 'PENDING' }),
    lapsedClaims() {
      const before = new Date(Date.now() - LEASE_OVERDUE_MS);
      return mongo.db
        .collection('deliveries')
        .countDocuments({ state: 'PENDING', claim: { $exists: true }, leaseUntil: { $lte: before } });
    },
    async read(arrivals, published) {
      const readAtMs = Date.now();
      const stored = {
        endpoints: await all<EndpointRecord>('endpoints'),
        events: await all<WebhookEventRecord>('events'),
        deliveries: await all<DeliveryRecord>('deliveries'),
      };
      return { ...stored, arrivals: arrivals(), published, readAtMs };
    },
    close: () => mongo.close(),
  };
}
