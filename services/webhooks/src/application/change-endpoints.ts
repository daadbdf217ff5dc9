import { events } from '@invoicecontrol/contracts/events';
import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import { takePlace } from '@invoicecontrol/metering/places';
import type { Places } from '@invoicecontrol/metering/places';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import { v7 as uuidV7 } from 'uuid';
import { ENDPOINTS_MAX, hasWebhooks, readEventTypes, subscribe } from '../domain/endpoint.js';
import type { Endpoint } from '../domain/endpoint.js';
import { rotate } from '../domain/secrets.js';
import { createSecret } from './secrets.js';
import type { Deliveries, EndpointChange, Endpoints } from './stores.js';

/** Checks whether the URL of a webhook may be called (see packages/egress). */
export interface UrlCheck {
  checkUrl(text: string): Promise<{ readonly url: URL } | { readonly problem: string }>;
}

export interface EndpointDeps {
  readonly endpoints: Endpoints;
  readonly places: Places;
  readonly deliveries: Pick<Deliveries, 'cancelPending'>;
  readonly secrets: Pick<SealedField, 'seal'>;
  readonly urls: UrlCheck;
  readonly overlapMs: number;
  readonly clock: Clock;
}

export interface NewEndpoint {
  readonly organizationId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly plan: string;
  /** Maximum number of webhooks that the plan of an organization allows, or undefined if there is no limit. */
  readonly limit: number | undefined;
}

/**
 * Creates a webhook. The checks are made in this order: event types and URL, plan, number of webhooks.
 * @throws DomainError invalid, forbidden, usage_exceeded
 */
export const createEndpoint =
  ({ endpoints, places, secrets, urls, clock }: EndpointDeps) =>
  async (
    { organizationId, url, events: names, plan, limit }: NewEndpoint,
    context: RequestContext,
  ): Promise<{ endpoint: Endpoint; secret: string }> => {
    // A new webhook receives all events that happen after the request to create it arrived. The time is therefore taken
    // before the checks.
    const now = clock.now();
    const types = readEventTypes(names);
    const href = await readUrl(urls, url);
    if (!hasWebhooks(plan)) throw planHasNone();
    const id = uuidV7();
    await takeEndpointPlace({ endpoints, places }, organizationId, id, limit);
    const secret = createSecret(secrets, organizationId, clock.now());
    const endpoint: Endpoint = {
      id,
      organizationId,
      version: 1,
      url: href,
      events: subscribe([], types, now),
      status: 'ACTIVE',
      activeSince: now,
      createdAt: now,
      secrets: [secret.stored],
      failingSince: undefined,
      failuresInRow: 0,
      goneAt: undefined,
      noticedAt: undefined,
    };
    try {
      await endpoints.insert(endpoint, [audit('webhook.created', id, context)]);
    } catch (error) {
      // If the error does not tell whether the webhook was stored, the webhook keeps counting towards the limit of the
      // plan. If it was not stored, the count is corrected later.
      if (error instanceof DomainError) await places.giveBack(organizationId, id);
      throw error;
    }
    return { endpoint, secret: secret.shown };
  };

export function planHasNone(): DomainError {
  return new DomainError('forbidden', 'Webhooks require the plan SCALE or ENTERPRISE. Change the plan first.');
}

async function takeEndpointPlace(
  { endpoints, places }: Pick<EndpointDeps, 'endpoints' | 'places'>,
  organizationId: string,
  id: string,
  planLimit: number | undefined,
): Promise<void> {
  const limit = Math.min(planLimit ?? ENDPOINTS_MAX, ENDPOINTS_MAX);
  const existing = (ids: readonly string[]) => endpoints.existing(organizationId, ids);
  if (await takePlace({ places, existing }, organizationId, id, limit)) return;
  throw new DomainError(
    'usage_exceeded',
    `The plan allows ${limit} webhook ${limit === 1 ? 'endpoint' : 'endpoints'}, and all are in use. Delete a webhook, or change the plan.`,
  );
}

export interface EndpointUpdate {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly url: string | undefined;
  /** New event types of the webhook. An empty list changes nothing. */
  readonly events: readonly string[];
  readonly status: 'ACTIVE' | 'DISABLED' | undefined;
}

/**
 * Changes the URL, the event types or the status of a webhook.
 * @throws DomainError invalid, not_found
 */
