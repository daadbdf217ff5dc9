// Compares the requests at receivers with the published and stored records: invariants I1 to I5 and I7 of the webhooks reference, section
// 6. It reads plain records and uses no code of the services.
import { groupBy } from './audit.js';
import type { Breach, Count } from './audit.js';
import type { PublishedEvent } from './books.js';

export interface EndpointRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly status: string;
  readonly activeSince: Date;
  /** Public names of the event types, each with the time of its subscription. */
  readonly events: readonly { readonly type: string; readonly since: Date }[];
}

export interface WebhookEventRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly body: string;
}

export interface DeliveryRecord {
  readonly _id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly state: string;
  /** Number of failed attempts of the webhook delivery in its last series of attempts. */
  readonly failures: number;
  /** Number of attempts of the webhook delivery that were counted, over all series. */
  readonly attemptCount: number;
  /** The last 20 attempts to send the webhook delivery. */
  readonly attempts: readonly { readonly series: number; readonly outcome: string; readonly interruptions: number }[];
  readonly claim?: string;
  readonly leaseUntil?: Date;
}

/** Request that arrived at a webhook receiver. */
export interface WebhookArrival {
  /** Path in the URL of the webhook that the request was sent to. */
  readonly path: string;
  readonly eventId: string | null;
  readonly body: string;
  readonly arrivedAtMs: number;
  readonly t: number | null;
  readonly isVerified: boolean;
  /** True if the webhook receiver responded with 2xx. */
  readonly isAccepted: boolean;
  /**
   * True if the connection of the webhook request ended before any byte of a response. On a reused connection, the
   * sender repeats such a request within the same attempt.
   */
  readonly isCut: boolean;
}

export interface WebhookBooks {
  readonly endpoints: readonly EndpointRecord[];
  readonly events: readonly WebhookEventRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  readonly arrivals: readonly WebhookArrival[];
  /** Events that the services published, as read from the streams of the broker. */
  readonly published: readonly PublishedEvent[];
  /** Time when the audit began to read the database. Requests that arrive later may not be counted yet. */
  readonly readAtMs: number;
}

/** Number of failed attempts after which a webhook delivery has failed. */
const ATTEMPTS = 5;
export const LEASE_OVERDUE_MS = 60_000;
/**
 * The signature of a webhook request is late if its process was paused between signing and sending. The chaos plan
 * limits such a pause to 15 s.
 */
const SIGNED_WITHIN_SECONDS = 5 + 15;
/**
 * Public event types, by the name of the event of the product. The events about rows of history scans are left out,
 * because no public event reports the analysis of a single row.
 */
const publicNames: Readonly<Record<string, string>> = {
  invoice_analyzed: 'invoice.analysis.completed',
  finding_created: 'finding.created',
  finding_reviewed: 'finding.reviewed',
  scan_completed: 'scan.completed',
};

export function auditWebhooks(books: WebhookBooks): Breach[] {
  const paths = new Map(books.endpoints.map(({ _id, url }) => [_id, new URL(url).pathname]));
  const deleted = new Set(books.endpoints.flatMap(({ _id, status }) => (status === 'DELETED' ? [_id] : [])));
  const arrivalsOf = groupBy(books.arrivals, ({ path, eventId }) => `${path} ${eventId}`);
  return [
    ...auditFanOut(books),
    ...books.deliveries.flatMap((delivery) => {
      const path = paths.get(delivery.endpointId);
      if (path === undefined) return breach('lost', `the endpoint of delivery ${delivery._id} is not stored`);
      const arrivals = arrivalsOf.get(`${path} ${delivery.eventId}`) ?? [];
      return auditDelivery(delivery, {
        arrivals,
        readAtMs: books.readAtMs,
        isEndpointDeleted: deleted.has(delivery.endpointId),
      });
    }),
    ...auditArrivals(books, paths),
  ];
}

/**
 * Checks guarantee I1: each published event has one webhook delivery for every endpoint that had subscribed to it when
 * it happened, and no other delivery.
 */
