import { jaroWinkler } from '../normalisation/similarity.js';

/** Names at least so similar are one party's. */
const SIMILARITY_MIN = 0.75;
/** So are names that share a word of this length. */
const SHARED_WORD_LENGTH_MIN = 4;

/** What {@link isLikeName} compares by; shown in evidence. */
export const nameLikeness = { similarityMin: SIMILARITY_MIN, sharedWordLengthMin: SHARED_WORD_LENGTH_MIN } as const;

/** True when the name could be that of the party known under these names (detection reference, section 7.3). */
export function isLikeName(known: readonly string[], nameKey: string): boolean {
  if (nameKey !== '' && known.includes(nameKey)) return true;
  const words = longWords(nameKey);
  return known.some(
    (name) => jaroWinkler(name, nameKey) >= SIMILARITY_MIN || longWords(name).some((word) => words.includes(word)),
  );
}

function longWords(nameKey: string): string[] {
  return nameKey.split(' ').filter((word) => word.length >= SHARED_WORD_LENGTH_MIN);
}