export const updateEndpoint =
  ({ endpoints, urls, clock }: EndpointDeps) =>
  async (update: EndpointUpdate, context: RequestContext): Promise<Endpoint> => {
    const { organizationId, endpointId, url, events: names, status } = update;
    const now = clock.now();
    const types = names.length === 0 ? undefined : readEventTypes(names);
    // The webhook is looked up before the URL is checked, so that a webhook of another organization is not found even
    // if the URL is invalid.
    await requireEndpoint(endpoints, organizationId, endpointId);
    const href = url === undefined ? undefined : await readUrl(urls, url);
    return retryOnConflict(async () => {
      const endpoint = await requireEndpoint(endpoints, organizationId, endpointId);
      const isSwitchedOn = status === 'ACTIVE' && endpoint.status === 'DISABLED';
      const change: EndpointChange = {
        ...(href === undefined ? {} : { url: href }),
        ...(types === undefined ? {} : { events: subscribe(endpoint.events, types, now) }),
        ...(status === undefined ? {} : { status }),
        ...(isSwitchedOn ? { activeSince: now } : {}),
        ...(status === 'ACTIVE' ? { isCountReset: true } : {}),
      };
      return endpoints.save(endpoint, change, [audit('webhook.updated', endpointId, context)]);
    });
  };

/**
 * Deletes a webhook. After the first database write no further request is sent to the webhook. Waiting deliveries are
 * then canceled by this process or by a sweep.
 * @throws DomainError not_found
 */
export const deleteEndpoint =
  (deps: EndpointDeps) =>
  async (organizationId: string, endpointId: string, context: RequestContext): Promise<void> => {
    const { endpoints } = deps;
    await retryOnConflict(async () => {
      const endpoint = await requireEndpoint(endpoints, organizationId, endpointId);
      await endpoints.markDeleted(endpoint, [audit('webhook.deleted', endpointId, context)]);
    });
    await finishDeletion(deps)({ id: endpointId, organizationId });
  };

/** Performs the steps after the deletion of a webhook was committed. Each step can be repeated. */
export const finishDeletion =
  ({ endpoints, places, deliveries }: Pick<EndpointDeps, 'endpoints' | 'places' | 'deliveries'>) =>
  async ({ id, organizationId }: { readonly id: string; readonly organizationId: string }): Promise<void> => {
    await deliveries.cancelPending(id);
    await places.giveBack(organizationId, id);
    await endpoints.finishDeletion(id);
  };

/**
 * Creates a new signing secret of a webhook (specification section 6, Secret rotation).
 * @throws DomainError not_found, concurrent_change
 */
export const rotateSecret =
  ({ endpoints, secrets, overlapMs, clock }: EndpointDeps) =>
  (
    {
      organizationId,
      endpointId,
      isPreviousRevoked,
    }: { organizationId: string; endpointId: string; isPreviousRevoked: boolean },
    context: RequestContext,
  ): Promise<{ secret: string; previousExpiresAt: Date }> =>
    retryOnConflict(async () => {
      const endpoint = await requireEndpoint(endpoints, organizationId, endpointId);
      const { shown, stored } = createSecret(secrets, organizationId, clock.now());
      const change = { secrets: rotate(endpoint.secrets, stored, { isPreviousRevoked }) };
      await endpoints.save(endpoint, change, [audit('webhook.secret_rotated', endpointId, context)]);
      const validMs = isPreviousRevoked ? 0 : overlapMs;
      return { secret: shown, previousExpiresAt: new Date(stored.createdAt.getTime() + validMs) };
    });

/**
 * Returns a webhook of the organization.
 * @throws DomainError not_found
 */
export async function requireEndpoint(
  endpoints: Pick<Endpoints, 'find'>,
  organizationId: string,
  endpointId: string,
): Promise<Endpoint> {
  const endpoint = await endpoints.find(organizationId, endpointId);
  if (endpoint === undefined) throw notFound('webhook');
  return endpoint;
}

export function audit(action: string, endpointId: string, context: RequestContext): Announcement {
  const line = { action, target: `webhook:${endpointId}`, outcome: 'SUCCEEDED' } as const;
  return auditAnnouncement(events.webhooksAuditRecorded, context, line);
}

async function readUrl(urls: UrlCheck, text: string): Promise<string> {
  const read = await urls.checkUrl(text);
  if ('problem' in read) throw invalidField('url', `${read.problem}.`);
  return read.url.href;
}