function auditFanOut({ endpoints, deliveries, published }: WebhookBooks): Breach[] {
  const stored = groupBy(deliveries, ({ endpointId, eventId }) => `${endpointId} ${eventId}`);
  const byId = new Map(published.filter(({ name }) => name in publicNames).map((event) => [event.id, event]));
  return [...byId.values()].flatMap(({ id, name, payload }) => {
    const atMs = Date.parse(String(payload['eventTime']));
    return endpoints
      .filter(({ organizationId, status }) => status === 'ACTIVE' && organizationId === payload['organizationId'])
      .flatMap(({ _id, activeSince, events }) => {
        const since = events.find(({ type }) => type === publicNames[name])?.since.getTime() ?? Infinity;
        const wanted = Math.max(since, activeSince.getTime()) <= atMs ? 1 : 0;
        const count = stored.get(`${_id} ${id}`)?.length ?? 0;
        if (count === wanted) return [];
        const what = count < wanted ? 'lost' : wanted === 0 ? 'unannounced' : 'doubled';
        return breach(what, `${name} ${id} has ${count} of ${wanted} deliveries for endpoint ${_id}`);
      });
  });
}

/** Checks the guarantees I1, I5 and I7 for one webhook delivery. */
function auditDelivery(
  { _id, state, failures, attemptCount, attempts, leaseUntil, claim }: DeliveryRecord,
  {
    arrivals,
    readAtMs,
    isEndpointDeleted,
  }: { arrivals: readonly WebhookArrival[]; readAtMs: number; isEndpointDeleted: boolean },
): Breach[] {
  const counted = arrivals.filter(({ isCut, arrivedAtMs }) => !isCut && arrivedAtMs <= readAtMs);
  const interruptions = attempts.reduce((sum, attempt) => sum + attempt.interruptions, 0);
  const successes = attempts.filter(({ outcome }) => outcome === 'SUCCESS').length;
  const isOverdue =
    claim !== undefined && leaseUntil !== undefined && readAtMs - leaseUntil.getTime() > LEASE_OVERDUE_MS;
  return [
    ...(state === 'PENDING' ? breach('stuck', `delivery ${_id} is still PENDING`) : []),
    ...(isOverdue ? breach('stuck', `the lease of delivery ${_id} lapsed and nobody claimed it`) : []),
    ...(state === 'DELIVERED' && !arrivals.some(({ isAccepted }) => isAccepted)
      ? breach('lost', `delivery ${_id} is DELIVERED and no receiver accepted it`)
      : []),
    ...(state === 'DELIVERED' && successes !== 1
      ? breach('changed', `delivery ${_id} is DELIVERED with ${successes} successes`)
      : []),
    ...(state === 'FAILED' && failures !== ATTEMPTS
      ? breach('changed', `delivery ${_id} is FAILED after ${failures} attempts`)
      : []),
    ...(state === 'SKIPPED' || (state === 'CANCELED' && !isEndpointDeleted)
      ? breach('lost', `delivery ${_id} is ${state}, and nobody asked for it`)
      : []),
    // The number of requests for a delivery may be as high as its counted attempts and its interrupted attempts
    // together, because an interrupted attempt may have been sent or not. A delivery that is PENDING or was canceled
    // may have an attempt in progress.
    ...(state !== 'PENDING' && state !== 'CANCELED' && counted.length > attemptCount + interruptions
      ? breach(
          'doubled',
          `delivery ${_id} was sent ${counted.length} times, with ${attemptCount} attempts and ${interruptions} interruptions`,
        )
      : []),
  ];
}

/**
 * Checks the guarantees I2, I3 and I4: every arriving event was published, has the stored bytes, and has a current
 * signature.
 */
function auditArrivals({ endpoints, events, published, arrivals }: WebhookBooks, paths: Map<string, string>): Breach[] {
  const organizationOf = new Map(endpoints.map(({ _id, organizationId }) => [paths.get(_id), organizationId]));
  const bodies = new Map(events.map(({ _id, body }) => [_id, body]));
  const publishers = new Map(published.map(({ id, payload }) => [id, payload['organizationId']]));
  return arrivals.flatMap(({ path, eventId, body, arrivedAtMs, t, isVerified }) => {
    const name = `a request at ${path} with event ${eventId}`;
    const isOfEndpoint = publishers.get(eventId ?? '') === organizationOf.get(path);
    const isInTime = t !== null && Math.abs(arrivedAtMs / 1_000 - t) <= SIGNED_WITHIN_SECONDS;
    return [
      ...(publishers.has(eventId ?? '') && isOfEndpoint
        ? []
        : breach('unannounced', `${name} that was not published to it`)),
      ...((bodies.get(eventId ?? '') ?? body) === body ? [] : breach('changed', `${name} has other bytes than stored`)),
      ...(isVerified ? [] : breach('unsigned', `${name} has no signature of its endpoint`)),
      ...(isInTime ? [] : breach('unsigned', `${name} was signed ${t} and arrived ${Math.floor(arrivedAtMs / 1_000)}`)),
    ];
  });
}

function breach(count: Count, sentence: string): [Breach] {
  return [{ count, sentence }];
}
