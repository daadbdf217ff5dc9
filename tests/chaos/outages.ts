// Measures a long outage of the broker: the responses to clients during the outage, and the time at which all delayed
// events had arrived.
import type { WebhookBooks } from './webhook-audit.js';

export interface Outage {
  readonly beganAtMs: number;
  /** Time at which the broker served again. All times of an outage are on the clock of `Date.now()`. */
  readonly returnedAtMs: number;
  /** Number of client requests during the broker outage, by status. `none` counts requests without a response. */
  readonly answers: Readonly<Record<string, number>>;
}

export interface Backlog {
  /**
   * Number of webhook deliveries that are delayed by the broker outage: every event of the outage, for every endpoint
   * that always responds.
   */
  readonly deliveries: number;
  /** Time from the end of the broker outage until the last delayed event arrived. Infinite if an event is missing. */
  readonly drainedAfterMs: number;
}

/**
 * Computes the backlog of deliveries to webhook endpoints that always respond. Late deliveries to failing endpoints are
 * left out, because these endpoints cause the delay.
 */
export function backlogOf(
  { endpoints, deliveries, arrivals, published }: WebhookBooks,
  { beganAtMs, returnedAtMs }: Pick<Outage, 'beganAtMs' | 'returnedAtMs'>,
  isSteady: (path: string) => boolean,
): Backlog {
  const during = new Set(
    published.flatMap(({ id, payload }) => {
      const atMs = Date.parse(String(payload['eventTime']));
      return atMs >= beganAtMs && atMs <= returnedAtMs ? [id] : [];
    }),
  );
  const paths = new Map(endpoints.map(({ _id, url }) => [_id, new URL(url).pathname]));
  const firstArrivals = new Map<string, number>();
  for (const { path, eventId, arrivedAtMs } of arrivals) {
    const key = `${path} ${eventId}`;
    firstArrivals.set(key, Math.min(arrivedAtMs, firstArrivals.get(key) ?? Number.POSITIVE_INFINITY));
  }
  const arrivedAtMs = deliveries
    .filter(({ eventId }) => during.has(eventId))
    .map(({ endpointId, eventId }) => ({ path: paths.get(endpointId) ?? '', eventId }))
    .filter(({ path }) => isSteady(path))
    .map(({ path, eventId }) => firstArrivals.get(`${path} ${eventId}`) ?? Number.POSITIVE_INFINITY);
  const lastMs = arrivedAtMs.reduce((latest, ms) => Math.max(latest, ms), returnedAtMs);
  return { deliveries: arrivedAtMs.length, drainedAfterMs: lastMs - returnedAtMs };
}

/** Returns the increase of each count of a chaos run between two readings. */
export function addedTo(
  counts: ReadonlyMap<string, number>,
  since: ReadonlyMap<string, number>,
): Record<string, number> {
  const added = [...counts].map(([name, count]) => [name, count - (since.get(name) ?? 0)] as const);
  return Object.fromEntries(
    added.filter(([, count]) => count > 0).toSorted(([left], [right]) => left.localeCompare(right)),
  );
}
