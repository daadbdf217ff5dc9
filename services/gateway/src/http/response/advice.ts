/** Advice for requests that only read, or when nothing has been done yet. */
export const REPEAT = 'Retry the request in a moment.';
const REPEAT_WITH_KEY =
  'The request may have taken effect. Retry it in a moment with the same Idempotency-Key: it takes effect only once.';
const REPEAT_TAKES_EFFECT_ONCE = 'The request may have taken effect. Retry it in a moment: it takes effect only once.';
const CHECK_FIRST = 'The request may have taken effect. Check that before you send it again.';
const SEND_KEY = 'A request with an Idempotency-Key can simply be retried.';

/** The properties of a route that decide how a request to it is repeated. */
interface Repeatable {
  readonly method: string;
  readonly honoursIdempotencyKey?: true;
  readonly takesEffectOnce?: true;
}

/**
 * Returns the advice to a caller whose request failed by an outage or a bug after its owner was called. Nobody knows then whether it took
 * effect.
 */
export function adviceFor(
  { method, honoursIdempotencyKey, takesEffectOnce }: Repeatable,
  idempotencyKey: string,
): string {
  if (method === 'get') return REPEAT;
  if (takesEffectOnce === true) return REPEAT_TAKES_EFFECT_ONCE;
  if (honoursIdempotencyKey !== true) return CHECK_FIRST;
  return idempotencyKey === '' ? `${CHECK_FIRST} ${SEND_KEY}` : REPEAT_WITH_KEY;
}
