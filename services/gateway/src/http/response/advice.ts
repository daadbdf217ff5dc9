/** Advice in the refusal of a request that only reads, or that has not changed anything yet. */
export const REPEAT = 'Retry the request in a moment.';
const REPEAT_WITH_KEY =
  'The request may have taken effect. Retry the request in a moment with the same Idempotency-Key; it takes effect only once.';
const REPEAT_TAKES_EFFECT_ONCE =
  'The request may have taken effect. Retry the request in a moment; it takes effect only once.';
const CHECK_FIRST = 'The request may have taken effect. Check whether it did before you send the request again.';
const SEND_KEY = 'A request with an Idempotency-Key can simply be retried.';

/** Route properties that determine whether a request can be repeated. */
interface Repeatable {
  readonly method: string;
  readonly honoursIdempotencyKey?: true;
  readonly takesEffectOnce?: true;
}

/**
 * Returns the advice for a caller whose request failed after the service was called, so that it is unknown whether the
 * request took effect.
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
