import { createHash } from 'node:crypto';
import { idText } from './id-text.js';
import { nextAttemptAt } from './retry.js';
import type { RetrySchedule } from './retry.js';

export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELED', 'SKIPPED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Outcome of an attempt to send a webhook delivery (webhooks-and-events reference, section 3.1). */
export type Outcome =
  | 'SUCCESS'
  | 'HTTP_ERROR'
  | 'TIMEOUT'
  | 'DNS_ERROR'
  | 'CONNECT_ERROR'
  | 'TLS_ERROR'
  | 'BLOCKED_ADDRESS'
  | 'RESPONSE_TOO_LARGE'
  | 'INTERRUPTED';

/** A counted attempt to send a webhook delivery, in the form in which it is stored. */
export interface Attempt {
  readonly series: number;
  /** Number of a webhook delivery attempt in its series of attempts, beginning with 1. */
  readonly n: number;
  readonly at: Date;
  readonly outcome: Outcome;
  readonly statusCode?: number;
  readonly durationMs: number;
  /**
   * Number of times that a worker claimed this webhook delivery attempt but got no result, for example because of a
   * crash.
   */
  readonly interruptions: number;
}

/** State of a webhook delivery. Only a PENDING delivery has a next attempt. */
type Open = { readonly state: 'PENDING'; readonly nextAttemptAt: Date };
type Closed<S extends DeliveryState> = { readonly state: S; readonly nextAttemptAt: undefined };

/** The webhook delivery of one event to one webhook. */
export type Delivery = DeliveryFacts & (Open | Closed<Exclude<DeliveryState, 'PENDING'>>);

/** A webhook delivery that waits for its next attempt. */
export type OpenDelivery = DeliveryFacts & Open;

interface DeliveryFacts {
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly isTest: boolean;
  /** Number of the current series of webhook delivery attempts, which increases with each replay. */
  readonly series: number;
  /** Number of failed webhook delivery attempts in the current series. */
  readonly failures: number;
  /** Number of times that the next or current attempt of a webhook delivery was claimed. */
  readonly tries: number;
  /** Number of counted attempts of the webhook delivery in all series. */
  readonly attemptCount: number;
  readonly lastStatusCode: number | undefined;
}

/** A webhook delivery with its attempts and the beginning of the last response. */
export type DeliveryWithAttempts = Delivery & {
  readonly attempts: readonly Attempt[];
  readonly lastExcerpt: string | undefined;
};

/** Result of sending one request to a webhook. */
export interface SendResult {
  readonly outcome: Outcome;
  readonly statusCode?: number;
  /** Value of the `Retry-After` header as the webhook receiver sent it. */
  readonly retryAfter?: string;
  /** Beginning of the body that the webhook receiver sent in its response. */
  readonly excerpt?: string;
  readonly durationMs: number;
}

/**
 * Maximum number of times that workers claim one attempt of a webhook delivery. If the workers have crashed so often,
 * the delivery is abandoned.
 */
export const TRIES_MAX = 10;

/** State of a webhook delivery after an attempt. */
export type Settlement = {
  readonly attempt: Attempt;
  readonly failures: number;
  readonly excerpt: string | undefined;
} & (Open | Closed<'DELIVERED' | 'FAILED'>);

/**
 * Applies the result of an attempt to a webhook delivery.
 * @param at time when the attempt began
 * @param random number from 0 to 1
 */
export function settle(
  { series, failures, tries }: Pick<Delivery, 'series' | 'failures' | 'tries'>,
  { outcome, statusCode, retryAfter, excerpt, durationMs }: SendResult,
  { at, now, random, schedule }: { at: Date; now: Date; random: number; schedule: RetrySchedule },
): Settlement {
  const interruptions = Math.max(0, tries - 1);
  const status = statusCode === undefined ? {} : { statusCode };
  const attempt = { series, n: failures + 1, at, outcome, ...status, durationMs, interruptions };
  if (outcome === 'SUCCESS') {
    return { attempt, state: 'DELIVERED', failures, nextAttemptAt: undefined, excerpt };
  }
  const failed = { failures: failures + 1, isTimeout: outcome === 'TIMEOUT', statusCode, retryAfter };
  const next = nextAttemptAt(failed, schedule, now, random);
  const settled = { attempt, failures: failed.failures, excerpt };
  if (next === undefined) return { ...settled, state: 'FAILED', nextAttemptAt: undefined };
  return { ...settled, state: 'PENDING', nextAttemptAt: next };
}

/**
 * Derives the id of the delivery of an event to a webhook. A repeated call derives the same id, so that the event is
 * delivered to the webhook only once.
 */
export function deliveryId(eventId: string, endpointId: string): string {
  return `dlv_${idText(createHash('sha256').update(`${eventId}|${endpointId}`).digest())}`;
}
