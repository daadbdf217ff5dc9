import { invalidField } from '@invoicecontrol/errors';
import { isPublicEventType, publicEventTypes } from '@invoicecontrol/public-events';
import type { PublicEventType } from '@invoicecontrol/public-events';
import type { SealedSecret } from './secrets.js';

export type EndpointStatus = 'ACTIVE' | 'DISABLED' | 'DELETED';

/** An event type to which a webhook is subscribed, with the time of the subscription. */
export interface Subscription {
  readonly type: PublicEventType;
  readonly since: Date;
}

/** A webhook: a URL to which a customer wants events to be sent. */
export interface Endpoint {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  /** Normalized URL of a webhook, to which events are sent. */
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly status: EndpointStatus;
  /** Time since when the webhook has been ACTIVE without interruption. */
  readonly activeSince: Date;
  readonly createdAt: Date;
  /** Signing secrets of the webhook, newest first, at most two. */
  readonly secrets: readonly SealedSecret[];
  /** Time of the first failed delivery of a webhook since its last success. */
  readonly failingSince: Date | undefined;
  readonly failuresInRow: number;
  /** Time of the last 410 Gone response of a webhook since the last successful delivery. */
  readonly goneAt: Date | undefined;
  /** Time when owners and admins were notified that the deliveries of the webhook fail. */
  readonly noticedAt: Date | undefined;
}

/**
 * Maximum number of webhooks of one organization, whatever its plan allows, because the whole list is read for each
 * event.
 */
export const ENDPOINTS_MAX = 1_000;

const plansWithWebhooks: ReadonlySet<string> = new Set(['SCALE', 'ENTERPRISE']);

/** Checks whether a plan includes webhooks: SCALE and ENTERPRISE do (specification section 6). */
export function hasWebhooks(plan: string): boolean {
  return plansWithWebhooks.has(plan);
}

/**
 * Reads the distinct event types of a webhook from a request.
 * @throws DomainError invalid
 */
export function readEventTypes(names: readonly string[]): PublicEventType[] {
  if (names.length === 0) throw invalidField('events', `must name at least one of ${publicEventTypes.join(', ')}.`);
  return [...new Set(names.map((name, index) => readEventType(name, `events[${index}]`)))];
}

/**
 * Reads the name of a webhook event type from a request.
 * @throws DomainError invalid
 */
export function readEventType(name: string, path: string): PublicEventType {
  if (isPublicEventType(name)) return name;
  throw invalidField(path, `must be one of ${publicEventTypes.join(', ')}.`);
}

/**
 * Returns the subscriptions of a webhook after a change. Existing subscriptions keep their start time, and new
 * subscriptions start now.
 */
export function subscribe(
  current: readonly Subscription[],
  types: readonly PublicEventType[],
  now: Date,
): readonly Subscription[] {
  return types.map((type) => current.find((subscription) => subscription.type === type) ?? { type, since: now });
}

/**
 * Checks whether a webhook receives an event of the given time. A webhook receives no events from before it was
 * created, changed or enabled.
 */
export function receives(
  { status, events, activeSince }: Pick<Endpoint, 'status' | 'events' | 'activeSince'>,
  type: PublicEventType,
  at: Date,
): boolean {
  const since = events.find((subscription) => subscription.type === type)?.since;
  return status === 'ACTIVE' && since !== undefined && since <= at && activeSince <= at;
}

/** Minimum number of failures before a webhook is disabled, so that a webhook that is rarely used is not disabled. */
export const FAILURES_TO_DISABLE_MIN = 20;

export interface FailingLimits {
  readonly noticeAfterMs: number;
  readonly disableAfterMs: number;
}

/** Decides what to do about a webhook whose deliveries have failed since its last success. */
export function judgeFailing(
  { status, failingSince, failuresInRow, noticedAt }: Endpoint,
  { noticeAfterMs, disableAfterMs }: FailingLimits,
  now: Date,
): 'DISABLE' | 'NOTICE' | 'NOTHING' {
  if (status !== 'ACTIVE' || failingSince === undefined) return 'NOTHING';
  const failingMs = now.getTime() - failingSince.getTime();
  // The notification of the owners comes before the webhook is disabled, even if both are due.
  if (failingMs >= noticeAfterMs && noticedAt === undefined) return 'NOTICE';
  return failingMs >= disableAfterMs && failuresInRow >= FAILURES_TO_DISABLE_MIN ? 'DISABLE' : 'NOTHING';
}
