import { CALL_TIMEOUT_MS } from './route.js';
import type { Route } from './route.js';

/**
 * Describes how long a POST request may take, and how a caller repeats it after a lost response. The texts follow from
 * what the route declares, so that they agree with the advice in refusals.
 */
export function describeRepetition(route: Route): string {
  const seconds = Math.round((route.timeoutMs ?? CALL_TIMEOUT_MS) / 1_000);
  return `The response arrives within ${seconds} seconds; otherwise the status is 504. ${repetitionOf(route)}`;
}

function repetitionOf({ honoursIdempotencyKey, takesEffectOnce }: Route): string {
  if (takesEffectOnce === true) {
    return 'After a timeout, a 5xx or a lost connection, send the same request again: it takes effect only once.';
  }
  return honoursIdempotencyKey === true
    ? 'After a timeout, a 5xx or a lost connection, send the same request again with the same Idempotency-Key: it takes effect only once. Without a key, check first whether the request took effect.'
    : 'After a timeout, a 5xx or a lost connection, the request may have taken effect. Check first whether it did, unless the description above states that the request can be repeated.';
}
