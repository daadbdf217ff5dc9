const MASK = '***';
/**
 * Minimum number of characters of a partial webhook signature that is masked. Four characters reveal 16 of the 256 bits
 * of a signature.
 */
const TAIL_CHARACTERS_MIN = 4;

/**
 * Masks signatures and secrets in the beginning of a webhook response, because a receiver may return the request or its
 * secret. The result is never longer than the input.
 * @param proofs the sent signatures and the secrets; the end of an excerpt may contain only a part of them
 */
export function maskProofs(excerpt: string, proofs: readonly string[]): string {
  const masked = excerpt.replaceAll(/whsec_[0-9A-Za-z]*/gi, MASK).replaceAll(/[0-9a-f]{64}/gi, MASK);
  const tail = Math.max(...proofs.map((proof) => tailLength(masked.toLowerCase(), proof.toLowerCase())), 0);
  return tail < TAIL_CHARACTERS_MIN ? masked : `${masked.slice(0, -tail)}${MASK}`;
}

/**
 * Returns the length of the longest end of `text` that is a beginning of `other`. With it, a secret is found even if
 * the end of a webhook response cuts it off.
 */
function tailLength(text: string, other: string): number {
  for (let length = Math.min(text.length, other.length); length > 0; length--) {
    if (text.endsWith(other.slice(0, length))) return length;
  }
  return 0;
}
