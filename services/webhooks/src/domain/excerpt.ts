const MASK = '***';
/** A shorter beginning of a signature helps nobody: 16 of its 256 bits. */
const TAIL_CHARACTERS_MIN = 4;

/**
 * The beginning of an answer without what proves that a delivery is ours: a receiver may send back the request, or its
 * secret. Never longer than what came.
 * @param proofs the signatures that were sent and the secrets that made them: the end of an excerpt may have cut one of them
 */
export function maskProofs(excerpt: string, proofs: readonly string[]): string {
  const masked = excerpt.replaceAll(/whsec_[0-9A-Za-z]*/gi, MASK).replaceAll(/[0-9a-f]{64}/gi, MASK);
  const tail = Math.max(...proofs.map((proof) => tailLength(masked.toLowerCase(), proof.toLowerCase())), 0);
  return tail < TAIL_CHARACTERS_MIN ? masked : `${masked.slice(0, -tail)}${MASK}`;
}

/** Returns the length of the end of a text that is the beginning of another. */
function tailLength(text: string, other: string): number {
  for (let length = Math.min(text.length, other.length); length > 0; length--) {
    if (text.endsWith(other.slice(0, length))) return length;
  }
  return 0;
}
