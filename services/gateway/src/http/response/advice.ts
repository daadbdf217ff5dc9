/** Advice for requests that only read, or when nothing has been done yet. */
export const REPEAT = 'Repeat the request in a moment.';
const REPEAT_WITH_KEY =
  'It may have taken effect. Repeat it in a moment with the same Idempotency-Key: it takes effect once.';
const REPEAT_TAKES_EFFECT_ONCE = 'It may have taken effect. Repeat it in a moment: it takes effect once.';
const CHECK_FIRST = 'It may have taken effect: check that before you send it again.';
const SEND_KEY = 'With an Idempotency-Key it could simply be repeated.';

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
