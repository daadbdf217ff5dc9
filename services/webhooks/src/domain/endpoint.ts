import { invalidField } from '@invoicecontrol/errors';
import { isPublicEventType, publicEventTypes } from '@invoicecontrol/public-events';
import type { PublicEventType } from '@invoicecontrol/public-events';
import type { SealedSecret } from './secrets.js';

export type EndpointStatus = 'ACTIVE' | 'DISABLED' | 'DELETED';

/** An event that an endpoint receives, and since when it does. */
export interface Subscription {
  readonly type: PublicEventType;
  readonly since: Date;
}

/** A URL to which a customer wants events to be delivered. */
export interface Endpoint {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  /** Normalized. */
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly status: EndpointStatus;
  /** Time since when it has been ACTIVE without a break. */
  readonly activeSince: Date;
  readonly createdAt: Date;
  /** The newest first, at most two. */
  readonly secrets: readonly SealedSecret[];
  /** The first of the failures since the last success. */
  readonly failingSince: Date | undefined;
  readonly failuresInRow: number;
  /** Time of its last 410 Gone since then. */
  readonly goneAt: Date | undefined;
  /** Time when owners and admins were told that it fails. */
  readonly noticedAt: Date | undefined;
}

/** Endpoints of one organization, whatever its plan allows: its list is read as a whole for each event. */
export const ENDPOINTS_MAX = 1_000;

const plansWithWebhooks: ReadonlySet<string> = new Set(['SCALE', 'ENTERPRISE']);

/** Specification section 6: webhooks are available on the Scale and Enterprise plans. */
export function hasWebhooks(plan: string): boolean {
  return plansWithWebhooks.has(plan);
}

/**
 * The events that a request names, each once.
 * @throws DomainError invalid
 */
export function readEventTypes(names: readonly string[]): PublicEventType[] {
  if (names.length === 0) throw invalidField('events', `must name at least one of ${publicEventTypes.join(', ')}.`);
  return [...new Set(names.map((name, index) => readEventType(name, `events[${index}]`)))];
}

/** @throws DomainError invalid */
export function readEventType(name: string, path: string): PublicEventType {
  if (isPublicEventType(name)) return name;
  throw invalidField(path, `must be one of ${publicEventTypes.join(', ')}.`);
}

/** The subscriptions after a change: those that stay count on, new ones count from now on. */
export function subscribe(
  current: readonly Subscription[],
  types: readonly PublicEventType[],
  now: Date,
): readonly Subscription[] {
  return types.map((type) => current.find((subscription) => subscription.type === type) ?? { type, since: now });
}

/** Tells whether an event of this time is delivered to the endpoint: none from before it was created, changed or switched on. */
export function receives(
  { status, events, activeSince }: Pick<Endpoint, 'status' | 'events' | 'activeSince'>,
  type: PublicEventType,
  at: Date,
): boolean {
  const since = events.find((subscription) => subscription.type === type)?.since;
  return status === 'ACTIVE' && since !== undefined && since <= at && activeSince <= at;
}

/** An endpoint that fails rarely is not switched off, however long ago its last success was. */
export const FAILURES_TO_DISABLE_MIN = 20;

export interface FailingLimits {
  readonly noticeAfterMs: number;
  readonly disableAfterMs: number;
}

/** Decides the next step for an endpoint that only fails. */
export function judgeFailing(
  { status, failingSince, failuresInRow, noticedAt }: Endpoint,
  { noticeAfterMs, disableAfterMs }: FailingLimits,
  now: Date,
): 'DISABLE' | 'NOTICE' | 'NOTHING' {
  if (status !== 'ACTIVE' || failingSince === undefined) return 'NOTHING';
  const failingMs = now.getTime() - failingSince.getTime();
  // Told before it is switched off, even where both are due at once.
  if (failingMs >= noticeAfterMs && noticedAt === undefined) return 'NOTICE';
  return failingMs >= disableAfterMs && failuresInRow >= FAILURES_TO_DISABLE_MIN ? 'DISABLE' : 'NOTHING';
}
